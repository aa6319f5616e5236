#!/bin/bash
# The heatmap fills while one watches: a directory that is written to, and the demo's sweep.
. "$(dirname "$0")/tui_lib.sh"

DIR=$(mktemp -d)
trap 'tmux -L "$SOCK" kill-server 2>/dev/null; rm -rf "$DIR"' EXIT
HP=build/hyperpod-perf

# run A B BUSBW: what nccl-tests prints for a pair of hosts with one GPU each
run()
{
	echo '# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22807'
	echo '# Collective test starting: all_reduce_perf'
	echo '# nThread 1 nGpus 1 minBytes 8589934592 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0'
	echo '#'
	echo '# Using devices'
	printf '#  Rank  0 Group  0 Pid   1001 on %10s device  0 [0000:53:00] NVIDIA H100 80GB HBM3\n' "$1"
	printf '#  Rank  1 Group  0 Pid   1002 on %10s device  0 [0000:53:00] NVIDIA H100 80GB HBM3\n' "$2"
	echo '#'
	echo '#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong '
	echo '#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)         '
	printf '  8589934592    2147483648     float     sum      -1   100000  %6s  %6s       0   100000  %6s  %6s       0\n' "$3" "$3" "$3" "$3"
	echo '# Out of bounds values : 0 OK'
	echo "# Avg bus bandwidth    : $3 "
}

run n1 n2 85.90 >"$DIR/n1_n2.log"
open 110 30
line "$HP --pairs $DIR --log $DIR.log; echo status=\$?"
wait_for 'no nodes asked'
wait_for 'pairs only'
has_not 'not judged yet'
wait_for '1 of 1 pairs' # it starts on the heatmap

# A file that is half-written gives no figure, then it is whole; a directory that comes later.
run n1 n3 84.10 | head -n 10 >"$DIR/n1_n3.log"
printf '  8589934592    2147483648     flo' >>"$DIR/n1_n3.log"
wait_for '1 of 3 pairs'
run n1 n3 84.10 >"$DIR/n1_n3.log"
wait_for '2 of 3 pairs'
mkdir "$DIR/later"
run n2 n3 84.70 >"$DIR/later/n2_n3.log"
wait_for '3 of 3 pairs'
rm "$DIR/n1_n2.log"
wait_for '2 of 3 pairs'
keys 7
wait_for 'lines'
keys q
wait_for 'status=0'
terminal_is_sane 'after q'

# A place on another machine, through a command; that it is not there is no reason to end.
line "clear; $HP --pairs head:$DIR/none --ssh-config none --known-hosts /dev/null --demo; echo status=\$?"
wait_for '24 nodes'
wait_for '22/24 nodes' 30
keys q
wait_for 'status=1'
terminal_is_sane 'after q with a dead head node'

# The demo measures while one looks, and says who is slow.
line "clear; $HP --demo=sweep; echo status=\$?"
wait_for '32/32 nodes' 30
keys 2
wait_for ' of 496 pairs'
first=$(screen | sed -n 's/.* \([0-9]*\) of 496 pairs.*/\1/p')
for i in $(seq 100); do
	now=$(screen | sed -n 's/.* \([0-9]*\) of 496 pairs.*/\1/p')
	[ "${now:-0}" -gt "${first:-0}" ] && break
	sleep 0.1
done
[ "${now:-0}" -gt "${first:-0}" ] || say_failed "the heatmap does not fill: $first, then $now"
wait_for '▲ ip-10-3-2-14' 30
wait_for 'spine −12%' 30
keys q
wait_for 'status=1'
terminal_is_sane 'after the sweep'

line "clear; $HP --pairs /nonexistent/place; echo status=\$?"
wait_for 'No such file or directory'
wait_for 'status=2'
rm -f "$DIR.log"
finish
