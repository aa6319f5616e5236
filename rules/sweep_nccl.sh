
# ---- nccl-tests ----

# As the EFA installer and the HyperPod images lay it out; a container has paths of its own.
if [ -z "$image" ]; then
	efa_libs=/opt/amazon/openmpi/lib:/opt/amazon/efa/lib:/opt/amazon/ofi-nccl/lib
	efa_libs=$efa_libs:/opt/amazon/ofi-nccl/lib/x86_64-linux-gnu:/opt/aws-ofi-nccl/lib
	export LD_LIBRARY_PATH=$efa_libs:/usr/local/cuda/lib64:${LD_LIBRARY_PATH:-}
fi
# The log lines say which transport is in use, which a slow figure alone does not.
export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT
export NCCL_SOCKET_IFNAME=^docker,lo,veth
if [ "$efa" = 1 ]; then
	export FI_PROVIDER=efa FI_EFA_USE_DEVICE_RDMA=1 FI_EFA_FORK_SAFE=1
fi

# Where the test program is: told, in the container, or one of the usual places.
find_program() {
	local dir
	if [ -n "$binary_dir" ] || [ -n "$image" ]; then
		program=${binary_dir:-/opt/nccl-tests/build}/$program
		return
	fi
	for dir in /opt/nccl-tests/build /usr/local/cuda/efa/test-cuda-*; do
		if [ -x "$dir/$program" ]; then
			program=$dir/$program
			return
		fi
	done
	echo "$0: $program: not in the usual places (set BINARY_DIR to where it is)" >&2
	exit 2
}
