#!/bin/bash
# Stands in for all_reduce_perf in the tests of `hyperpod-perf plan`: says in $EVENTS when it
# starts and ends on which two nodes, prints what nccl-tests would, and hangs where $HANG
# names the two nodes. FAKE_A and FAKE_B: the nodes.
set -u
say() {
	# One short write: lines of several at once stay whole.
	printf '%s %s %s\n' "$1" "$FAKE_A" "$FAKE_B" >>"$EVENTS"
}

trap 'say stopped; exit 143' TERM
say start
rank=0
echo "# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22807"
echo "# Collective test starting: all_reduce_perf"
echo "# nThread 1 nGpus 1 minBytes 536870912 maxBytes 536870912 step: 2(factor) warmup iters: 5" \
	"iters: 20 agg iters: 1 validation: 1 graph: 0"
echo "#"
echo "# Using devices"
for node in "$FAKE_A" "$FAKE_B"; do
	for device in 0 1 2 3 4 5 6 7; do
		printf '#  Rank %2d Group  0 Pid %6d on %10s device %2d [0000:%02x:00] NVIDIA H100\n' \
			$rank $((1000 + rank)) "$node" $device $((83 + device))
		rank=$((rank + 1))
	done
done
if [ "$FAKE_A $FAKE_B" = "${HANG:-}" ]; then
	sleep 600 &
	hung=$!
	trap 'say stopped; kill $hung; exit 143' TERM
	wait
fi
[ "$EVENTS" = /dev/null ] || sleep 0.3
cat <<'END'
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
   536870912     134217728     float     sum      -1  2559.20  209.78  393.34       0  2559.20  209.78  393.34       0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 393.34
#
# Collective test concluded: all_reduce_perf
#
END
say end
