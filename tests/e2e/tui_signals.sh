#!/bin/bash
# However the program ends, the terminal is given back.
. "$(dirname "$0")/tui_lib.sh"

for sig in TERM INT HUP SEGV ABRT; do
	open 100 30
	line "$HP; echo status=\$?"
	wait_for 'WORST FINDING' || continue
	kill -s "$sig" "$(program_pid)"
	case $sig in
	TERM) want='status=143' ;;
	INT) want='status=130' ;;
	HUP) want='status=129' ;;
	SEGV) want='status=139' ;;
	ABRT) want='status=134' ;;
	esac
	wait_for "$want" 5
	has_not 'WORST FINDING'
	terminal_is_sane "after SIG$sig"
done

# Stopped and continued from outside, without the program being asked.
open 100 30
line "$HP; echo status=\$?"
wait_for 'WORST FINDING'
pid=$(program_pid)
kill -s TSTP "$pid"
wait_for 'Stopped' 5
line fg
wait_for 'WORST FINDING' 5
keys q
wait_for 'status='

# A terminal that goes away takes the program with it.
open 100 30
line "$HP"
wait_for 'WORST FINDING'
pid=$(program_pid)
t kill-server
for _ in $(seq 50); do
	kill -0 "$pid" 2>/dev/null || break
	sleep 0.1
done
if kill -0 "$pid" 2>/dev/null; then
	FAILED=1
	echo "FAIL tui_signals.sh: still running without a terminal"
	kill -9 "$pid"
fi
finish
