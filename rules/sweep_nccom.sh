
# ---- nccom-test (Neuron), from the first node of each pair over ssh to both ----


prepare() {
	program=${binary_dir:-/opt/aws/neuron/bin}/nccom-test
	if [ "$runner" = slurm ] && [ -z "${SLURM_JOB_ID:-}" ]; then
		echo "$0: not in a Slurm job (submit it: sbatch $0)" >&2
		exit 2
	fi
}

# The root of the communicator is told by address.
command_of() {
	local address run
	address=$(getent ahostsv4 "$1" | awk 'NR == 1 { print $1 }')
	run=(env FI_PROVIDER=efa FI_EFA_USE_DEVICE_RDMA=1 FI_EFA_FORK_SAFE=1
		NEURON_RT_ROOT_COMM_ID="${address:-$1}:45654"
		"$program" "${test_options[@]}" --hosts "$1" "$2")
	if [ "$runner" = slurm ]; then
		command=(srun --nodes=1 --ntasks=1 --nodelist="$1" --cpu-bind=none
			--time=$(((limit_s + 59) / 60 + 1)) "${run[@]}")
	else
		# What runs there is ended there too, when the connection is gone.
		command=(ssh -n -o BatchMode=yes "$1" timeout --kill-after=30 "$limit_s" "${run[@]}")
	fi
}
