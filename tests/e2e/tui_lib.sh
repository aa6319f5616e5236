# Drives the interface in tmux, on a server of its own. Sourced by tui_*.sh.
#   HP      the program and its arguments (default: build/hyperpod-perf --demo)
# Each test starts a shell in the pane and the program from it, as a person does,
# so that what is left of the terminal afterwards can be looked at.

HP=${HP:-build/hyperpod-perf --demo}
SOCK=hp-e2e-$$-0
OPENED=0
FAILED=0

if ! command -v tmux >/dev/null 2>&1; then
	echo "SKIP $(basename "$0"): tmux is not installed"
	exit 0
fi
case $(locale -a 2>/dev/null) in
*C.utf8* | *C.UTF-8*) UTF8=C.UTF-8 ;;
*) UTF8=en_US.UTF-8 ;;
esac
export LC_ALL=$UTF8
trap 'tmux -L "$SOCK" kill-server 2>/dev/null' EXIT

t()
{
	tmux -L "$SOCK" "$@"
}

# open COLS ROWS [TERM]: a shell in a pane
open()
{
	# Another server each time: one that is just ending would take the new pane with it.
	t kill-server 2>/dev/null
	OPENED=$((OPENED + 1))
	SOCK=hp-e2e-$$-$OPENED
	t -f /dev/null start-server \; set -g status off \; set -g default-terminal "${3:-screen-256color}" \; \
		set -g escape-time 10 \; \
		new-session -d -x "$1" -y "$2" "env PS1='ready> ' TERM=${3:-screen-256color} bash --norc --noprofile"
	wait_for 'ready>'
}

screen()
{
	t capture-pane -p
}

keys()
{
	t send-keys "$@"
}

# line TEXT: typed at the shell
line()
{
	t send-keys -l "$1"
	t send-keys Enter
}

say_failed()
{
	FAILED=1
	echo "FAIL $(basename "$0"): $1"
	screen | sed 's/^/    |/'
}

# wait_for TEXT [SECONDS]: until it is on the screen
wait_for()
{
	local i
	for i in $(seq $((${2:-15} * 10))); do
		case "$(screen)" in
		*"$1"*) return 0 ;;
		esac
		sleep 0.1
	done
	say_failed "waited for \"$1\""
	exit 1 # what follows would only wait too
}

wait_gone()
{
	local i
	for i in $(seq 50); do
		case "$(screen)" in
		*"$1"*) sleep 0.1 ;;
		*) return 0 ;;
		esac
	done
	say_failed "still there: \"$1\""
	exit 1
}

has_not()
{
	case "$(screen)" in
	*"$1"*) say_failed "must not be there: \"$1\"" ;;
	esac
}

pane_pid()
{
	t display-message -p '#{pane_pid}'
}

# The program's process, a child of the pane's shell.
program_pid()
{
	pgrep -P "$(pane_pid)" | head -1
}

# The terminal is as a shell leaves it: main screen, cursor on, line editing modes, typing is seen.
terminal_is_sane()
{
	[ "$(t display-message -p '#{alternate_on}')" = 0 ] || say_failed "$1: still on the alternate screen"
	[ "$(t display-message -p '#{cursor_flag}')" = 1 ] || say_failed "$1: the cursor is off"
	[ "$(t display-message -p '#{keypad_flag}')" = 0 ] || say_failed "$1: the keypad is in application mode"
	line 'clear; stty -a | tr ";" "\n" | grep -wE "icanon|echo|isig|icrnl|opost" | tr -s " \n" " " ; echo; echo typed-$((6*7))'
	wait_for 'typed-42' || return
	case "$(screen)" in
	*-icanon* | *"-echo "* | *-isig* | *-icrnl* | *-opost*) say_failed "$1: terminal modes are not restored" ;;
	esac
}

finish()
{
	[ $FAILED = 0 ] && echo "ok   $(basename "$0")"
	exit $FAILED
}
