"""Simulated pairwise sweeps with known faults, for attribution.py.

A cluster is leaves of nodes, spines of leaves, one or two AZs. A reading is what the slower
node of the pair reaches, times what the path between them leaves of it, times noise; now and then
a reading is disturbed and says nothing about anyone.

A case is a directory with pairs.csv, nodes.csv and truth.json, as pairsim.py writes them.
"""
import csv
import json
import math
import os
import random
import shutil

SCENARIOS = ["healthy", "one_slow", "few_slow", "mild_slow", "majority_ok", "one_link", "cross_az",
             "az_and_link", "cross_spine", "spine_and_slow", "slow_leaf", "mixed_type",
             "cross_leaf", "slow_and_link"]
FAST, OLD = ("p5.48xlarge", 390.0), ("p4d.24xlarge", 75.0)


class Cluster:
    def __init__(self, rng, n, scenario):
        self.n, self.rng = n, rng
        self.leaf_size = 2 if n < 16 else rng.choice([4, 8]) if n < 64 else rng.choice([8, 16])
        self.leaf = [i // self.leaf_size for i in range(n)]
        self.spine = [leaf // 2 for leaf in self.leaf]
        self.az = [0] * n
        self.old = set()
        self.slow, self.links, self.bad_leaf = {}, {}, None
        self.loss = {}  # by level: what crossing it leaves
        self.topology = "none"
        self.break_it(scenario)

    def pick(self, k):
        return self.rng.sample(range(self.n), k)

    def break_it(self, scenario):
        rng, n = self.rng, self.n
        if scenario in ("one_slow", "spine_and_slow", "slow_and_link"):
            self.slow = {i: rng.uniform(.5, .9) for i in self.pick(1)}
        elif scenario == "few_slow":
            self.slow = {i: rng.uniform(.5, .92) for i in self.pick(max(2, n // 16))}
        elif scenario == "mild_slow":
            self.slow = {i: rng.uniform(.93, .96) for i in self.pick(1)}
        elif scenario == "majority_ok":
            self.slow = {i: rng.uniform(.55, .88) for i in self.pick(max(2, int(n * .3)))}
        if scenario in ("one_link", "az_and_link", "slow_and_link"):
            free = [i for i in range(n) if i not in self.slow]
            self.links = {tuple(sorted(rng.sample(free, 2))): rng.uniform(.4, .85)}
        if scenario in ("cross_az", "az_and_link"):
            cut = n - max(2, n // 3)
            self.az = [int(i >= cut) for i in range(n)]
            self.lose("az", .55, .88)
        elif scenario in ("cross_spine", "spine_and_slow"):
            self.lose("spine", .8, .93)
        elif scenario == "cross_leaf":
            self.lose("leaf", .8, .93)
        elif scenario == "slow_leaf":
            self.bad_leaf = self.leaf[self.pick(1)[0]]
            self.topology, self.loss["uplink"] = "leaf", rng.uniform(.55, .88)
        elif scenario == "mixed_type":
            self.old = set(self.pick(max(2, n // 4)))
            self.topology = "instance_type"

    def lose(self, level, lo, hi):
        self.topology, self.loss[level] = level, self.rng.uniform(lo, hi)

    def true_busbw(self, a, b):
        v = OLD[1] if a in self.old or b in self.old else FAST[1]
        v *= min(self.slow.get(a, 1), self.slow.get(b, 1)) * self.links.get((a, b), 1)
        for level, group in (("az", self.az), ("spine", self.spine), ("leaf", self.leaf)):
            if group[a] != group[b]:
                v *= self.loss.get(level, 1)
        if (self.leaf[a] == self.bad_leaf) != (self.leaf[b] == self.bad_leaf):
            v *= self.loss["uplink"]
        return v

    def names(self):
        return [f"ip-10-7-{i // 250}-{i % 250}" for i in range(self.n)]


def write_case(out, names, cluster, rows, scenario):
    os.makedirs(out, exist_ok=True)
    with open(f"{out}/pairs.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["node_a", "node_b", "busbw_gbps"])
        w.writerows(rows)
    with open(f"{out}/nodes.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["node", "az", "spine", "leaf", "ultraserver", "instance_type"])
        for i, name in enumerate(names):
            w.writerow([name, f"euw1-az{cluster.az[i] + 1}", f"spine-{cluster.spine[i]}",
                        f"leaf-{cluster.leaf[i]}", "", (OLD if i in cluster.old else FAST)[0]])
    truth = dict(scenario=scenario, suspect_nodes=sorted(names[i] for i in cluster.slow),
                 suspect_links=[sorted((names[a], names[b])) for a, b in cluster.links],
                 topology=cluster.topology)
    with open(f"{out}/truth.json", "w") as f:
        json.dump(truth, f, indent=1)


def make(out, seed, n, scenario, coverage, noise, repeats=3):
    rng = random.Random(f"sweep {seed} {n} {scenario} {coverage}")
    c = Cluster(rng, n, scenario)
    names, rows = c.names(), []
    for a in range(n):
        for b in range(a + 1, n):
            if rng.random() >= coverage and (a, b) not in c.links:
                continue
            v = c.true_busbw(a, b)
            for _ in range(repeats):
                u = v * math.exp(rng.gauss(0, noise))
                if rng.random() < .003:
                    u *= rng.uniform(.3, .9)
                rows.append((names[a], names[b], f"{u:.2f}"))
    rng.shuffle(rows)
    write_case(out, names, c, rows, scenario)


def suite(out, seed, sizes, coverages=(1.0, .35)):
    k = 0
    for n in sizes:
        for scenario in SCENARIOS:
            for noise in (.01, .015, .02):
                for coverage in coverages:
                    share = coverage if n > 16 else 1.0
                    make(f"{out}/{k:04d}-{n}-{scenario}-{int(100 * coverage)}",
                         f"{seed} {noise}", n, scenario, share, noise)
                    k += 1


def rounds_of(n, rounds, seed):
    """Pairs of some rounds of a round-robin tournament, everyone in one pair a round."""
    order = list(range(n + n % 2))
    rng = random.Random(f"rounds {seed}")
    rng.shuffle(order)
    keep = set()
    m = len(order)
    for r in rng.sample(range(m - 1), rounds):
        ring = order[1:]
        ring = ring[r:] + ring[:r]
        table = [order[0]] + ring
        for k in range(m // 2):
            keep.add(frozenset((table[k], table[m - 1 - k])))
    return keep


def thin(src, out, rounds, single):
    """A case with only some rounds (0: all) and, if single, one reading a pair."""
    os.makedirs(out, exist_ok=True)
    with open(f"{src}/pairs.csv") as f:
        rows = list(csv.reader(f))
    with open(f"{src}/nodes.csv") as f:
        names = [r[0] for r in list(csv.reader(f))[1:]]
    with open(f"{src}/truth.json") as f:
        truth = json.load(f)
    index = {name: i for i, name in enumerate(names)}
    keep = rounds_of(len(names), rounds, os.path.basename(src)) if rounds else None
    seen, kept = set(), [rows[0]]
    for a, b, v in rows[1:]:
        pair = frozenset((index[a], index[b]))
        if (keep is not None and pair not in keep) or (single and pair in seen):
            continue
        seen.add(pair)
        kept.append((a, b, v))
    # What was not measured cannot be found.
    truth["suspect_links"] = [p for p in truth["suspect_links"]
                              if frozenset((index[p[0]], index[p[1]])) in seen]
    truth["single"] = single
    with open(f"{out}/pairs.csv", "w", newline="") as f:
        csv.writer(f).writerows(kept)
    shutil.copyfile(f"{src}/nodes.csv", f"{out}/nodes.csv")
    with open(f"{out}/truth.json", "w") as f:
        json.dump(truth, f, indent=1)
