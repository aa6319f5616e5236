#!/bin/bash
# What `hyperpod-perf plan` writes, read by shells and linters, and run against stand-ins.
# Usage: bash tests/e2e/plan_scripts.sh PROGRAM
set -u
program=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export XDG_CONFIG_HOME=$dir/config EVENTS=$dir/events KUBE_STATE=$dir/kube HANG='' WANT_EFA=32
failed=0
count=0

check() {
	local name=$1
	shift
	count=$((count + 1))
	"$@" >"$dir/check" 2>&1 || {
		echo "FAIL: $name"
		head -n 8 "$dir/check"
		failed=1
	}
}

plan() {
	"$program" plan --nodes 'gpu[1-6]' --strategy full --pair-timeout "${limit:-60}" \
		--min-size 512M --max-size 512M "$@" 2>/dev/null
}

# ---- stand-ins ----

mkdir -p "$dir/bin" "$dir/perf"
cp "$here/plan_fake_perf.sh" "$dir/perf/all_reduce_perf"
chmod +x "$dir/perf/all_reduce_perf"
# The last words of srun and mpirun are the program and its options.
cat >"$dir/bin/srun" <<'STANDIN'
#!/bin/bash
while [ "${1#-}" != "$1" ]; do
	case $1 in --nodelist=*) nodes=${1#*=} ;; esac
	shift
done
FAKE_A=${nodes%,*} FAKE_B=${nodes#*,} exec "$@"
STANDIN
cat >"$dir/bin/mpirun" <<'STANDIN'
#!/bin/bash
while [ "${1#/}" = "$1" ]; do
	[ "$1" = --host ] && hosts=$2
	shift
done
a=${hosts%,*} b=${hosts#*,}
FAKE_A=${a%:*} FAKE_B=${b%:*} exec "$@"
STANDIN
# Runs what it is given here, as if it were there.
cat >"$dir/bin/ssh" <<'STANDIN'
#!/bin/bash
while [ "${1#-}" != "$1" ]; do
	[ "$1" = -o ] && shift
	shift
done
shift
exec "$@"
STANDIN
cat >"$dir/perf/nccom-test" <<'STANDIN'
#!/bin/bash
while [ "$1" != --hosts ]; do shift; done
printf 'start %s %s\n' "$2" "$3" >>"$EVENTS"
echo "       size(B)    count(elems)    type    time:avg(us)    algbw(GB/s)    busbw(GB/s)"
echo "    1073741824       268435456    fp32           41806          25.68          50.56"
printf 'Avg bus bandwidth:\t50.5600GB/s\n'
printf 'end %s %s\n' "$2" "$3" >>"$EVENTS"
STANDIN
cp "$here/plan_kubectl.py" "$here/plan_fake_perf.sh" "$dir/bin/"
mv "$dir/bin/plan_kubectl.py" "$dir/bin/kubectl"
chmod +x "$dir/bin/"* "$dir/perf/"*
PATH=$dir/bin:$PATH

# ---- every kind of text ----

plan --instance-type p5.48xlarge --binary-dir "$dir/perf" --json -o "$dir/plan.json"
plan --instance-type p5.48xlarge --binary-dir "$dir/perf" -o "$dir/slurm.sh"
plan --instance-type p5.48xlarge --image /fsx/nccl.sqsh --partition dev --array -o "$dir/array.sh"
plan --binary-dir "$dir/perf" --runner mpi -o "$dir/mpi.sh"
plan --instance-type trn1.32xlarge --binary-dir "$dir/perf" --runner mpi -o "$dir/nccom.sh"
plan --instance-type trn2.48xlarge --binary-dir "$dir/perf" -o "$dir/nccom-slurm.sh"
plan --instance-type p5.48xlarge --runner k8s --namespace bench -o "$dir/k8s.sh"
"$program" plan --nodes 'gpu[1-6]' --suspects gpu2 --links gpu3:gpu4 -o "$dir/suspects.sh" 2>/dev/null
texts=()
for f in slurm array mpi nccom nccom-slurm k8s suspects; do
	check "$f.sh: bash reads it" bash -n "$dir/$f.sh"
	texts+=("$dir/$f.sh")
	check "$f.sh says that it was not run" grep -q 'runs none of it: run this yourself' "$dir/$f.sh"
	check "$f.sh says what it disturbs" grep -q '^# Blast radius: ' "$dir/$f.sh"
done
if command -v shellcheck >/dev/null; then
	check "shellcheck" shellcheck "${texts[@]}"
else
	echo "skip: shellcheck is not installed"
fi
check "an array of one round at a time" grep -qx '#SBATCH --array=1-5%1' "$dir/array.sh"
check "the partition" grep -qx '#SBATCH --partition=dev' "$dir/array.sh"

# ---- run ----

# run SCRIPT [ROUND...]: its exit status in $status; files under $dir/out.
run() {
	local script=$1
	shift
	rm -rf "$EVENTS" "$dir/out" "$KUBE_STATE"
	: >"$EVENTS"
	(cd "$dir" && OUT=out bash "$script" "$@" >"$dir/said" 2>&1 </dev/null)
	status=$?
}

logs() {
	find "$dir/out" -name '*.log' | wc -l
}

# known N: the reader of benchmark output finds N runs, each of a pair of the plan's nodes.
known() {
	"$program" pairs "$dir/out" --json -o "$dir/pairs.out" 2>&1
	python3 -c '
import json, sys
runs = json.load(open(sys.argv[1]))["runs"]
found = {tuple(sorted(run["hosts"])) for run in runs if run["status"] == "ok"}
nodes = {f"gpu{i}" for i in range(1, 7)}
assert len(found) == int(sys.argv[2]), found
assert all(len(hosts) == 2 and set(hosts) <= nodes for hosts in found), found
' "$dir/pairs.out" "$1"
}

export SLURM_JOB_ID=1
for f in slurm mpi nccom nccom-slurm; do
	# srun's stand-in gives one node's name where nccom-test is started from the first node.
	run "$f.sh"
	check "$f.sh: every pair has a result" test "$status" = 0
	check "$f.sh: its rounds" python3 "$here/plan_check.py" "$dir/plan.json" "$EVENTS"
	check "$f.sh: a file a pair" test "$(logs)" = 15
	check "$f.sh: the reader knows the pairs" known 15
	run "$f.sh" 4 2
	check "$f.sh: only some rounds" python3 "$here/plan_check.py" "$dir/plan.json" "$EVENTS" 4 2
	run "$f.sh" 6
	check "$f.sh: a round that is not there" test "$status" = 2
done
SLURM_ARRAY_TASK_ID=3 run slurm.sh
check "an array task is a round" python3 "$here/plan_check.py" "$dir/plan.json" "$EVENTS" 3
(unset SLURM_JOB_ID && cd "$dir" && bash slurm.sh >"$dir/said" 2>&1)
check "outside of a job it says how to submit it" grep -q 'submit it: sbatch' "$dir/said"

# A pair that hangs is ended by its timeout, and the rounds after it run.
limit=2
plan --instance-type p5.48xlarge --binary-dir "$dir/perf" -o "$dir/slurm.sh"
plan --instance-type p5.48xlarge --binary-dir "$dir/perf" --runner mpi -o "$dir/mpi.sh"
for f in slurm mpi; do
	HANG='gpu1 gpu3' run "$f.sh"
	check "$f.sh: says that a pair has no result" test "$status" = 1
	check "$f.sh: names it" grep -q 'gpu1 gpu3: not done after 2 s' "$dir/said"
	check "$f.sh: goes on" python3 "$here/plan_check.py" "$dir/plan.json" "$EVENTS"
	check "$f.sh: it was stopped" grep -qx 'stopped gpu1 gpu3' "$EVENTS"
done
unset limit

# Stopped by hand: what runs is ended.
rm -rf "$EVENTS" "$dir/out"
: >"$EVENTS"
plan --binary-dir "$dir/perf" --runner mpi -o "$dir/mpi.sh"
(cd "$dir" && HANG='gpu1 gpu3' OUT=out exec bash mpi.sh >"$dir/said" 2>&1) &
pid=$!
while ! grep -qx 'start gpu1 gpu3' "$EVENTS" && kill -0 $pid 2>/dev/null; do sleep 0.1; done
kill -TERM $pid
wait $pid
check "stopped: its exit status" test $? = 130
check "stopped: the pair was ended" grep -qx 'stopped gpu1 gpu3' "$EVENTS"

# ---- Kubernetes ----

if python3 -c 'import yaml' 2>/dev/null; then
	sed -i 's/^poll_s=5$/poll_s=1/' "$dir/k8s.sh"
	run k8s.sh 1 2
	check "k8s.sh: every pair has a result" test "$status" = 0
	check "k8s.sh: its rounds" python3 "$here/plan_check.py" "$dir/plan.json" "$EVENTS" 1 2
	check "k8s.sh: a file a pair" test "$(logs)" = 6
	check "k8s.sh: the reader knows the pairs" known 6
	# Worker 0 ran on the second node: the first Rank line is that node's.
	check "k8s.sh: nodes in place of pods" grep -qE 'Rank  0 .* on +gpu6 device' \
		"$dir/out/r0001/gpu1--gpu6.log"
	check "k8s.sh: no pod's name is left" sh -c \
		"! grep -r 'on .*pairwise-.*-worker-. device' '$dir/out'"
	check "k8s.sh: leaves no job behind" grep -q '"jobs": {}' "$KUBE_STATE"
	HANG='gpu1 gpu6' run k8s.sh 1
	check "k8s.sh: a job that failed is no result" test "$status" = 1
	check "k8s.sh: names it" grep -q 'gpu1 gpu6: no success' "$dir/said"
	MANIFESTS=1 run k8s.sh 1
	check "k8s.sh: manifests alone" python3 -c \
		'import sys, yaml; assert len(list(yaml.safe_load_all(open(sys.argv[1])))) == 3' "$dir/said"
	check "k8s.sh: which apply nothing" test ! -s "$EVENTS"
else
	echo "skip: Kubernetes manifests (python3-yaml is not installed)"
fi

# ---- refused ----

refuse() {
	local want=$1
	shift
	"$program" plan "$@" >"$dir/said" 2>&1
	check "plan $*: exit 2" test $? = 2
	check "plan $*: says $want" grep -qF -e "$want" "$dir/said"
}

refuse "which nodes?"
refuse "not a name that can stand in a script" --nodes 'a;reboot,b'
# shellcheck disable=SC2016
refuse "not a name that can stand in a script" --nodes 'a$(id),b'
refuse "not a name that can stand in a script" --nodes 'a--b,c'
refuse "not something that can stand in a script" --nodes 2 --dir "a'b"
refuse "not something that can stand in a script" --nodes 2 --image 'x y'
refuse "at least two" --nodes a
refuse "one of full, fast, suspects" --nodes 4 --strategy quick
refuse "one of slurm, mpi, k8s" --nodes 4 --runner pbs
refuse "add --instance-type" --nodes 4 --runner k8s
refuse "--runner mpi or slurm" --nodes 4 --runner k8s --instance-type trn1.32xlarge
refuse "nobody is suspected" --nodes 4 --strategy suspects
refuse "none of the nodes" --nodes 4 --suspects gpu9
refuse "wanted two nodes with a colon" --nodes 4 --links node-1
refuse "both ends are the same" --nodes 4 --links node-1:node-1
refuse "only with --strategy suspects" --nodes 4 --strategy full --suspects node-1
refuse "No such file" --from "$dir/none"
refuse "from 2 to 16384" --nodes 1
refuse "--min-size" --nodes 4 --min-size 8G --max-size 1G

# ---- sources and files ----

printf '%s' '{"schema":"hyperpod-perf/pairs/1","pairs":[{"a":"g1","b":"g2"},{"a":"g3","b":"g4"}],
"diagnosis":{"suspect_nodes":["g2"],"suspect_links":[["g3","g4"]],"transient_pairs":[],
"untested":["g5"]}}' >"$dir/pairs.json"
"$program" plan --from "$dir/pairs.json" --json -o "$dir/from.json" 2>/dev/null
check "--from: suspects, links and untested nodes" python3 -c '
import json, sys
plan = json.load(open(sys.argv[1]))
pairs = [tuple(p) for r in plan["rounds"] for p in r]
assert plan["strategy"] == "suspects", plan["strategy"]
assert plan["busy"] == [] and plan["left_out"] == [] and plan["busy_known"] == "unknown", plan
assert sorted(plan["nodes"]) == ["g1", "g2", "g3", "g4", "g5"], plan["nodes"]
assert pairs.count(("g3", "g4")) >= 2, pairs
assert ("g1", "g2") in pairs and ("g1", "g5") in pairs, pairs
' "$dir/from.json"
"$program" plan --demo --busy-nodes warn --json -o "$dir/demo.json" 2>"$dir/said"
check "--demo: says who runs a job" grep -q 'in the plan, but run a job' "$dir/said"
check "--demo: says who was not read" grep -q 'left out, could not be read' "$dir/said"
check "--demo: busy nodes are seen, the type is known" python3 -c '
import json, sys
plan = json.load(open(sys.argv[1]))
assert plan["busy_known"] == "seen" and plan["busy"], plan
assert plan["instance_type"] == "p5.48xlarge", plan["instance_type"]
assert plan["n_nodes"] == len(plan["nodes"]) > 20
assert set(plan["busy"]) <= set(plan["nodes"]) and plan["left_out"] == ["ip-10-1-3-45"], plan
' "$dir/demo.json"
refuse "--busy-nodes warn" --demo

[ $failed = 0 ] && echo "ok - plan_scripts: $count checks"
exit $failed
