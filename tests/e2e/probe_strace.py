#!/usr/bin/env python3
"""The read-only promise, watched by the kernel: the probe runs with all its
sections under strace. Any write-open outside /dev/null, any change to a file,
any signal, any connection but a local one to the system's own services, and any
program outside PROGRAMS fails the test. Changed copies of the script that break
the promise must be caught, each in its way."""
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import probe_lib as lib  # noqa: E402

# Programs that the probe may run. Those of NODE are played by a program that
# does nothing, so that each of their calls is reached here.
SYSTEM = {"dd", "timeout", "true", "grep", "sed", "head", "tail", "uname", "date", "df", "stat", "dmesg", "journalctl",
          "systemctl", "modinfo", "dpkg-query", "rpm", "setpriv", "find"}
NODE = {"nvidia-smi", "neuron-ls", "neuron-monitor", "ncclras", "fi_info", "lctl", "lfs", "chronyc"}
PROGRAMS = SYSTEM | NODE
SOCKETS = ("/run/systemd/", "/run/dbus/", "/var/run/dbus/", "/var/run/nscd/", "/run/nscd/")

CALLS = ("open,openat,openat2,creat,truncate,ftruncate,fallocate,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,"
         "rmdir,link,linkat,symlink,symlinkat,mknod,mknodat,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,utime,utimes,"
         "utimensat,futimesat,setxattr,lsetxattr,fsetxattr,removexattr,lremovexattr,fremovexattr,mount,umount2,pivot_root,"
         "chroot,swapon,swapoff,reboot,sethostname,init_module,finit_module,delete_module,kill,tkill,tgkill,pidfd_send_signal,"
         "rt_sigqueueinfo,ptrace,connect,bind,listen,sendto,execve,execveat,memfd_create,setns,unshare,syslog,bpf,"
         "settimeofday,clock_settime,adjtimex")
LINE = re.compile(r"^(\d+)\s+(\w+)\((.*)$")
OPENS = {"open", "openat", "openat2"}
# The kernel log read by dmesg: reading (3), size of the buffer (10); the rest sets or clears.
SYSLOG_READS = ("0x3 ", "0xa ", "SYSLOG_ACTION_READ_ALL", "SYSLOG_ACTION_SIZE_BUFFER", "3", "10")


def judge_open(args):
    if not re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE", args):
        return None
    path = re.search(r'"([^"]*)"', args)
    # bash looks once, before it reads any script, whether it has a terminal.
    if path and path.group(1) == "/dev/tty" and "O_RDWR|O_NONBLOCK" in args and "= -1 ENXIO" in args:
        return None
    return None if path and path.group(1) == "/dev/null" else "opens for writing"


def judge_connect(args):
    # chronyc asks the time daemon of the node itself.
    if re.search(r"htons\(323\), sin_addr=inet_addr\(\"127\.0\.0\.1\"\)", args):
        return None
    if "AF_UNIX" not in args:
        return "connects to the network"
    path = re.search(r'sun_path=@?"([^"]*)"', args)
    return None if path and path.group(1).startswith(SOCKETS) else "connects to another service"


def judge(call, args):
    """Why this call breaks the promise; None when it does not."""
    if call in OPENS:
        return judge_open(args)
    if call == "connect":
        return judge_connect(args)
    if call == "execve":
        path = re.search(r'^"([^"]*)"', args).group(1)
        return None if path.rsplit("/", 1)[-1] in PROGRAMS else "runs a program that is not listed"
    if call == "sendto":
        return "sends to the network" if re.search(r"AF_INET", args) else None
    if call == "bind":
        return None if "AF_NETLINK" in args or re.search(r"sun_path=@|AF_UNIX}", args) else "binds a socket"
    if call == "syslog":
        return None if args.startswith(SYSLOG_READS) else "changes the kernel log"
    return "changes something"


@contextlib.contextmanager
def feed(text, files):
    """The script, and a little later what a client asks for then: shells read ahead. files: None asks for none."""
    if not files:
        with open(text) as given:
            yield given
        return
    files.mkdir(exist_ok=True)
    (files / "$(touch x) run.log").write_text("hello")
    later = f"@list 0 0 {files}\n", f"@list 2 0 {files}\n", f"@read 1 {files}\n0 1 ./$(touch x) run.log\n"
    pipe_out, pipe_in = os.pipe()

    def write():
        try:
            os.write(pipe_in, text.read_bytes())
            for line in later:
                time.sleep(1)
                os.write(pipe_in, line.encode())
        except OSError:
            pass
        os.close(pipe_in)

    threading.Thread(target=write, daemon=True).start()
    yield pipe_out
    os.close(pipe_out)


def run(script, sections, tmp, shell, files=None):
    """Traces one run; gives what broke the promise, the programs run, and the answer."""
    trace, answer = tmp / "trace", tmp / "answer"
    text = tmp / "input"
    text.write_text(script + f"hp_main {lib.NONCE} {' '.join(sections)}\n")
    with feed(text, files) as given, open(answer, "w") as out:
        done = subprocess.run(["strace", "-f", "-qq", "-s", "256", "-e", "signal=none", "-e", f"trace={CALLS}",
                               "-o", str(trace), *lib.SHELLS[shell]], stdin=given, stdout=out,
                              stderr=subprocess.PIPE, text=True, timeout=120,
                              env={"PATH": f"{tmp}/node:/usr/bin:/bin", "HOME": "/nonexistent"})
    broken, programs, first = [], set(), True
    for line in trace.read_text(errors="replace").split("\n"):
        m = LINE.match(line)
        if not m:
            continue
        _, call, args = m.groups()
        if call == "execve":
            if first:  # the shell itself
                first = False
                continue
            if "= -1 ENOENT" not in args:
                programs.add(re.search(r'^"([^"]*)"', args).group(1).rsplit("/", 1)[-1])
        why = judge(call, args)
        if why:
            broken.append(f"{why}: {call}({args[:160]}")
    return broken, programs, answer.read_text(errors="replace"), done


# What is put into the first section, what the test must then say.
MUTATIONS = [
    (": >'{tmp}/written'", "opens for writing"),
    (": >>'{tmp}/written'", "opens for writing"),
    ("true 2>'{tmp}/written'", "opens for writing"),
    (": <>/dev/zero", "opens for writing"),
    ("kill -0 $$", "changes something"),
    ("mkdir '{tmp}/made'", "runs a program that is not listed"),
    ("dd if=/dev/zero of='{tmp}/written' count=1", "opens for writing"),
    ("sed -i s/a/b/ '{tmp}/input'", "changes something"),
    ("cat /etc/hostname", "runs a program that is not listed"),
    ("timeout 1 touch '{tmp}/written'", "runs a program that is not listed"),
    ("( timeout -s KILL 0.05 tail -f /dev/null )", "changes something"),
]


def strace_works(tmp):
    try:
        p = subprocess.run(["strace", "-f", "-o", str(tmp / "try"), "true"], capture_output=True, text=True, timeout=20)
    except FileNotFoundError:
        return "strace is not installed"
    return None if p.returncode == 0 else f"strace may not trace here: {p.stderr.strip()[:120]}"


def check_script(shell, tmp):
    names = lib.section_names()
    broken, programs, answer, done = run(lib.SCRIPT, names, tmp, shell, tmp / "sweep")
    bad = [f"{shell}: {b}" for b in broken]
    if done.returncode != 0 or done.stderr:
        bad.append(f"{shell}: exit {done.returncode}: {done.stderr[:300]}")
    for n in names:
        if f"@hp {lib.NONCE} end {n} " not in answer:
            bad.append(f"{shell}: no answer of {n}")
    if "\nhello\n" not in answer:
        bad.append(f"{shell}: no answer to the request for files")
    for must in ("dd", "timeout", "stat", "find", "nvidia-smi", "fi_info", "lctl", "neuron-ls", "ncclras"):
        if must not in programs:
            bad.append(f"{shell}: {must} was never run, so nothing was proved about it")
    return bad


def check_mutations(shell, tmp):
    bad = []
    for line, want in MUTATIONS:
        text = lib.SCRIPT.replace("sec_mounts() {\n", "sec_mounts() {\n\t" + line.format(tmp=tmp) + "\n", 1)
        assert text != lib.SCRIPT
        broken = run(text, ["mounts"], tmp, shell)[0]
        if not any(b.startswith(want) for b in broken):
            bad.append(f"{shell}: a probe with `{line}` was not caught: {broken}")
    return bad


def main():
    with tempfile.TemporaryDirectory() as d:
        tmp = pathlib.Path(d)
        why = strace_works(tmp)
        if why:
            print(f"SKIP probe_strace: {why}")
            lib.record("probe_strace", 0, 0, 1)
            return 0
        (tmp / "node").mkdir()
        for name in NODE:
            (tmp / "node" / name).symlink_to("/bin/true")
        shells = [s for s in lib.SHELLS if lib.have(s)]
        results = [(s, check_script(s, tmp)) for s in shells] + [(shells[0], check_mutations(shells[0], tmp))]
    bad = [x for _, r in results for x in r]
    for b in bad:
        print(b)
    failed = sum(1 for _, r in results if r)
    lib.record("probe_strace", len(results) - failed, failed, 0)
    print(f"probe_strace: {len(results) - failed} of {len(results)} passed"
          f" ({len(MUTATIONS)} changed scripts caught)" if not bad else f"probe_strace: {failed} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
