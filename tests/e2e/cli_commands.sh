#!/bin/sh
# The command line as scripts use it: exit statuses, messages, files.
# Usage: sh tests/e2e/cli_commands.sh PROGRAM
program=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
XDG_CONFIG_HOME=$dir/config
export XDG_CONFIG_HOME
failed=0
count=0

# expect STATUS TEXT COMMAND...: exit status, and TEXT in what it printed ("" anything).
expect() {
	want=$1 text=$2
	shift 2
	"$@" >"$dir/out" 2>&1 </dev/null
	got=$?
	count=$((count + 1))
	if [ "$got" != "$want" ] || ! grep -qF -e "$text" "$dir/out"; then
		echo "FAIL: $*: exit $got, wanted $want and \"$text\"; it printed:"
		head -n 5 "$dir/out"
		failed=1
	fi
}

# check NAME COMMAND...: the command succeeds.
check() {
	name=$1
	shift
	count=$((count + 1))
	"$@" >"$dir/check" 2>&1 || {
		echo "FAIL: $name"
		head -n 5 "$dir/check"
		failed=1
	}
}

expect 0 "Usage: hyperpod-perf" "$program" --help
expect 0 "Commands:" "$program" help
expect 0 "hyperpod-perf " "$program" --version
expect 2 "did you mean snapshot?" "$program" snapshto
expect 2 "no source" "$program"
expect 2 "no source" "$program" snapshot
expect 2 "not in this version" "$program" snapshot --slurm
expect 2 "did you mean --json?" "$program" snapshot --demo --jsno
for command in snapshot parse plan probe rules doctor; do
	expect 0 "Usage: hyperpod-perf $command" "$program" $command --help
	expect 0 "Usage: hyperpod-perf $command" "$program" help $command
done

expect 0 "gpu" "$program" parse --list
expect 2 "did you mean gpu?" "$program" parse gpuu
expect 2 "No such file" "$program" parse gpu "$dir/none"
printf 'cpu  10 0 20 100 5 0 0 0 0 0\n' >"$dir/stat"
expect 0 '"schema":	"hyperpod-perf/parse/1"' "$program" parse cpu "$dir/stat"
expect 0 '"iowait_ticks":	5' "$program" parse proc-stat "$dir/stat"
check "parse reads standard input" sh -c \
	'"$1" parse cpu - <"$2" | grep -q iowait_ticks' sh "$program" "$dir/stat"

expect 0 "gpu-temp" "$program" rules
expect 0 "hyperpod-node-debugger" "$program" rules gpu-temp
expect 2 "did you mean gpu-temp?" "$program" rules gpu_temp
expect 0 '"schema":	"hyperpod-perf/rules/1"' "$program" rules --json
expect 2 "$dir/none" "$program" rules --rules "$dir/none"

"$program" probe >"$dir/probe.sh"
check "probe prints a shell script" sh -n "$dir/probe.sh"

mkdir -p "$dir/raw/node01" "$dir/raw/node02"
cp "$dir/stat" "$dir/raw/node01/cpu"
cp "$dir/stat" "$dir/raw/node02/cpu"
expect 0 "2 of 2 nodes answered" "$program" snapshot --raw "$dir/raw"
expect 2 "no such node among 2 (did you mean" "$program" snapshot --raw "$dir/raw" --node node03
check "one node of a source" sh -c \
	'"$1" snapshot --raw "$2" --node node02 | grep -q "1 of 1 nodes"' sh "$program" "$dir/raw"
check "no terminal: the report" sh -c \
	'"$1" --raw "$2" </dev/null | grep -q "2 of 2 nodes"' sh "$program" "$dir/raw"
"$program" snapshot --raw "$dir/raw" --json -o "$dir/report.json"
check "-o leaves the report" grep -q hyperpod-perf/snapshot/1 "$dir/report.json"
check "-o leaves nothing else" test "$(ls "$dir" | grep -c report.json)" = 1
expect 2 "cannot write beside it" "$program" snapshot --raw "$dir/raw" -o "$dir/none/report"
if [ -w /dev/full ]; then
	check "a full disk is noticed" sh -c \
		'"$1" snapshot --raw "$2" >/dev/full 2>"$3/err"; [ $? = 2 ] && grep -q "No space" "$3/err"' \
		sh "$program" "$dir/raw" "$dir"
fi
"$program" snapshot --raw "$dir/raw" >"$dir/out"
check "no escapes in a file" sh -c '! grep -q "$(printf "\033")" "$1"' sh "$dir/out"

printf 'h1 name=a[1-2]\nh2 name=c\n' >"$dir/hosts"
"$program" snapshot --exec "sh -c 'echo {node} >>$dir/asked; exit 3' sh" --hosts "$dir/hosts" >"$dir/out" 2>&1
check "a name= is never the host that a command goes to" test "$(sort "$dir/asked" | tr '\n' ' ')" = "h1 h2 "
printf '\357\273\277h1\r\n' >"$dir/hosts"
expect 3 "unreachable: h1" "$program" snapshot --exec "sh -c 'exit 3' {node}" --hosts "$dir/hosts"

# Nothing that a message quotes reaches the terminal as it is.
"$program" parse "$(printf 'x\033[31m\302\23331m')" >"$dir/out" 2>&1
check "no escapes in a message" sh -c '! LC_ALL=C grep -q "$(printf "[\033\233]")" "$1"' sh "$dir/out"
for key in title why unit source; do
	printf '[{"id": "gpu-temp", "%s": "a\\u001b[31mb"}]' $key >"$dir/rules.json"
	expect 2 "rules.json: rule gpu-temp: $key: holds" "$program" rules --rules "$dir/rules.json"
done
printf '[{"id": "gpu-temp", "commands": ["ls\\nrm x"]}]' >"$dir/rules.json"
expect 2 "rules.json: rule gpu-temp: commands: holds" "$program" rules --rules "$dir/rules.json"

mkdir -p "$dir/config/hyperpod-perf"
echo '{"prot": 1}' >"$dir/config/hyperpod-perf/config.json"
expect 2 "config.json: prot: no such setting (did you mean port?)" "$program" snapshot --demo
expect 0 "Usage:" "$program" snapshot --help
expect 1 "did you mean port?" "$program" doctor
echo "{\"raw\": \"$dir/raw\"}" >"$dir/config/hyperpod-perf/config.json"
check "the source of the configuration" sh -c \
	'"$1" snapshot | grep -q "2 of 2 nodes"' sh "$program"
rm "$dir/config/hyperpod-perf/config.json"
HYPERPOD_PERF_PORT=x expect 2 "HYPERPOD_PERF_PORT" "$program" snapshot --demo

[ $failed = 0 ] && echo "ok - cli_commands: $count checks"
exit $failed
