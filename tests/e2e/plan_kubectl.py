#!/usr/bin/env python3
"""Stands in for kubectl: keeps the MPIJobs that are applied in $KUBE_STATE and plays their pods.

Worker 0 is put on the second node of a pair, so that only who asks for the pods' nodes gets
the names right. Jobs of the nodes in $HANG fail; the others succeed at the second look.
"""
import json
import os
import sys
import subprocess

STATE = os.environ["KUBE_STATE"]


def load():
    return json.load(open(STATE)) if os.path.exists(STATE) else {"jobs": {}, "looks": 0}


def save(state):
    json.dump(state, open(STATE, "w"))


def event(what, job):
    with open(os.environ["EVENTS"], "a") as f:
        f.write(f"{what} {job['nodes'][0]} {job['nodes'][1]}\n")


def check(doc):
    """What the operator's schema and the scheduler would need of the manifest."""
    assert doc["apiVersion"] == "kubeflow.org/v2beta1" and doc["kind"] == "MPIJob"
    spec = doc["spec"]
    assert spec["runPolicy"]["activeDeadlineSeconds"] > 0
    assert spec["runPolicy"]["cleanPodPolicy"] == "None"
    worker = spec["mpiReplicaSpecs"]["Worker"]
    pod = worker["template"]["spec"]
    assert worker["replicas"] == 2
    limits = pod["containers"][0]["resources"]["limits"]
    assert limits == pod["containers"][0]["resources"]["requests"]
    assert limits["nvidia.com/gpu"] == spec["slotsPerWorker"] == 8
    assert limits["vpc.amazonaws.com/efa"] == int(os.environ["WANT_EFA"])
    command = spec["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]["command"]
    assert all(isinstance(word, str) for word in command), command
    assert command[command.index("-np") + 1] == "16"
    affinity = pod["affinity"]
    terms = affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    nodes = []
    for term in terms["nodeSelectorTerms"]:
        (field,) = term["matchFields"]
        assert field["key"] == "metadata.name" and field["operator"] == "In"
        (node,) = field["values"]  # the API takes one value here
        nodes.append(node)
    anti = affinity["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0]
    labels = worker["template"]["metadata"]["labels"]
    assert anti["labelSelector"]["matchLabels"].items() <= labels.items()
    return nodes


def apply(state):
    import yaml

    for doc in yaml.safe_load_all(sys.stdin):
        name = doc["metadata"]["name"]
        assert name not in state["jobs"], f"{name} is there already"
        job = {"nodes": check(doc), "round": doc["metadata"]["labels"]["hyperpod-perf/round"]}
        state["jobs"][name] = job
        event("start", job)
    state["looks"] = 0


def selector(args):
    return dict(part.split("=") for part in args[args.index("--selector") + 1].split(","))


def get_jobs(state, args):
    state["looks"] += 1
    for name, job in state["jobs"].items():
        if job["round"] != selector(args)["hyperpod-perf/round"]:
            continue
        hung = " ".join(job["nodes"]) == os.environ.get("HANG")
        end = (" Running", " Failed" if hung else " Succeeded")[state["looks"] > 1]
        print(f"{name} Created{end}")


def get_pods(args):
    name = selector(args)["training.kubeflow.org/job-name"]
    nodes = load()["jobs"][name]["nodes"]
    print(f"{name}-worker-0 {nodes[1]}\n{name}-worker-1 {nodes[0]}")


def logs(args):
    name = selector(args)["training.kubeflow.org/job-name"]
    fake = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plan_fake_perf.sh")
    env = dict(os.environ, FAKE_A=f"{name}-worker-0", FAKE_B=f"{name}-worker-1", HANG="",
               EVENTS=os.devnull)
    for line in subprocess.run(["bash", fake], env=env, check=True, capture_output=True,
                               text=True).stdout.splitlines():
        print(f"[1,0]<stdout>:{line}")


def delete(state, args):
    for name in [n for n, j in state["jobs"].items()
                 if j["round"] == selector(args)["hyperpod-perf/round"]]:
        event("end", state["jobs"].pop(name))


def main():
    args = sys.argv[1:]
    assert args[:2] == ["--namespace", "bench"], args
    args = args[2:]
    state = load()
    if args[0] == "apply":
        apply(state)
    elif args[:2] == ["get", "mpijobs"]:
        get_jobs(state, args)
    elif args[:2] == ["get", "pods"]:
        get_pods(args)
    elif args[0] == "logs":
        logs(args)
    elif args[:2] == ["delete", "mpijobs"]:
        delete(state, args)
    else:
        sys.exit(f"kubectl stand-in: {args}")
    save(state)


main()
