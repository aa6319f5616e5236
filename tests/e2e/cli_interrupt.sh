#!/bin/sh
# Ctrl-C during a snapshot: what has arrived is reported, soon, with its own word.
# Usage: sh tests/e2e/cli_interrupt.sh PROGRAM
program=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
XDG_CONFIG_HOME=$dir
export XDG_CONFIG_HOME

# The simulated cluster has a mount that hangs for three seconds: time enough. A shell
# would start it in the background with SIGINT ignored, hence Python.
python3 - "$program" >"$dir/out" 2>"$dir/err" <<'END'
import signal, subprocess, sys, time
p = subprocess.Popen([sys.argv[1], "snapshot", "--demo"], stdin=subprocess.DEVNULL,
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
time.sleep(1.2)
p.send_signal(signal.SIGINT)
began = time.time()
print("status", p.wait(timeout=20))
print("seconds", time.time() - began)
END
if grep -q "INTERRUPTED" "$dir/out" && grep -q "status 1" "$dir/out" &&
	grep -q "not waited for:" "$dir/out"; then
	echo "ok - cli_interrupt"
else
	echo "FAIL: cli_interrupt"
	head -n 12 "$dir/out" "$dir/err"
	exit 1
fi
