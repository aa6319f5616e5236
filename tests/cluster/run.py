#!/usr/bin/env python3
"""The program against real sshds in namespaces: all values arrive, what is wrong
is found and nothing else, and no misbehaving node costs the others anything.

Usage: run.py --program build/hyperpod-perf --simraw BINARY [--keep-json DIR]
Exit status: 0 passed, or skipped with a reason; 1 failed.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster import HERE, PREFIX, Cluster, why_not  # noqa: E402

GOOD = 12  # of the scenario's nodes; the ones after them are made to misbehave

# Sections whose values must be those of the simulation, bit for bit.
SAME = ("gpu", "gpu_info", "nvlink", "gpu_topo", "efa", "efa_counters", "governor", "stack",
        "fabricmanager")
HOST_SAME = ("hostname", "instance_type", "instance_id", "instance_group", "az", "os")

# What each fault of the scenario must be found as; more rules may see the same fault.
FOUND_AS = {
    "hot_gpu": ("gpu-temp", "gpu-throttle"),
    "efa_port_down": ("efa-port-down", "efa-missing"),
    "governor_powersave": ("governor-slow",),
    "root_full": ("root-full",),
    "xid": ("xid",),
    "hung_mount": ("fs-hung",),
    "pcie_width": ("pcie-width-low",),
    "nvlink_down": ("nvlink-down",),
}
CLUSTER_RULES = {"drift-efa-installer", "drift-efa-count", "drift-governor", "drift-pcie-width",
                 "drift-nvlink-count"}

JUNK_LOGIN = """echo 'Welcome to this node'
printf '@hp 00000000000000000000000000000000 begin cpu\\n\\033[2J\\377\\376 not a frame\\n'
printf 'no newline at the end of the banner'
sleep 0.25
"""
ENDLESS_LOGIN = "while :; do echo 'this banner never ends, and says so at some length'; done\n"
HALF_SMI = """#!/bin/sh
case "$*" in
*--query-gpu=*) head -c 700 /usr/local/hpc/out/gpu; exec sleep 1000 ;;
*) exec /usr/local/hpc/whole-smi "$@" ;;
esac
"""
ENDLESS_FI_INFO = "#!/bin/sh\nexec yes 'provider: efa'\n"
SILENT_SERVER = """
import socket, time
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('%s', 22)); s.listen(8); kept = []
print("listening", flush=True)
while True: kept.append(s.accept())
"""


class Check:
    def __init__(self):
        self.failed = 0
        self.passed = 0

    def that(self, ok, what):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {what}", flush=True)
        return ok

    def same(self, got, want, what):
        if got != want:
            got_text, want_text = json.dumps(got)[:400], json.dumps(want)[:400]
            return self.that(False, f"{what}: got {got_text}, want {want_text}")
        return self.that(True, what)


def snapshot(cluster, program, hosts):
    """JSON of one snapshot, and how long the program ran."""
    argv = cluster.client([program, "snapshot", "--hosts", hosts, "--json", "-F", "/dev/null",
                           "--identity", cluster.key, "--known-hosts", cluster.known_hosts])
    t0 = time.monotonic()
    done = subprocess.run(argv, capture_output=True, text=True, timeout=100)
    took = time.monotonic() - t0
    if done.returncode not in (0, 1):
        raise RuntimeError(f"snapshot: exit {done.returncode}: {done.stderr[-2000:]}")
    return json.loads(done.stdout), took


def truth(cluster, program):
    """What the parsers make of the simulation's own texts."""
    done = subprocess.run([program, "snapshot", "--raw", cluster.raw, "--json"],
                          capture_output=True, text=True, timeout=60)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"snapshot --raw: exit {done.returncode}: {done.stderr[-2000:]}")
    return {n["id"]: n for n in json.loads(done.stdout)["nodes"]}


def node_of(report, ip):
    for n in report["nodes"]:
        if ip in (n["id"], n["name"]) or (n["address"] or "").find(ip) >= 0:
            return n
    raise RuntimeError(f"{ip} is not in the report")


def concerns(report):
    return [f for f in report["findings"] if f["severity"] == "concern"]


# ---- what arrives ----

def check_values(check, node, got, want):
    """Every value of the node against the simulation's."""
    check.same(got["status"], "ok", f"{node.name}: status")
    for section in SAME:
        check.same(got["readings"].get(section), want["readings"].get(section),
                   f"{node.name}: {section}")
    for key in HOST_SAME:
        check.same(got["readings"]["host"].get(key), want["readings"]["host"].get(key),
                   f"{node.name}: host.{key}")
    check.same(len(got["readings"]["gpu"]), node.facts["gpus"], f"{node.name}: GPUs")
    check.that(all(50 < g["temp_c"] < 100 for g in got["readings"]["gpu"]),
               f"{node.name}: GPU temperatures")
    xids = [(x["code"], x["bdf"], x["text"]) for x in got["readings"]["xid"]]
    check.same(xids, [(x["code"], x["bdf"], x["text"]) for x in want["readings"]["xid"]],
               f"{node.name}: xid")
    for x in got["readings"]["xid"]:
        check.that(30 < x["age_s"] < 300, f"{node.name}: age of the Xid: {x.get('age_s')}")
    capacity = got["readings"]["capacity"]
    check.same(capacity["hung"], 1 if "hung_mount" in node.faults else 0, f"{node.name}: hung mounts")
    check.same(capacity["root_used_pct"] >= 90, "root_full" in node.faults,
               f"{node.name}: root volume {capacity['root_used_pct']}")
    mounts = {m["mount"] for m in capacity["mount"]}
    check.that({"/", "/fsx", "/opt/dlami/nvme", "/opt/sagemaker"} <= mounts, f"{node.name}: {mounts}")
    check.that(got["readings"]["shm"]["size_kib"] > 1 << 24, f"{node.name}: shm")
    check.that(got["readings"]["cpu"]["idle_ticks"] > 0, f"{node.name}: cpu")
    check.that(got["readings"]["client_io"]["read_bytes"] > 0, f"{node.name}: client_io")


def check_findings(check, nodes, report):
    found = {}
    for f in concerns(report):
        found.setdefault(f["node"], set()).add(f["rule"])
    for node in nodes:
        rules = found.pop(node_of(report, node.ip)["id"], set())
        for fault in node.faults:
            wanted = FOUND_AS.get(fault)
            check.that(not wanted or rules & set(wanted),
                       f"{node.name}: {fault} is not found: {sorted(rules)}")
        check.that(node.faults or not rules, f"{node.name}: healthy, but blamed: {sorted(rules)}")
    cluster = found.pop(None, set())
    check.that("drift-efa-installer" in cluster, "the EFA installer that differs is not found")
    check.that(cluster <= CLUSTER_RULES, f"unexpected: {sorted(cluster - CLUSTER_RULES)}")
    check.same(found, {}, "findings of nodes that do not exist")


# ---- nodes that misbehave ----

def spoil(cluster, bad):
    """Makes the spare nodes misbehave, before they start. Returns them by what they do."""
    half, fi_info, login, junk, key = bad
    with open(f"{HERE}/fake.sh") as f:
        cluster.own_file(half, "usr/local/hpc/whole-smi", f.read().replace(
            "name=${0##*/}", "name=nvidia-smi"), 0o755)
    cluster.own_file(half, "usr/local/hpc/bin/nvidia-smi", HALF_SMI, 0o755)
    cluster.own_file(fi_info, "usr/local/hpc/bin/fi_info", ENDLESS_FI_INFO, 0o755)
    cluster.own_file(login, "root/.bashrc", ENDLESS_LOGIN)
    cluster.own_file(junk, "root/.bashrc", JUNK_LOGIN)
    return {"half": half.ip, "endless section": fi_info.ip, "endless login": login.ip,
            "junk login": junk.ip, "changed key": key.ip}


def start_silent(cluster, index):
    """Accepts connections and says nothing."""
    ip = PREFIX + "240"
    netns = cluster.add_netns(index, ip)
    server = subprocess.Popen(["ip", "netns", "exec", netns, sys.executable, "-c", SILENT_SERVER % ip],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    server.stdout.readline()  # it listens
    return ip


def said(report, ip):
    """Status and the first sentence about the node."""
    n = node_of(report, ip)
    e = n["errors"][0] if n["errors"] else {"what": "", "why": ""}
    return n["status"], e["what"], e["why"]


def check_failures(check, report, where):
    expected = {
        "down": ("network", "timeout"),
        "silent": ("timeout",),
        "changed key": ("host key",),
        "endless login": ("too big",),
    }
    for kind, codes in expected.items():
        status, what, why = said(report, where[kind])
        check.that(status == "unreachable" and what in codes and len(why) > 15,
                   f"{kind}: {status}, {what}: {why}")
        print(f"  {kind}: {why}")
    rules = {(f["node"], f["rule"]) for f in concerns(report)}
    for kind in expected:
        check.that((node_of(report, where[kind])["id"], "node-unreachable") in rules,
                   f"{kind}: no finding says that the node is unreachable")


def check_partial(check, report, where, want, names):
    """Nodes of which one section fails: that one says so, all others are there."""
    # A driver that hangs once is not asked again by the sections that need it too.
    hurt = {"half": ("gpu", "nvlink", "gpu_topo"), "endless section": ("efa",)}
    for kind, section in (("half", "gpu"), ("endless section", "efa")):
        n = node_of(report, where[kind])
        status = n["sections"][section]["status"]
        check.that(n["status"] == "ok", f"{kind}: {n['status']}: {n['errors'][:1]}")
        check.that(status in ("timeout", "partial", "failed"), f"{kind}: {section} is {status}")
        print(f"  {kind}: {section} {status}: " +
              "; ".join(e["why"] for e in n["errors"] if e["section"] == section)[:160])
        for other in SAME:
            if other.split("_info")[0] not in hurt[kind]:
                check.same(n["readings"].get(other), want[names[where[kind]]]["readings"].get(other),
                           f"{kind}: {other}")
    n = node_of(report, where["junk login"])
    check.same(n["status"], "ok", "junk login: status")
    for section in SAME:
        check.same(n["readings"].get(section), want[names[where["junk login"]]]["readings"].get(section),
                   f"junk login: {section}")


def answered_after(report, took, nodes):
    """Median over the nodes: seconds from the start to the node's last answer."""
    return statistics.median(took - node_of(report, n.ip)["age_ms"] / 1000 for n in nodes)


def test(cluster, program, check, keep):
    good, bad = cluster.nodes[:GOOD], cluster.nodes[GOOD:]
    where = spoil(cluster, bad)
    cluster.start(cluster.nodes)
    want = truth(cluster, program)

    alone, took_alone = snapshot(cluster, program, cluster.hosts_file("good", [n.ip for n in good]))
    print(f"{GOOD} nodes: {took_alone:.1f} s")
    check.same([alone["coverage"][k] for k in ("reached", "total")], [GOOD, GOOD], "coverage")
    for node in good:
        check_values(check, node, node_of(alone, node.ip), want[node.name])
    check_findings(check, good, alone)

    where["silent"] = start_silent(cluster, len(cluster.nodes))
    where["down"] = PREFIX + "250"
    for ip in (where["silent"], where["down"]):
        cluster.know(ip, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKyGzQuWZ0SSGTwSxTjqMn5MxjyPuDqKyzS1Qe5AfOGM")
    cluster.forget(where["changed key"])
    with open(f"{cluster.dir}/node/{good[0].name}/root/usr/local/hpc/host.pub") as f:
        cluster.know(where["changed key"], f.read())

    # The bad ones stand first, so that they would be in the way.
    ips = list(where.values()) + [n.ip for n in good]
    mixed, took_mixed = snapshot(cluster, program, cluster.hosts_file("mixed", ips))
    print(f"{GOOD} nodes and {len(where)} that misbehave: {took_mixed:.1f} s")
    if keep:
        for name, report in (("alone", alone), ("mixed", mixed)):
            with open(f"{keep}/{name}.json", "w") as f:
                json.dump(report, f, indent=1)
    for node in good:
        check_values(check, node, node_of(mixed, node.ip), want[node.name])
    check_failures(check, mixed, where)
    check_partial(check, mixed, where, want, {n.ip: n.name for n in bad})
    before = answered_after(alone, took_alone, good)
    after = answered_after(mixed, took_mixed, good)
    print(f"good nodes had answered after {before:.1f} s alone, {after:.1f} s among the others")
    check.that(after < 4 * before, "the good nodes waited for the others")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--program", required=True)
    p.add_argument("--simraw", required=True)
    p.add_argument("--keep-json", help="a directory for the reports, to look at")
    args = p.parse_args()
    reason = why_not()
    if reason:
        print(f"SKIP: cluster-test: {reason}")
        return 0
    check = Check()
    t0 = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # through the clean-up
    try:
        with Cluster(args.simraw, f"{HERE}/scenario.json") as cluster:
            test(cluster, os.path.abspath(args.program), check, args.keep_json)
    except RuntimeError as e:
        check.that(False, str(e))
    except KeyboardInterrupt:
        print("cluster-test: interrupted; everything is cleaned up")
        return 1
    print(f"cluster-test: {check.passed} passed, {check.failed} failed, "
          f"{time.monotonic() - t0:.0f} s")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
