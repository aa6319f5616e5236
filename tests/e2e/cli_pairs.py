#!/usr/bin/env python3
"""`hyperpod-perf pairs` from outside: formats, places, choices, exit statuses, and what
../shared/corpus/nccl expects of real logs, where it is there.

  cli_pairs.py PROGRAM
"""
import json
import os
import subprocess
import sys
import tempfile

HP = os.path.abspath(sys.argv[1])
CORPUS = os.path.join(os.path.dirname(__file__), "..", "..", "..", "shared", "corpus", "nccl")
# The text does not say it, or says otherwise: see tests/unit/test_nccl_corpus.c.
UNDECIDED = {("036", "collective_stated"), ("070", "collective_stated"), ("105", "collective"),
             ("111", "collective"), ("119", "collective"), ("102", "version"),
             ("105", "collective_stated"), ("111", "collective_stated"), ("119", "collective_stated")}
checks, failed = 0, 0


def check(what, got, want):
    global checks, failed
    checks += 1
    if got != want:
        failed += 1
        print(f"FAIL cli_pairs.py: {what}: {got!r}, not {want!r}")


def run(*args, text=None):
    r = subprocess.run([HP, "pairs", *args], input=text, capture_output=True, text=True,
                       timeout=120, check=False)
    return r.returncode, r.stdout, r.stderr


def report(*args, text=None):
    rc, out, _ = run("--json", *args, text=text)
    return rc, json.loads(out)


def nccl(a, b, busbw, size=8 << 30, coll="all_reduce", end=True, ranks=2):
    rows = "".join(f"{s:>12} {s // 4:>12}     float     sum      -1  {s / v / 1e3:9.1f} {v:7.2f} {v:7.2f}      0"
                   f"  {s / v / 1e3:9.1f} {v - 1:7.2f} {v - 1:7.2f}      0\n"
                   for s, v in ((size // 1024, busbw / 3), (size, busbw)))
    return (f"# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22807\n"
            f"# Collective test starting: {coll}_perf\n"
            f"# nThread 1 nGpus 1 minBytes {size // 1024} maxBytes {size} step: 1024(factor) warmup iters: 1 iters: 20\n"
            f"#  Rank  0 Group  0 Pid   1001 on {a:>10} device  0 [0000:53:00] NVIDIA H100 80GB HBM3\n"
            f"#  Rank  1 Group  0 Pid   1002 on {b:>10} device  0 [0000:53:00] NVIDIA H100 80GB HBM3\n"
            "#                                                              out-of-place                       in-place\n"
            "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n"
            "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)\n"
            + rows + ("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 200.0 \n#\n" if end else ""))


def pair(r, a, b):
    return next((p for p in r["pairs"] if {p["a"], p["b"]} == {a, b}), None)


def places():
    with tempfile.TemporaryDirectory() as d:
        os.makedirs(f"{d}/round/1")
        names = [f"gpu-{i}" for i in range(8)]
        for i, a in enumerate(names):
            for b in names[i + 1:]:
                slow = "gpu-3" in (a, b)
                with open(f"{d}/round/1/{a}--{b}.log", "w") as f:
                    f.write(nccl(a, b, (300.0 if slow else 400.0) + i))
        with open(f"{d}/round/.hidden.log", "w") as f:
            f.write(nccl("x", "y", 5))
        with open(f"{d}/round/other.log", "w") as f:
            f.write(nccl("gpu-1", "gpu-2", 77, coll="sendrecv"))
        rc, r = report(d)
        check("directory: status", rc, 1)
        check("directory: suspect", r["diagnosis"]["suspect_nodes"], ["gpu-3"])
        check("directory: pairs", len(r["pairs"]), 28)
        check("hidden names are passed over", pair(r, "x", "y"), None)
        check("collectives are not mixed", pair(r, "gpu-1", "gpu-2")["n"], 1)
        check("the other one is offered", [x["collective"] for x in r["alternatives"]], ["sendrecv"])
        check("the slow pair", pair(r, "gpu-3", "gpu-5")["verdict"], "slow")
        rc, r = report("--collective", "sendrecv", d)
        check("--collective", [(p["busbw"], p["n"]) for p in r["pairs"]], [(77, 1)])
        rc, r = report("--size", "8M", d)
        check("--size", r["set"]["size_bytes"], 8 << 20)
        check("--size: figure", round(pair(r, "gpu-0", "gpu-1")["busbw"], 1), round(400 / 3, 1))
        rc, r = report("--in-place", d)
        check("--in-place", pair(r, "gpu-0", "gpu-1")["busbw"], 399)
        rc, out, _ = run("--csv", d)
        with open(f"{d}/again.csv", "w") as f:
            f.write(out)
        rc, r = report(f"{d}/again.csv")
        check("its own CSV: suspect", r["diagnosis"]["suspect_nodes"], ["gpu-3"])
        check("its own CSV: pairs", len(r["pairs"]), 28)
        rc, r = report("--rule", "median20", d)
        check("--rule: name", r["rule"]["name"], "median20")
        check("--rule: blames", r["rule"]["suspect_nodes"], ["gpu-3"])
        with open(f"{d}/nodes.csv", "w") as f:
            f.write("node,leaf\n" + "".join(f"{n},l{i // 4}\n" for i, n in enumerate(names)) + "gpu-9,l2\n")
        rc, r = report("--nodes", f"{d}/nodes.csv", f"{d}/round")
        check("--nodes: who was not measured", r["diagnosis"]["untested"], ["gpu-9"])
        with open(f"{d}/nodes.csv", "w") as f:
            f.write("host,leaf\n")
        rc, _, err = run("--nodes", f"{d}/nodes.csv", f"{d}/round")
        check("--nodes without a node column", (rc, "nodes.csv:1:" in err), (2, True))


def standard_input():
    rc, r = report("-", text=nccl("a1", "b1", 400))
    check("standard input", [(p["a"], p["b"], p["busbw"]) for p in r["pairs"]], [("a1", "b1", 400)])
    rc, r = report("-", text=nccl("a1", "b1", 400, end=False))
    check("cut off: never a figure", (r["pairs"], r["runs"][0]["status"], rc), ([], "truncated", 3))
    rc, r = report("-", text=nccl("a1", "b1", 400).replace("      0  ", "     12  "))
    check("wrong values: never a figure", (r["pairs"], r["runs"][0]["status"], rc), ([], "failed", 1))
    rc, r = report("-", text="\x1b[31m" + nccl("e\x07vil", "b1", 400).replace("\n", "\r\n"))
    check("hostile names are printable", "\x07" in json.dumps(r), False)
    crowd = "node_a,node_b,busbw_gbps\n" + "".join(f"n{i},n{j},{400 - 100 * (i == 2 or j == 2)}\n"
                                                 for i in range(6) for j in range(i + 1, 6))
    rc, r = report("-", text=crowd)
    check("CSV: suspect", (rc, r["diagnosis"]["suspect_nodes"]), (1, ["n2"]))
    hosts = "ip-10-0-0-1: i-0123456789abcdef0\nip-10-0-0-2: i-0123456789abcdef1\n"
    rc, r = report("-", text=hosts + nccl("ip-10-0-0-1", "ip-10-0-0-2", 400))
    check("host lines", len(r["pairs"]), 1)


def statuses():
    with tempfile.TemporaryDirectory() as d:
        with open(f"{d}/x.txt", "w") as f:
            f.write("nothing of the kind\n")
        rc, _, err = run(f"{d}/x.txt")
        check("nothing to show", (rc, "no pair has a figure" in err), (3, True))
        rc, _, err = run(f"{d}/missing")
        check("a missing file", (rc, "missing" in err and "(" in err), (3, True))
        with open(f"{d}/ok.csv", "w") as f:
            f.write("node_a,node_b,busbw_gbps\na,b,400\na,c,401\nb,c,399\n")
        rc, _, err = run(f"{d}/missing", f"{d}/ok.csv")
        check("the others are still read", (rc, "missing" in err), (0, True))
        check("nothing given", run()[0], 2)
        check("an unknown rule", run("--rule", "mean4", f"{d}/ok.csv")[0], 2)
        check("a size that is none", run("--size", "big", f"{d}/ok.csv")[0], 2)
        check("no such collective", run("--collective", "hug", f"{d}/ok.csv")[0], 2)
        rc, out, _ = run("-o", f"{d}/out.json", "--json", f"{d}/ok.csv")
        with open(f"{d}/out.json") as f:
            check("-o", json.load(f)["schema"], "hyperpod-perf/pairs/1")


def same(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return abs(a - b) <= 1e-6 * max(1, abs(b))
    return a == b


def corpus():
    if not os.path.isfile(f"{CORPUS}/expected.json"):
        print("cli_pairs.py: ../shared/corpus/nccl is not there: its values are not compared")
        return
    with open(f"{CORPUS}/expected.json") as f:
        expected = json.load(f)
    by_file = {}
    for e in expected:
        by_file.setdefault(e["file"], []).append(e)
    for name, wants in by_file.items():
        _, r = report(f"{CORPUS}/{name}")
        flat = [(run_, t) for run_ in r["runs"] for t in (run_["tables"] or [None])]
        merged = len(wants) != len(flat)
        for i, e in enumerate(wants):
            if i >= len(flat):
                check(f"{name}: table {i}", "missing", "there")
                continue
            run_, t = flat[i]
            e["tool"] = e["tool"].replace("rccl", "nccl")  # RCCL's is the same program
            pairs = [("tool", run_["tool"]), ("version", run_["version"]), ("collective", run_["collective"]),
                     ("collective_stated", run_["collective_stated"]), ("ranks", run_["ranks"]),
                     ("status", run_["status"])]
            if e["hosts"]:
                pairs.append(("hosts", run_["hosts"]))
            if not merged and t:
                pairs += [("dtype", t["dtype"]), ("redop", t["redop"]), ("rows", t["rows"]),
                          ("max_size_bytes", t["max_size_bytes"]),
                          ("busbw_at_max_out_of_place", t["busbw_oop"]),
                          ("busbw_at_max_in_place", t["busbw_ip"]), ("avg_busbw", t["avg_busbw"]),
                          ("wrong_total", t["wrong"])]
            for key, got in pairs:
                if (name[:3], key) not in UNDECIDED:
                    check(f"{name}: table {i}: {key}", got if not same(got, e[key]) else e[key], e[key])


places()
standard_input()
statuses()
corpus()
print(f"cli_pairs.py: {checks} checks, {failed} failed")
sys.exit(1 if failed else 0)
