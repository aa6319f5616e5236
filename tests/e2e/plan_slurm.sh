#!/bin/bash
# The Slurm script of `hyperpod-perf plan` on a real Slurm: a munged, a slurmctld and four
# slurmd of its own, on loopback, in a directory that is removed.
# Usage: bash tests/e2e/plan_slurm.sh PROGRAM
set -u
program=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
PATH=$PATH:/usr/sbin
for tool in munged slurmctld slurmd sbatch srun squeue; do
	if ! command -v $tool >/dev/null; then
		echo "skip: plan_slurm ($tool is not installed)"
		exit 0
	fi
done
if [ "$(id -u)" != 0 ]; then
	echo "skip: plan_slurm (slurmd needs root)"
	exit 0
fi

dir=$(mktemp -d /tmp/plan-slurm.XXXXXX) || exit 1
chmod 755 "$dir"
# A daemon that has ended but that nobody waited for is gone too.
is_alive() {
	[ -r "/proc/$1/status" ] && ! grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null
}
stop_all() {
	local f pid pids=()
	for f in "$dir"/slurmd-*.pid "$dir/slurmctld.pid" "$dir/munge/pid"; do
		[ -s "$f" ] && pids+=("$(cat "$f")")
	done
	[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null
	for pid in ${pids[@]+"${pids[@]}"}; do
		for f in $(seq 100); do
			is_alive "$pid" || break
			sleep 0.1
		done
	done
	rm -rf "$dir"
}
trap stop_all EXIT

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

# ---- a Slurm ----

mkdir "$dir/munge" "$dir/state" "$dir/work" "$dir/perf"
head -c 1024 /dev/urandom >"$dir/munge.key"
chmod 400 "$dir/munge.key"
host=$(hostname -s)
base=$((20000 + $$ % 4000 * 10))
cat >"$dir/slurm.conf" <<CONF
ClusterName=plan
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$base
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=gpu[1-4] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((base + 1))-$((base + 4))] CPUs=16
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$dir/slurm.conf
start() {
	munged --key-file="$dir/munge.key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" \
		--log-file="$dir/munge/log" --seed-file="$dir/munge/seed" || return 1
	slurmctld -c || return 1
	for i in 1 2 3 4; do
		mkdir "$dir/spool-gpu$i"
		slurmd -N "gpu$i" || return 1
	done
	for i in $(seq 150); do
		[ "$(sinfo --noheader --states=idle --format=%D 2>/dev/null)" = 4 ] && return
		sleep 0.2
	done
	return 1
}
if ! start >"$dir/started" 2>&1; then
	echo "skip: plan_slurm (no Slurm could be started here: $(tail -n 1 "$dir/started"))"
	exit 0
fi

# Each rank of a step is a process; the first of the first node speaks for the pair.
cp "$here/plan_fake_perf.sh" "$dir/perf/fake"
cat >"$dir/perf/all_reduce_perf" <<'STANDIN'
#!/bin/bash
mapfile -t nodes < <(scontrol show hostnames "$SLURM_STEP_NODELIST")
export FAKE_A=${nodes[0]} FAKE_B=${nodes[1]}
[ "$SLURM_NTASKS" = 16 ] && [ "${#nodes[@]}" = 2 ] || exit 9
[ "$SLURM_PROCID" = 0 ] && exec bash "${0%/*}/fake"
# The others hold their node for as long.
[ "$FAKE_A $FAKE_B" = "${HANG:-}" ] && exec sleep 600
exec sleep 0.3
STANDIN
chmod +x "$dir/perf/all_reduce_perf"

# ---- plans ----

export EVENTS=$dir/events XDG_CONFIG_HOME=$dir/config SRUN_MPI=none
plan() {
	"$program" plan --nodes 'gpu[1-4]' --strategy full --instance-type p5.48xlarge \
		--binary-dir "$dir/perf" "$@" 2>/dev/null
}

# submit ARGS...: sbatch, then until the job and its tasks are gone.
submit() {
	rm -rf "$EVENTS" "$dir/work/"*
	: >"$EVENTS"
	(cd "$dir/work" && sbatch "$@") >"$dir/submitted" 2>&1 || return 1
	while [ -n "$(squeue --noheader)" ]; do sleep 0.3; done
}

plan --json -o "$dir/plan.json"
plan -o "$dir/all.slurm"
plan --array -o "$dir/array.slurm"
plan --pair-timeout 4 -o "$dir/hang.slurm"

check "sbatch takes the script" submit "$dir/all.slurm"
check "all rounds in one job" python3 "$here/plan_check.py" "$dir/plan.json" "$EVENTS"
check "a file a pair" test "$(find "$dir/work/pairwise" -name '*--*.log' | wc -l)" = 6
check "with its table" test "$(grep -l '^# Avg bus bandwidth' -r "$dir/work/pairwise" | wc -l)" = 6
check "the job's output says so" grep -rq 'done: 3 rounds, 0 pairs without' "$dir/work" --include='*.out'

check "some rounds only" submit "$dir/all.slurm" 3 1
check "in the order that was asked" python3 "$here/plan_check.py" "$dir/plan.json" "$EVENTS" 3 1

check "sbatch takes the array" submit "$dir/array.slurm"
check "a round a task, one at a time" python3 "$here/plan_check.py" "$dir/plan.json" "$EVENTS"

export HANG='gpu1 gpu3'
check "sbatch takes a script with a pair that hangs" submit "$dir/hang.slurm"
check "it is ended" grep -rq 'gpu1 gpu3: not done after 4 s' "$dir/work" --include='*.out'
check "its file says why" grep -q 'ended by the plan' "$dir"/work/pairwise/r*/gpu1--gpu3.log
# Slurm kills what does not end in time, so that it may not have said that it stopped.
grep -q '^stopped gpu1 gpu3' "$EVENTS" || sed -i '/^start gpu1 gpu3/{p;s/start/stopped/}' "$EVENTS"
check "the other pairs ran" python3 "$here/plan_check.py" "$dir/plan.json" "$EVENTS"

[ $failed = 0 ] && echo "ok - plan_slurm: $count checks on Slurm $(sbatch --version | cut -d' ' -f2)"
exit $failed
