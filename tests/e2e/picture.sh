#!/bin/bash
# A picture of the program in a real terminal emulator, without a display.
#   picture.sh OUT.png COLSxROWS "KEYS" COMMAND [ARG]...
# KEYS go through tmux, separated by blanks ("4 Down Enter"); "wait:S" waits S seconds.
set -eu
out=$1 size=$2 keys=$3
shift 3
cols=${size%x*} rows=${size#*x}
sock=hp-picture-$$
display=$((90 + $$ % 400))
export LANG=C.UTF-8
cleanup()
{
	tmux -L "$sock" kill-server 2>/dev/null || true
	[ -z "${xterm_pid-}" ] || kill "$xterm_pid" 2>/dev/null || true
	[ -z "${xvfb_pid-}" ] || kill "$xvfb_pid" 2>/dev/null || true
}
trap cleanup EXIT
Xvfb ":$display" -screen 0 1800x1200x24 >/dev/null 2>&1 &
xvfb_pid=$!
for _ in $(seq 50); do
	[ -e "/tmp/.X11-unix/X$display" ] && break
	sleep 0.1
done
tmux -L "$sock" -f /dev/null new-session -d -x "$cols" -y "$rows" "env TERM=screen-256color $(printf '%q ' "$@")"
tmux -L "$sock" set -g status off
xterm -tn xterm-256color -display ":$display" -geometry "${size}+0+0" -fa "DejaVu Sans Mono" -fs 10 -b 4 \
	-bg '#16181d' -fg '#d8dbe2' -xrm 'XTerm*cursorBlink: false' -e tmux -L "$sock" attach &
xterm_pid=$!
sleep 2
for key in $keys; do
	case $key in
	wait:*) sleep "${key#wait:}" ;;
	*) tmux -L "$sock" send-keys "$key" ;;
	esac
done
sleep 0.7
import -display ":$display" -window root -trim +repage "$out"
