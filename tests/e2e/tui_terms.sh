#!/bin/bash
# Terminals of all kinds, colours or none, UTF-8 or not; and those that cannot do it.
. "$(dirname "$0")/tui_lib.sh"

for term in screen-256color tmux-256color xterm-256color xterm linux vt100 screen; do
	if ! infocmp "$term" >/dev/null 2>&1; then
		echo "SKIP tui_terms.sh: no description of $term on this machine"
		continue
	fi
	open 90 25 "$term"
	line "$HP; echo status=\$?"
	wait_for 'WORST FINDING' 5 || continue
	wait_for '24 nodes'
	keys 4
	wait_for 'OWNER' 5
	keys q
	wait_for 'status='
	has_not 'OWNER'
done

open 90 25 dumb
line "clear; $HP; echo status=\$?"
wait_for 'status=2' 5
wait_for 'cannot move its cursor'
line "clear; TERM= $HP; echo status=\$?"
wait_for 'TERM is not set' 5
line "clear; TERM=no-such-terminal $HP; echo status=\$?"
wait_for 'not described' 5

# A locale without UTF-8: ASCII, and not one byte more.
open 90 25
line "clear; LC_ALL=C $HP; echo status=\$?"
wait_for 'WORST FINDING' 5
wait_for '22/24' 30
if screen | LC_ALL=C grep -q '[^ -~]'; then
	say_failed 'bytes that are not ASCII in the C locale'
fi
keys q
wait_for 'status='

# NO_COLOR: no colour is set, bold and reverse are.
open 90 25
line "clear; NO_COLOR=1 $HP; echo status=\$?"
wait_for 'WORST FINDING' 5
if t capture-pane -p -e | grep -qE $'\033\\[[0-9;]*(3[0-7]|38;5|48;5)[0-9;]*m'; then
	say_failed 'colours although NO_COLOR is set'
fi
keys q
wait_for 'status='
finish
