#!/usr/bin/env python3
"""Scores the attribution on simulated pairwise sweeps with known faults.

  attribution.py DRIVER [--seeds 1,2,3] [--sizes 8,32,128] [--own] [--no-time] [--wrong]
  attribution.py DRIVER --quick        what `make test` runs: fixed seeds, thresholds

DRIVER is build/.../tests/bench/attribution. Sweeps come from ../shared/bench/pairsim.py where
it is there, else (and with --own) from the simulator in sweepsim.py. Seeds that are not
given are made from the date, so that no seed is one the code was developed with.
"""
import argparse
import collections
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile

import sweepsim

PAIRSIM = "../shared/bench/pairsim.py"
SIMPLE = ["mean5", "median10", "median20", "max93"]
QUICK_SEEDS = [9101, 9102, 9103]
QUICK_ALL, QUICK_EACH = 0.95, 0.80


def diagnose(driver, dirs):
    out = {}
    for i in range(0, len(dirs), 50):
        r = subprocess.run([driver] + dirs[i:i + 50], capture_output=True, text=True)
        if r.returncode:
            sys.exit(f"attribution: {driver}: status {r.returncode}: {r.stderr.strip()}")
        for line in r.stdout.splitlines():
            v = json.loads(line)
            out[v["dir"]] = v
    return out


def links(pairs):
    return {tuple(sorted(p)) for p in pairs}


class Tally:
    def __init__(self):
        self.cases = self.exact = self.topology = self.tp = self.fp = self.fn = 0
        self.simple = collections.Counter()
        self.wrong = []

    def add(self, d, truth, diagnosis):
        nodes, want = set(diagnosis["suspect_nodes"]), set(truth["suspect_nodes"])
        found, want_links = links(diagnosis["suspect_links"]), links(truth["suspect_links"])
        if truth.get("single"):
            # One reading cannot tell a link from a disturbance: asking for another one is right.
            found |= links(diagnosis["retest"]) & want_links
        topology = diagnosis["topology"] == truth["topology"]
        exact = nodes == want and found == want_links and topology
        self.cases += 1
        self.exact += exact
        self.topology += topology
        self.tp += len(nodes & want) + len(found & want_links)
        self.fp += len(nodes - want) + len(found - want_links)
        self.fn += len(want - nodes) + len(want_links - found)
        for rule in SIMPLE:
            # A simple rule knows nodes only: exact when nothing else was to be found.
            self.simple[rule] += (set(diagnosis[rule]) == want and not want_links
                                  and truth["topology"] == "none")
        if not exact:
            self.wrong.append((d, diagnosis["topology"], truth["topology"], sorted(nodes ^ want),
                               sorted(found ^ want_links)))

    def merge(self, other):
        for k in ("cases", "exact", "topology", "tp", "fp", "fn"):
            setattr(self, k, getattr(self, k) + getattr(other, k))
        self.simple += other.simple
        self.wrong += other.wrong

    def share(self):
        return self.exact / self.cases if self.cases else 0

    def row(self, name):
        pct = lambda a, b: f"{100 * a / b:7.1f}" if b else "      -"
        return (f"{name:<16}{self.cases:6}{pct(self.exact, self.cases)}"
                f"{pct(self.tp, self.tp + self.fp)}{pct(self.tp, self.tp + self.fn)}"
                f"{pct(self.topology, self.cases)}"
                + "".join(f"{100 * self.simple[r] / self.cases:9.1f}" for r in SIMPLE))


HEAD = ("scenario         cases  exact   prec.  recall  topol.    mean5 median10 median20    max93"
        "   (% exact)")


class Confidence:
    """How sure the right blames are, and the wrong ones."""

    def __init__(self):
        self.right, self.wrong = [], []

    def add(self, truth, diagnosis):
        for what, key, want in (("suspect_nodes", "node_confidence", set(truth["suspect_nodes"])),
                                ("suspect_links", "link_confidence",
                                 links(truth["suspect_links"]))):
            for who, sure in zip(diagnosis[what], diagnosis[key]):
                who = who if isinstance(who, str) else tuple(sorted(who))
                (self.right if who in want else self.wrong).append(sure)

    def __str__(self):
        mean = lambda v: f"{sum(v) / len(v):.3f} ({len(v)})" if v else "none"
        return f"mean confidence of right blames {mean(self.right)}, of wrong ones {mean(self.wrong)}"


def score(driver, dirs, confidence):
    tallies = {}
    diagnoses = diagnose(driver, dirs)
    for d in dirs:
        with open(f"{d}/truth.json") as f:
            truth = json.load(f)
        tallies.setdefault(truth["scenario"], Tally()).add(d, truth, diagnoses[d])
        confidence.add(truth, diagnoses[d])
    return tallies


def report(title, tallies, show_wrong):
    total = Tally()
    print(f"\n{title}\n{HEAD}")
    for name in sorted(tallies):
        print(tallies[name].row(name))
        total.merge(tallies[name])
    print(total.row("all"))
    if show_wrong:
        for w in total.wrong:
            print("  wrong:", *w)
    return total


def make_suite(out, seed, sizes, own):
    """Every scenario at every size and coverage; directories of the cases."""
    if own:
        sweepsim.suite(out, seed, sizes)
    else:
        subprocess.run([sys.executable, PAIRSIM, "suite", out, "--seed", str(seed), "--nodes",
                        ",".join(map(str, sizes))], check=True, stdout=subprocess.DEVNULL)
    return sorted(os.path.join(out, d) for d in os.listdir(out))


def merge(into, tallies):
    for k, t in tallies.items():
        into.setdefault(k, Tally()).merge(t)


def thinned(dirs, out, rounds, single):
    """The same sweeps with fewer rounds or one reading a pair."""
    made = []
    for d in dirs:
        to = os.path.join(out, os.path.basename(d))
        sweepsim.thin(d, to, rounds, single)
        made.append(to)
    return made


def full_only(dirs):
    return [d for d in dirs if d.endswith("-100")]


def bench(args, work):
    own = args.own or not os.path.exists(PAIRSIM)
    sure = Confidence()
    by_size = {n: {} for n in args.sizes}
    extra = collections.OrderedDict()

    print(f"attribution: seeds {','.join(map(str, args.seeds))}, sweeps by "
          f"{'tests/bench/sweepsim.py' if own else PAIRSIM}")
    for seed in args.seeds:
        for n in args.sizes:
            out = os.path.join(work, f"{seed}-{n}")
            dirs = make_suite(out, seed, [n], own)
            merge(by_size[n], score(args.driver, dirs, sure))
            single = thinned(full_only(dirs), out + "-single", 0, True)
            merge(extra.setdefault(f"{n} nodes, one reading a pair", {}),
                  score(args.driver, single, sure))
        out = os.path.join(work, f"{seed}-64")
        dirs = full_only(make_suite(out, seed, [64], own))
        for title, single in (("64 nodes, 7 of 63 rounds", False),
                              ("64 nodes, 7 of 63 rounds, one reading a pair", True)):
            some = thinned(dirs, f"{out}-{single}", 7, single)
            merge(extra.setdefault(title, {}), score(args.driver, some, sure))
    everything = {}
    for n in args.sizes:
        report(f"{n} nodes", by_size[n], args.wrong)
        merge(everything, by_size[n])
    report("all sizes", everything, False)
    for title, tallies in extra.items():
        report(title, tallies, args.wrong)
    print(f"\n{sure}")
    if not args.no_time:
        print()
        subprocess.run([args.driver, "--time", "1024", "1", "3"], check=True)
    return 0


def quick(args, work):
    tallies, total = {}, Tally()
    for seed in QUICK_SEEDS:
        dirs = make_suite(os.path.join(work, str(seed)), seed, [8, 32], True)
        merge(tallies, score(args.driver, dirs, Confidence()))
    for t in tallies.values():
        total.merge(t)
    low = [f"{k} {100 * t.share():.0f} %" for k, t in tallies.items() if t.share() < QUICK_EACH]
    print(f"attribution: {total.exact} of {total.cases} simulated sweeps exact "
          f"({100 * total.share():.1f} %)")
    if total.share() < QUICK_ALL or low:
        report("quick", tallies, True)
        print(f"attribution: FAILED: below {100 * QUICK_ALL:.0f} % over all, or a scenario below "
              f"{100 * QUICK_EACH:.0f} %: {', '.join(low) or 'none'}")
        return 1
    return 0


def fresh_seeds():
    day = datetime.date.today().toordinal()
    return [day * 10 + k for k in range(3)]


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda s: [int(x) for x in s.split(",")]
    p.add_argument("driver")
    p.add_argument("--seeds", type=numbers, default=fresh_seeds())
    p.add_argument("--sizes", type=numbers, default=[8, 32, 128])
    p.add_argument("--own", action="store_true")
    p.add_argument("--no-time", action="store_true")
    p.add_argument("--wrong", action="store_true", help="list the cases that were not exact")
    p.add_argument("--quick", action="store_true")
    p.add_argument("--keep", help="leave the sweeps in this directory")
    args = p.parse_args()
    work = args.keep or tempfile.mkdtemp(prefix="attribution-")
    try:
        return quick(args, work) if args.quick else bench(args, work)
    finally:
        if not args.keep:
            shutil.rmtree(work)


if __name__ == "__main__":
    sys.exit(main())
