
# ---- Slurm ----

prepare() {
	if [ -z "${SLURM_JOB_ID:-}" ]; then
		echo "$0: not in a Slurm job (submit it: sbatch $0)" >&2
		exit 2
	fi
	find_program
	container=()
	if [ -n "$image" ]; then
		container=(--container-image="$image" --container-mounts=/dev/infiniband:/dev/infiniband)
	fi
}

# The step's own limit ends it also where srun itself had to be killed.
command_of() {
	command=(srun --nodes=2 --nodelist="$1,$2" --ntasks=$((2 * gpus)) --ntasks-per-node="$gpus"
		--mpi="$mpi" --cpu-bind=none --kill-on-bad-exit=1 --time=$(((limit_s + 59) / 60 + 1))
		${container[@]+"${container[@]}"} "$program" "${test_options[@]}")
}
