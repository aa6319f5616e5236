
# ---- Open MPI over ssh ----

prepare() {
	find_program
	if [ -z "$mpirun" ]; then
		mpirun=$(command -v /opt/amazon/openmpi/bin/mpirun mpirun | head -n 1)
	fi
	if [ -z "$mpirun" ]; then
		echo "$0: no mpirun in /opt/amazon/openmpi/bin or PATH (set MPIRUN)" >&2
		exit 2
	fi
	export_options=(-x LD_LIBRARY_PATH -x NCCL_DEBUG -x NCCL_DEBUG_SUBSYS -x NCCL_SOCKET_IFNAME)
	if [ "$efa" = 1 ]; then
		export_options+=(-x FI_PROVIDER -x FI_EFA_USE_DEVICE_RDMA -x FI_EFA_FORK_SAFE)
	fi
}

command_of() {
	command=("$mpirun" --host "$1:$gpus,$2:$gpus" -np $((2 * gpus)) -N "$gpus" --bind-to none
		--mca pml "^cm,ucx" --mca btl "tcp,self" --mca btl_tcp_if_exclude "lo,docker0"
		"${export_options[@]}" "$program" "${test_options[@]}")
}
