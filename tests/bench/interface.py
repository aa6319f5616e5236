#!/usr/bin/env python3
"""The interface under load, on a pseudo-terminal: first paint, key to screen, memory, idle.

  interface.py PROGRAM [--keys N] [--no-pairs]

Figures beside the goals of the design, never a verdict. Key to screen is the time from
writing one key until the terminal has been quiet for 8 ms afterwards, less those 8 ms:
what a person sees as "it has answered", with snapshots of 1,024 simulated nodes arriving.
"""
import argparse
import csv
import fcntl
import os
import pty
import random
import re
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time

QUIET_S = 0.008


class Screen:
    """One run of the program on a terminal of its own."""

    def __init__(self, args, cols=120, rows=40):
        self.started = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", LANG="C.UTF-8",
                              COLUMNS=str(cols), LINES=str(rows))
            os.execv(args[0], args)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        self.text = b""

    def read(self, seconds):
        """What comes within so many seconds; b"" when nothing does."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return b""
        try:
            got = os.read(self.fd, 1 << 16)
        except OSError:
            return b""
        self.text = (self.text + got)[-200000:]
        return got

    def wait_for(self, pattern, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if re.search(pattern, self.text):
                return True
            self.read(0.05)
        return False

    def drain(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(max(0.0, min(0.1, end - time.monotonic())))

    def key(self, bytes_):
        """Seconds until the burst of output that follows the key is over; None: no output."""
        while self.read(0):
            pass
        sent = time.monotonic()
        os.write(self.fd, bytes_)
        last = None
        while True:
            if self.read(QUIET_S if last else 0.5):
                last = time.monotonic()
            else:
                return last - sent if last else None

    def status(self, name):
        with open(f"/proc/{self.pid}/status") as f:
            for line in f:
                if line.startswith(name + ":"):
                    return int(line.split()[1])
        return 0

    def cpu_s(self):
        with open(f"/proc/{self.pid}/stat") as f:
            words = f.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        try:
            os.write(self.fd, b"q")
            self.drain(0.3)
            os.kill(self.pid, signal.SIGKILL)
        except OSError:
            pass
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def first_paint(program, runs):
    times = []
    for _ in range(runs):
        s = Screen([program, "--demo"])
        while b"READ-ONLY" not in s.text and time.monotonic() - s.started < 10:
            s.read(1)
        times.append((time.monotonic() - s.started) * 1000)
        s.end()
    print(f"first paint                    {statistics.median(times):6.1f} ms median of {runs}, "
          f"{max(times):.1f} the slowest     (goal 50)")


def pairs_file(n):
    """Every pair of the thousand nodes of the demo, three slow nodes among them."""
    rng = random.Random(11)
    names = [f"ip-10-{20 + i // 128}-0-{i % 128 + 1}" for i in range(n)]
    slow = {rng.randrange(n): 0.8 for _ in range(3)}
    f = tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False, newline="")
    w = csv.writer(f)
    w.writerow(["node_a", "node_b", "busbw_gbps"])
    for i in range(n):
        for j in range(i + 1, n):
            v = 470 * min(slow.get(i, 1), slow.get(j, 1)) * rng.gauss(1, 0.012)
            w.writerow([names[i], names[j], f"{v:.2f}"])
    f.close()
    return f.name


def key_times(s, keys, count):
    times = []
    for i in range(count):
        t = s.key(keys[i % len(keys)])
        if t is not None:
            times.append(t * 1000)
        s.drain(random.uniform(0.01, 0.12))
    return sorted(times)


def say_keys(what, times):
    p99 = times[min(len(times) - 1, int(len(times) * 0.99))]
    print(f"key to screen, {what:<16}{statistics.median(times):6.1f} ms median, {p99:.1f} ms at 99 %, "
          f"{times[-1]:.1f} the slowest of {len(times)}     (goal 16 at 99 %)")


def under_load(program, keys, pairs):
    args = [program, "--demo=thousand"]
    if pairs:
        args += ["--pairs", pairs_file(1024)]
    s = Screen(args)
    s.drain(25)
    say_keys("nodes", key_times(s, [b"j", b"j", b"k", b"G", b"g", b"s"], keys))
    s.key(b"4")
    say_keys("findings", key_times(s, [b"j", b"j", b"k", b"G", b"g"], keys))
    if pairs:
        s.key(b"2")
        s.drain(2)
        say_keys("heatmap", key_times(s, [b"j", b"l", b"+", b"j", b"-", b"w", b"w"], keys))
    print(f"memory, 1,024 nodes{', 523,776 pairs' if pairs else '               '}  "
          f"{s.status('VmRSS') / 1024:6.1f} MiB now, {s.status('VmHWM') / 1024:.1f} at most     (goal 64)")
    s.end()
    if pairs:
        os.unlink(args[-1])


def idle(program):
    s = Screen([program, "--demo"])
    s.wait_for(rb"2[24]/24", 30)
    s.drain(10)
    for what, key in (("24 simulated nodes asked every 5 s", None), ("paused", b" ")):
        if key:
            s.key(key)
        before = s.cpu_s()
        s.drain(20)
        print(f"idle, {what:<36}{(s.cpu_s() - before) / 20 * 100:5.2f} % of a core     (goal 1)")
    s.end()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("program")
    p.add_argument("--keys", type=int, default=300)
    p.add_argument("--no-pairs", action="store_true")
    a = p.parse_args()
    print("\n# The interface (120x40; the simulated nodes run inside the same process)")
    first_paint(a.program, 11)
    under_load(a.program, a.keys, not a.no_pairs)
    idle(a.program)


if __name__ == "__main__":
    sys.exit(main())
