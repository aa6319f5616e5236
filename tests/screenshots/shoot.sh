#!/bin/sh
# Draws screens of the demo in a real terminal emulator without a display, to PNG.
#
#   shoot.sh PROGRAM OUTDIR
#
# Each picture: xterm under Xvfb, the demo inside tmux, keys sent, then a shot.
set -eu
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
out=$2
for tool in xterm Xvfb import tmux; do
	command -v $tool >/dev/null || {
		echo "SKIP: screenshots: $tool is not installed"
		exit 0
	}
done
work=$(mktemp -d)
display=:$((90 + $$ % 900))
Xvfb $display -screen 0 1600x1000x24 >"$work/xvfb.log" 2>&1 &
xvfb=$!
cleanup() {
	tmux -S "$work/tmux" kill-server 2>/dev/null || true
	kill $xvfb 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT INT TERM
mkdir -p "$out"

i=0
while [ $i -lt 50 ] && ! DISPLAY=$display xset q >/dev/null 2>&1; do
	command -v xset >/dev/null || { sleep 1; break; }
	sleep 0.1
	i=$((i + 1))
done

# shoot NAME COLUMNSxROWS KEYS... : one picture. A key of the form ~TEXT waits until
# TEXT is on screen, +N waits N seconds.
shoot() {
	name=$1 size=$2
	shift 2
	cols=${size%x*} rows=${size#*x}
	tmux -S "$work/tmux" -f /dev/null new-session -d -s "$name" -x "$cols" -y "$rows" \
		"env LC_ALL=C.UTF-8 COLORTERM= TERM=xterm-256color '$program' --demo=${scenario:-first-light}"
	tmux -S "$work/tmux" set -g status off
	tmux -S "$work/tmux" set -g default-terminal xterm-256color
	DISPLAY=$display LC_ALL=C.UTF-8 xterm -geometry "${size}+0+0" -fa 'DejaVu Sans Mono' -fs 11 \
		-bg '#101418' -fg '#d8dee4' -b 6 +sb -u8 -tn xterm-256color -T "$name" \
		-e tmux -S "$work/tmux" attach -t "$name" >"$work/$name.log" 2>&1 &
	xterm=$!
	for key; do
		case $key in
		~*) wait_text "$name" "${key#?}" ;;
		+*) sleep "${key#?}" ;;
		*) tmux -S "$work/tmux" send-keys -t "$name" "$key" && sleep 0.4 ;;
		esac
	done
	sleep 0.7
	DISPLAY=$display import -window "$(window "$name")" "$out/$name.png"
	kill $xterm 2>/dev/null || true
	wait $xterm 2>/dev/null || true
	tmux -S "$work/tmux" kill-session -t "$name"
	echo "$out/$name.png"
}

wait_text() {
	n=0
	until tmux -S "$work/tmux" capture-pane -p -t "$1" | grep -q -- "$2"; do
		n=$((n + 1))
		[ $n -lt 150 ] || {
			echo "shoot.sh: $1: \"$2\" never came; the screen was:" >&2
			tmux -S "$work/tmux" capture-pane -p -t "$1" >&2
			exit 1
		}
		sleep 0.1
	done
}

window() {
	DISPLAY=$display xwininfo -root -tree 2>/dev/null | awk -v t="\"$1\"" 'index($0, t) {print $1; exit}' |
		grep . || echo root
}

shoot nodes 120x36 '~/24 nodes' +40
shoot findings 120x36 '~/24 nodes' +8 4
shoot node 120x36 '~/24 nodes' +12 Enter
shoot help 120x36 '~/24 nodes' +4 '?'
shoot nodes-80x24 80x24 '~/24 nodes' +30
scenario=sweep
shoot heatmap 120x36 '~/32 nodes' 2 +70
shoot heatmap-pair 120x36 '~/32 nodes' 2 +30 Tab Enter Enter
shoot heatmap-80x24 80x24 '~/32 nodes' 2 +70
scenario=thousand
shoot heatmap-1024 120x36 '~/1024 nodes' 2 +45
