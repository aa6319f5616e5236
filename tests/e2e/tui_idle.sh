#!/bin/bash
# The interface's own thread sleeps: at most 1 % of a core while nobody types.
. "$(dirname "$0")/tui_lib.sh"

open 120 36
line "$HP; echo status=\$?"
wait_for '22/24 nodes' 30
pid=$(program_pid)
if [ ! -r "/proc/$pid/task/$pid/stat" ]; then
	echo 'SKIP tui_idle.sh: no /proc'
	exit 0
fi
ticks()
{
	awk '{ print $14 + $15 }' "/proc/$pid/task/$pid/stat"
}
before=$(ticks)
sleep 10
used=$(($(ticks) - before)) # hundredths of a second in ten seconds: thousandths of a core
if [ "$used" -gt 10 ]; then
	FAILED=1
	echo "FAIL tui_idle.sh: $used ms of CPU a second/100 while idle"
fi
keys q
wait_for 'status='
finish
