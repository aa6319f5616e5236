#!/usr/bin/env python3
"""Fan-out over SSH: this program, clush and pdsh, in turn, on the same sshd with
the same probe. Prints client CPU a node and wall time, medians, and the ratios.

Then, for the same sizes, what a repeated snapshot on open sessions costs.

Usage: fanout.py [--sizes 1,16,64,256] [--rounds N] PROGRAM REPEAT
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from sshd import LightCluster, in_namespace  # noqa: E402

NONCE = "0123456789abcdef0123456789abcdef"
# Few and cheap: what is compared is the client, and hosts, sshds and clients share this machine.
SECTIONS = ["cpu", "mounts", "efa_counters"]


def measure(argv, env):
    """Wall seconds, CPU seconds of the process and all it waited for, exit status."""
    t0 = time.monotonic()
    pid = os.posix_spawnp(argv[0], argv, env,
                          file_actions=[(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                                        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
                                        (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
    _, status, ru = os.wait4(pid, 0)
    return time.monotonic() - t0, ru.ru_utime + ru.ru_stime, os.waitstatus_to_exitcode(status)


def contenders(cluster, program, n, script):
    """Each runs the same script once on every host: name, argv, extra environment."""
    d = cluster.dir
    hosts = ",".join(cluster.addresses(n))
    ours = [program, "snapshot", "--hosts", cluster.hosts_file(n), "--known-hosts", f"{d}/known_hosts",
            "-i", f"{d}/id", "--json", "--one-sample",
            "--sections", ",".join(SECTIONS), "--concurrency", "64"]
    remote = f"sh {script} </dev/null"
    kex = "-o KexAlgorithms=curve25519-sha256"
    ssh = f"-F {d}/ssh_config -l root"
    rows = [("hyperpod-perf", ours, {})]
    for name, extra in (("as installed", ""), ("same kex", " " + kex)):
        if shutil.which("clush"):
            rows.append((f"clush, {name}",
                         ["clush", "-q", "-S", "-f", "64", "-w", hosts, "-o", ssh + extra, remote], {}))
        if shutil.which("pdsh"):
            rows.append((f"pdsh, {name}", ["pdsh", "-R", "ssh", "-f", "64", "-S", "-w", hosts, remote],
                         {"PDSH_SSH_ARGS_APPEND": ssh + extra}))
    return rows


def report(n, rows, results):
    med = {name: (statistics.median(r[0] for r in rs), statistics.median(r[1] for r in rs))
           for name, rs in results.items()}
    base = med[rows[0][0]]
    for name, _, _ in rows:
        wall, cpu = med[name]
        codes = ",".join(sorted({str(r[2]) for r in results[name]}))
        print(f"{n:>5}  {name:<20} {wall:>8.2f} {cpu / n * 1000:>12.2f} {cpu / base[1]:>9.1f}x "
              f"{wall / base[0]:>10.2f}x  {codes}", flush=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--sizes", default="1,16,64,256")
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("program")
    ap.add_argument("repeat")
    args = ap.parse_args()
    sizes = [int(s) for s in args.sizes.split(",")]
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin"):
        print("SKIP: fan-out: needs root, ip netns and sshd")
        return 0
    for tool in ("clush", "pdsh"):
        if not shutil.which(tool) and not os.environ.get("HP_BENCH_NETNS"):
            print(f"SKIP: {tool} is not installed: not measured beside")
    in_namespace()
    with LightCluster(max(sizes)) as cluster:
        # The very script that the program sends, with the line that starts it.
        script = f"{cluster.dir}/probe-once.sh"
        with open(script, "w") as f:
            f.write(subprocess.run([args.program, "probe"], stdout=subprocess.PIPE, text=True, check=True).stdout)
            f.write(f"hp_main {NONCE} {' '.join(SECTIONS)}\n")
        print(f"{'hosts':>5}  {'client':<20} {'wall s':>8} {'CPU ms/node':>12} {'CPU ratio':>10} "
              f"{'wall ratio':>11}  exit")
        for n in sizes:
            rows = contenders(cluster, args.program, n, script)
            results = {name: [] for name, _, _ in rows}
            for _ in range(args.rounds):
                for name, argv, env in rows:
                    results[name].append(measure(argv, {**os.environ, **env}))
            report(n, rows, results)
        print()
        for n in sizes:
            subprocess.run([args.repeat, cluster.hosts_file(n), f"{cluster.dir}/known_hosts", f"{cluster.dir}/id",
                            ",".join(SECTIONS), "7"], check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
