
# ---- pairs, side by side ----

failed=0

# One pair, in a process of its own. $1 round, $2 $3 nodes, $4 file.
measure() {
	local log=$4 rc pid
	command_of "$2" "$3"
	# Behind what an earlier run left there: both are read.
	printf '+ %s\n' "${command[*]}" >>"$log"
	timeout --kill-after=30 "$limit_s" "${command[@]}" >>"$log" 2>&1 </dev/null &
	pid=$!
	trap 'kill -TERM "$pid" 2>/dev/null' TERM
	wait "$pid"
	rc=$?
	case $rc in
	0) return 0 ;;
	124 | 137)
		echo "# ended by the plan: not done after $limit_s s" >>"$log"
		echo "round $1: $2 $3: not done after $limit_s s, ended; see $log" >&2
		;;
	*) echo "round $1: $2 $3: exit status $rc; see $log" >&2 ;;
	esac
	return "$rc"
}

# All pairs of the round at once, no node twice; the next round waits for the last of them.
run_round() {
	local a b dir pid pids=()
	dir=$(dir_of "$1")
	while read -r a b; do
		measure "$1" "$a" "$b" "$dir/$a--$b.log" &
		pids+=("$!")
	done < <(pairs_of "$1")
	for pid in "${pids[@]}"; do
		wait "$pid" || failed=$((failed + 1))
	done
}

stop() {
	local pids
	trap - INT TERM
	mapfile -t pids < <(jobs -p)
	echo "stopped: ending ${#pids[@]} pairs" >&2
	[ ${#pids[@]} -eq 0 ] || kill -TERM "${pids[@]}" 2>/dev/null
	wait
	exit 130
}
trap stop INT TERM
