"""Checks the events of a sweep that was run against its plan (plan --json).

Usage: plan_check.py PLAN.json EVENTS [ROUND...]   (all rounds unless some are named)
"""
import json
import sys


def main():
    plan = json.load(open(sys.argv[1]))
    events = [line.split() for line in open(sys.argv[2])]
    wanted = [int(r) for r in sys.argv[3:]] or list(range(1, len(plan["rounds"]) + 1))
    round_of = {}
    for number in wanted:
        nodes = [node for pair in plan["rounds"][number - 1] for node in pair]
        assert len(nodes) == len(set(nodes)), f"round {number} has a node twice"
        for a, b in plan["rounds"][number - 1]:
            assert (a, b) not in round_of, f"{a} {b} is in two rounds"
            round_of[a, b] = number
    started, open_pairs, order = set(), {}, []
    for what, a, b in events:
        assert (a, b) in round_of, f"{a} {b} ran, but is not in the plan"
        if what != "start":
            del open_pairs[a, b]
            continue
        assert (a, b) not in started, f"{a} {b} ran twice"
        for other in open_pairs:
            assert not {a, b} & set(other), f"{a} {b} and {other} at the same time"
            assert round_of[other] == round_of[a, b], f"{a} {b} began in another round's time"
        started.add((a, b))
        open_pairs[a, b] = True
        order.append(round_of[a, b])
    assert not open_pairs, f"never ended: {sorted(open_pairs)}"
    missing = sorted(set(round_of) - started)
    assert not missing, f"did not run: {missing}"
    assert order == sorted(order, key=wanted.index), f"rounds out of order: {order}"
    print(f"{len(started)} pairs in {len(wanted)} rounds")


main()
