
# ---- main ----

pairs_of() {
	plan | awk -v round="$1" '$1 == round { print $2, $3 }'
}

# Where the files of a round are: the names in a file's name say which nodes were measured.
dir_of() {
	printf '%s/r%04d' "$out" "$1"
}

usage() {
	echo "usage: $0 [ROUND...]   (of 1 to $rounds; without any: all, one after the other)" >&2
	exit 2
}

main() {
	local todo=("$@") round
	if [ ${#todo[@]} -eq 0 ] && [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
		todo=("$SLURM_ARRAY_TASK_ID")
	fi
	[ ${#todo[@]} -gt 0 ] || mapfile -t todo < <(seq "$rounds")
	for round in "${todo[@]}"; do
		if ! [[ $round =~ ^[1-9][0-9]{0,4}$ ]] || [ "$round" -gt "$rounds" ]; then
			usage
		fi
	done
	prepare "${todo[@]}"
	for round in "${todo[@]}"; do
		mkdir -p "$(dir_of "$round")" || exit 1
		echo "round $round of $rounds: $(pairs_of "$round" | wc -l) pairs at once"
		run_round "$round"
	done
	echo "done: ${#todo[@]} rounds, $failed pairs without a result; now: hyperpod-perf pairs $out"
	[ "$failed" -eq 0 ]
}

main "$@"
