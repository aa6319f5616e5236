"""A mount that hangs: a FUSE filesystem that is set up and then answers nothing.

hungfs.py MOUNTPOINT. Whoever asks it for statfs waits in the kernel until this
process ends.
"""

import ctypes
import os
import struct
import sys

FUSE_INIT = 26


def main():
    fd = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={fd},rootmode=40000,user_id=0,group_id=0,allow_other"
    if libc.mount(b"10.1.8.20@tcp:/x4k7dbev", sys.argv[1].encode(), b"fuse", 0, options.encode()):
        sys.exit(f"hungfs: mount: {os.strerror(ctypes.get_errno())}")
    while True:
        request = os.read(fd, 1 << 17)
        length, opcode, unique = struct.unpack_from("=IIQ", request)
        if opcode == FUSE_INIT:
            body = struct.pack("=IIIIHHIIHHI28x", 7, 31, 65536, 0, 16, 12, 65536, 1, 0, 0, 0)
            os.write(fd, struct.pack("=IiQ", 16 + len(body), 0, unique) + body)


main()
