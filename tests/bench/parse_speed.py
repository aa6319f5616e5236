#!/usr/bin/env python3
"""How fast benchmark output is read, beside `wc -l` and awk, in turn on the same files.

  parse_speed.py DRIVER [--megabytes 200] [--files 10000] [--rounds 5]

DRIVER is build/.../tests/bench/parse_speed. One large file of runs one after the other, and
many small ones of one run each, all made up and in the page cache. `wc -l` is the least that
reading takes; the awk script takes the same column of the same rows, and nothing else.
Prints medians of wall time and whether the sums agree; figures, never a verdict.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

AWK = r'$1 ~ /^[0-9]+$/ && NF == 13 { n++; s += $8 } END { printf "%d %.0f\n", n, s }'
HEAD = """# nccl-tests version 2.17.8 nccl-headers=22902 nccl-library=22902
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 8 maxBytes 17179869184 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
"""
COLUMNS = """#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong 
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)         
"""
FOOT = """# Out of bounds values : 0 OK
# Avg bus bandwidth    : 100.123 
#
# Collective test concluded: all_reduce_perf
#

"""


def one_run(a, b):
    text = [HEAD]
    for r in range(16):
        text.append("#  Rank %2d Group  0 Pid %6d on %10s device %2d [0000:%02x:00] NVIDIA H100 80GB HBM3\n"
                    % (r, 40000 + r, b if r > 7 else a, r % 8, 16 + r % 8))
    text.append(COLUMNS)
    for power in range(3, 35):
        size = 1 << power
        us = 20 + size / 4e5 * (1 + (power * 37 + len(a)) % 11 / 100)
        algbw = size / us / 1000
        row = (size, size // 4, "float", "sum", -1)
        half = (us, algbw, algbw * 1.875, 0)
        text.append("%12d  %12d  %8s  %6s  %6d  %7.2f  %6.2f  %6.2f  %6d  %7.2f  %6.2f  %6.2f  %6d\n"
                    % (row + half + half))
    return "".join(text) + FOOT


def wall(command, **more):
    begin = time.monotonic()
    out = subprocess.run(command, stdout=subprocess.PIPE, check=True, **more).stdout
    return time.monotonic() - begin, out.decode().split("\n")


def compare(title, commands, rounds, size):
    times = {name: [] for name in commands}
    out = {}
    for _ in range(rounds):
        for name, (command, more) in commands.items():
            seconds, out[name] = wall(command, **more)
            times[name].append(seconds)
    least = statistics.median(times["wc -l"])
    print("%s, %.0f MB, median of %d rounds:" % (title, size / 1e6, rounds))
    for name in commands:
        t = statistics.median(times[name])
        print("  %-10s %7.3f s   %6.0f MB/s   %5.1f times wc -l" % (name, t, size / t / 1e6, t / least))
    return out


def many(names, command):
    """The command over files whose names come on standard input."""
    return ["xargs", "-a", names] + command, {}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("driver")
    p.add_argument("--megabytes", type=int, default=200)
    p.add_argument("--files", type=int, default=10000)
    p.add_argument("--rounds", type=int, default=5)
    a = p.parse_args()
    awk = shutil.which("mawk") or shutil.which("awk")
    with tempfile.TemporaryDirectory() as d:
        big = os.path.join(d, "big.log")
        block = "".join(one_run("gpu-%d" % i, "gpu-%d" % (i + 1)) for i in range(100))
        with open(big, "w") as f:
            for _ in range(max(1, a.megabytes * 1000000 // len(block))):
                f.write(block)
        out = compare("one file", {
            "wc -l": (["wc", "-l", big], {}),
            "reader": ([a.driver, big], {}),
            "awk": ([awk, AWK, big], {}),
        }, a.rounds, os.path.getsize(big))
        same = out["reader"][0].split()[2:] == out["awk"][0].split()
        os.unlink(big)

        names = os.path.join(d, "names")
        total = 0
        with open(names, "w") as f:
            for i in range(a.files):
                path = os.path.join(d, "nccl_N2_G8_gpu-%d_gpu-%d.log" % (i // 100, 1000 + i))
                text = one_run("gpu-%d" % (i // 100), "gpu-%d" % (1000 + i))
                with open(path, "w") as log:
                    log.write(text)
                total += len(text)
                f.write(path + "\n")
        with open(names) as f:
            paths = f.read()
        compare("%d files" % a.files, {
            "wc -l": many(names, ["wc", "-l"]),
            "reader": ([a.driver, "-"], {"input": paths.encode()}),
            "awk": many(names, [awk, AWK]),
        }, a.rounds, total)
    print("rows and sums of the reader and awk: %s" % ("the same" if same else "DIFFER"))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
