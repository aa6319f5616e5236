#!/bin/bash
# A walk through the screens as an operator would, then out; the terminal is as before.
. "$(dirname "$0")/tui_lib.sh"

open 120 36
line "$HP; echo status=\$?"
wait_for '24 nodes' 3
wait_for '22/24 nodes' 30
wait_for 'concern '
wait_for 'READ-ONLY' 1

keys 4
wait_for 'OWNER'
wait_for 'node-debugger'
keys Enter
wait_for 'evidence'
keys Escape
wait_for 'OWNER'

keys 1
keys Enter
wait_for 'Look further (read-only)'
keys y
wait_for 'copied:'
keys Escape
wait_for 'WORST FINDING'
keys /
t send-keys -l 'workers-b'
wait_gone 'workers-a'
keys Enter
wait_for 'Esc shows all'
keys Escape
wait_for 'workers-a'
keys c
wait_for 'concerns only'
keys c
keys s
wait_for 'by name'
keys r
keys '?'
wait_for 'open the details of the row'
keys q
wait_for 'by name'
keys :
t send-keys -l 'node 10-1-2-19'
keys Enter
wait_for 'GPUs'
keys End
wait_for 'Host'
keys Escape
wait_for 'WORST FINDING'
keys 7
wait_for 'lines'
keys 1
keys Space
wait_for 'PAUSED'
keys Space
wait_gone 'PAUSED'

# Small, smaller, nothing, and back.
for size in '80 24' '40 10' '20 5' '3 2' '1 1' '200 60' '120 36'; do
	set -- $size
	t resize-window -x "$1" -y "$2"
	sleep 0.2
	keys Down
done
wait_for 'WORST FINDING'
wait_for 'READ-ONLY'

# Stopped and continued.
keys C-z
wait_for 'ready>'
has_not 'WORST FINDING'
terminal_is_sane 'after Ctrl-Z'
t resize-window -x 100 -y 30
line fg
wait_for 'WORST FINDING'
keys Down
wait_for '22/24 nodes'

keys q
wait_gone 'WORST FINDING'
line 'echo status=$?'
wait_for 'status=1'
has_not 'WORST FINDING'
terminal_is_sane 'after q'
finish
