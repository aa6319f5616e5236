#!/usr/bin/env python3
"""The probe in dash, bash and busybox sh: framing, requests, odd environments,
and commands that fail, hang or print without end."""
import concurrent.futures
import os
import pathlib
import sys
import tempfile
import time
import traceback

sys.dont_write_bytecode = True
import probe_lib as lib  # noqa: E402

SMI_GOOD = """
case "$*" in
*--query-gpu=*)
	for a; do case $a in --query-gpu=*) q=${a#--query-gpu=} ;; esac; done
	case $* in *noheader*) ;; *) printf '%s\\n' "$q" | sed 's/,/, /g' ;; esac
	printf '%s\\n' "$q" | sed 's/[a-z_.]*/v/g; s/,/, /g' ;;
*topo*) printf '\\tGPU0\\nGPU0\\t X \\n' ;;
*) echo "GPU 0: fake" ;;
esac
"""


def test_all_sections(shell, tmp):
    names = lib.section_names()
    p = lib.Probe(shell)
    got = p.start(*names)
    assert [s.name for s in got] == names, got
    for s in got:
        assert s.text or s.exit != 0, s
        assert s.cut == 0, s
        assert s.exit == 127 or "not available" not in s.text.split("\n")[0], s
        if s.text and s.exit != 124:
            assert s.text.endswith("\n"), s
    by = {s.name: s for s in got}
    assert by["cpu"].exit == 0 and by["cpu"].text.startswith("cpu "), by["cpu"]
    assert "\nintr" not in by["cpu"].text and "procs_blocked" in by["cpu"].text
    for mark in ("uname", "uptime", "date", "meminfo", "loadavg", "cpuinfo", "ulimit", "vmstat"):
        assert f"#@ {mark}\n" in by["host"].text, mark
    assert "= / " in by["capacity"].text, by["capacity"]
    back = p.ask("lustre_df", "rocket", "cpu", "cpu")
    assert [s.name for s in back] == ["lustre_df", "cpu", "cpu"], back
    assert p.ask("") == [] and p.ask("rocket") == [] and p.ask("*") == []
    assert p.finish() == ""
    assert p.no_children(), p.children()


def test_no_first_section(shell, tmp):
    p = lib.Probe(shell)
    assert p.start() == []
    assert len(p.ask("cpu")) == 1
    assert p.finish("quit") == ""


def test_slow_arrival_and_banner(shell, tmp):
    argv = ["sh", "-c", "printf 'Welcome\\n@hp x ready\\nno newline'; exec \"$@\"", "sh", *lib.SHELLS[shell]]
    p = lib.Probe(shell, argv=argv)
    text = p.script + f"hp_main {lib.NONCE} cpu mounts\n"
    for i in range(0, len(text), 701):
        p.write(text[i:i + 701])
        time.sleep(0.004)
    assert [s.name for s in p.answer(ready=True)] == ["cpu", "mounts"]
    assert p.finish() == ""


def test_half_a_script_does_nothing(shell, tmp):
    p = lib.Probe(shell)
    p.write(p.script[:len(p.script) * 2 // 3])
    p.proc.stdin.close()
    p.proc.wait(timeout=5)
    assert p.lines.get(timeout=2) is None, "it printed something"


def test_odd_environment(shell, tmp):
    (tmp / "env.sh").write_text("alias printf='echo alias'\nalias grep=reboot\necho from-env\n")
    lib.fake(tmp, "nvidia-smi", "env; echo end; cat; umask")
    env = {"IFS": "p", "CDPATH": "/tmp", "POSIXLY_CORRECT": "1", "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de",
           "ENV": str(tmp / "env.sh"), "BASH_ENV": str(tmp / "env.sh"), "TMOUT": "1", "hp_nonce": "x", "hp_text": "y",
           "GREP_OPTIONS": "--color=always", "hp_hung": "gpu 1 1", "BASH_FUNC_grep%%": "() { echo evil\n}",
           "BASH_FUNC_printf%%": "() { echo evil\n}", "BASH_FUNC_sec_cpu%%": "() { echo evil\n}"}
    p = lib.Probe(shell, env=env, path=tmp)
    got = {s.name: s for s in p.start("cpu", "gpu", "mounts", "capacity")}
    assert got["cpu"].text.startswith("cpu "), got["cpu"]
    assert "= / " in got["capacity"].text
    lines = got["gpu"].text.split("\n")
    assert lib.NONCE not in got["gpu"].text, "the nonce is in a child's environment"
    for want in ("LC_ALL=C", "S_COLORS=never", "NO_COLOR=1", "TERM=dumb"):
        assert want in lines, want
    assert lines[-3] == "end", lines[-4:]
    time.sleep(1.2)  # longer than TMOUT
    assert [s.name for s in p.ask("cpu")] == ["cpu"]
    p.finish()


def test_commands_cannot_eat_requests(shell, tmp):
    lib.fake(tmp, "nvidia-smi", "cat; echo read nothing >&2")
    p = lib.Probe(shell, path=tmp)
    p.write(p.script + f"hp_main {lib.NONCE}\n")
    assert p.answer(ready=True) == []
    p.write("gpu nvlink\ncpu\nmounts\n")
    assert [s.name for s in p.answer()] == ["gpu", "nvlink"]
    assert [s.name for s in p.answer()] == ["cpu"]
    assert [s.name for s in p.answer()] == ["mounts"]
    assert p.finish() == ""


def test_stderr_and_status(shell, tmp):
    lib.fake(tmp, "nvidia-smi", "printf 'GPU 0\\nGPU '; printf 'one\\ntwo' >&2; i=0\n"
             "while [ $i -lt 40 ]; do echo more >&2; i=$((i+1)); done; printf '1\\n'; exit 9")
    p = lib.Probe(shell, path=tmp)
    s = p.start("gpu_topo")[0]
    assert s.exit == 9, s
    assert s.text.startswith("GPU 0\nGPU 1\n#! one\n#! twomore\n"), s
    assert s.text.count("#! ") == 20, s.text
    lib.fake(tmp, "nvidia-smi", "printf 'no newline at the end'")
    s = p.ask("gpu_topo")[0]
    assert (s.exit, s.text) == (0, "no newline at the end\n"), s
    lib.fake(tmp, "nvidia-smi", "printf '\\377\\376\\n\\033[4m%%s\\n'")
    s = p.ask("gpu_topo")[0]
    assert s.text == "\xff\xfe\n\x1b[4m%s\n", s
    p.finish()


def test_unknown_columns(shell, tmp):
    log = tmp / "log"
    lib.fake(tmp, "nvidia-smi", f"echo call >>{log}\n"
             "for c in clocks_event_reasons.active fabric.status gpu_recovery_action index; do\n"
             "case ,$1, in *[,=]$c,*) echo \"Field \\\"$c\\\" is not a valid field to query.\"; echo; exit 2;; esac\ndone\n"
             + SMI_GOOD)
    p = lib.Probe(shell, path=tmp)
    s = p.start("gpu")[0]
    header = s.text.split("\n")[0]
    assert s.exit == 0 and header.startswith("uuid, name, "), s
    assert "clocks_throttle_reasons.active" in header and "clocks_event" not in header, header
    assert "fabric.state" in header and "fabric.status" not in header and "recovery" not in header, header
    assert "  " not in header and ", ," not in header and not header.endswith(","), header
    assert len(log.read_text().split()) == 5
    s = p.ask("gpu")[0]
    assert s.text.split("\n")[0] == header and len(log.read_text().split()) == 6, "the list was not kept"
    p.finish()


def test_columns_never_end(shell, tmp):
    lib.fake(tmp, "nvidia-smi", "q=${1#*=}\necho \"Field \\\"${q%%,*}\\\" is not a valid field to query.\"; exit 2")
    p = lib.Probe(shell, path=tmp)
    s = p.start("gpu")[0]
    assert s.exit == 2 and "not a valid field" in s.text, s
    lib.fake(tmp, "nvidia-smi", "echo 'Field \"*\" is not a valid field to query.'; exit 2")
    s = p.ask("gpu")[0]
    assert s.exit == 2 and s.text.count("Field") == 1, s
    p.finish()


def test_lost_gpu(shell, tmp):
    for bus in ("0000:53:00.0", "0000:64:00.0", "0000:75:00.0"):
        (tmp / "gpus" / bus).mkdir(parents=True)
    lost = "Unable to determine the device handle for GPU0000:64:00.0: Unknown Error"
    lib.fake(tmp, "nvidia-smi", "case \"$*\" in *'-i 0000:53'* | *'-i 0000:75'*) ;;\n"
             f"*) echo '{lost}'; exit 15;; esac\n" + SMI_GOOD)
    p = lib.Probe(shell, path=tmp, rewrite=[("/proc/driver/nvidia/gpus", tmp / "gpus")])
    s = p.start("gpu")[0]
    lines = [x for x in s.text.split("\n") if x]
    assert lines[0] == lost and lines.count(lost) == 2, s
    assert sum(x.startswith("index, ") for x in lines) == 1 and sum(x.startswith("v, ") for x in lines) == 2, s
    p.finish()


def test_hanging_driver(shell, tmp):
    lib.fake(tmp, "nvidia-smi", "trap '' TERM\nprintf 'index, uu'\nwhile :; do sleep 1; done")
    p = lib.Probe(shell, path=tmp, rewrite=[("hp_smi_limit=25", "hp_smi_limit=2"), ("hp_smi_limit=10", "hp_smi_limit=2")])
    got = p.start("gpu", "nvlink", "gpu_topo", "cpu")
    by = {s.name: s for s in got}
    assert by["gpu"].exit == 124 and by["gpu"].text.startswith("index, uu (no answer within 2 s)\n"), by["gpu"]
    for n in ("nvlink", "gpu_topo"):
        assert by[n].exit == 124 and by[n].ms == 0 and "not asked" in by[n].text, by[n]
    assert by["cpu"].exit == 0
    lib.fake(tmp, "nvidia-smi", SMI_GOOD)
    got = p.ask("gpu", "nvlink")
    assert [s.exit for s in got] == [0, 0], got
    p.finish()
    assert p.no_children(), p.children()


def test_stuck_in_the_kernel(shell, tmp):
    """A command that no signal ends: played by a timeout that never does."""
    lib.fake(tmp, "timeout", "case \"$*\" in *ncclras*) exec sleep 600;; *) exec /usr/bin/timeout \"$@\";; esac")
    lib.fake(tmp, "ncclras", "sleep 60")
    p = lib.Probe(shell, path=tmp, rewrite=[('"hp_guard $hp_name 16 ', '"hp_guard $hp_name 2 ')])
    got = p.start("ras", "cpu")
    assert (got[0].exit, got[0].cut, got[0].text) == (124, 1, "") and got[1].exit == 0, got
    assert 1900 < got[0].ms < 20000, got
    assert not p.session_kept(), p.session_kept()
    got = p.ask("ras", "cpu")
    assert got[0].exit == 124 and "earlier call still does not answer" in got[0].text, got
    assert got[0].ms == 0 and got[1].exit == 0, got
    assert p.end_children("sleep 600") == 1, "it was started again"
    assert p.no_children() or len(p.children()) == 1, p.children()
    got = p.ask("ras")
    assert got[0].cut == 1, f"ended, so it may be asked again: {got}"
    p.end_children("sleep 600")
    p.finish()
    assert p.no_children(), p.children()


def test_endless_output(shell, tmp):
    for body, cap in (("exec yes a line of output", True), ("tr '\\0' x </dev/zero", True)):
        lib.fake(tmp, "nvidia-smi", body)
        p = lib.Probe(shell, path=tmp)
        s = p.start("gpu_topo")[0]
        assert s.ms < 14000, "it ran into its deadline"
        assert s.cut == 1 and s.exit == 0 and 1000 < len(s.text) <= 512 * 1024, (s.exit, s.cut, len(s.text))
        assert [x.exit for x in p.ask("cpu")] == [0]
        p.finish()
        assert p.no_children(), p.children()


def test_endless_errors(shell, tmp):
    lib.fake(tmp, "ncclras", "exec yes an error >&2")
    p = lib.Probe(shell, path=tmp)
    s = p.start("ras")[0]
    assert s.exit == 124 and s.text.count("#! an error") == 20, s
    p.finish()


WEIRD = r"/a\134b\011c%s\043"
MOUNTS = r"""proc /proc proc rw 0 0
/dev/root / ext4 rw 0 0
tmpfs /dev/shm tmpfs rw 0 0
10.0.0.1@tcp:/abcd /fsx lustre rw,flock 0 0
10.0.0.2@tcp:/efgh /hung\040one lustre rw,flock 0 0
fs-1:/ /stale nfs4 rw 0 0
old:/x /again nfs rw 0 0
new:/x /again nfs4 rw 0 0
w:/ /a\134b\011c%s\043 nfs rw 0 0
s3 /s3 fuse.mount-s3 rw 0 0
"""


def test_mounts_and_capacity(shell, tmp):
    (tmp / "mounts").write_text(MOUNTS)
    lib.fake(tmp, "stat", "for p; do :; done\ncase $p in\n/stale) echo \"stat: cannot read file system information for"
             " '/stale': Stale file handle\" >&2; exit 1;;\n'/hung one') exec sleep 60;;\n"
             "/ | /fsx | /again | '/a\\b\tc%s#') echo 4096 1000 500 400 10 5;;\n*) echo \"odd: $p\";;\nesac")
    lib.fake(tmp, "timeout", "case \"$*\" in *stat*'/hung one') exec sleep 600;; *) exec /usr/bin/timeout \"$@\";; esac")
    lib.fake(tmp, "lfs", "case \"$*\" in *--lazy*) echo 'unrecognized option' >&2; exit 1;; esac\n"
             "echo \"UUID $*\"; echo 'an OST is ill' >&2; exit 3")
    p = lib.Probe(shell, path=tmp, rewrite=[("/proc/self/mounts", tmp / "mounts")])
    got = {s.name: s for s in p.start("mounts", "capacity", "lustre_df")}
    assert 4900 < got["capacity"].ms < 20000
    kept = [x.split()[1] for x in got["mounts"].text.split("\n") if x]
    assert kept == ["/", "/dev/shm", "/fsx", r"/hung\040one", "/stale", "/again", "/again", WEIRD, "/s3"], kept
    rows = got["capacity"].text.split("\n")
    asked = [x for x in rows if x.startswith("? ")]
    assert asked == ["? ext4 /dev/root /", "? lustre 10.0.0.1@tcp:/abcd /fsx",
                     r"? lustre 10.0.0.2@tcp:/efgh /hung\040one", "? nfs4 fs-1:/ /stale", "? nfs4 new:/x /again",
                     "? nfs w:/ " + WEIRD], asked
    answered = sorted(x.split()[1] for x in rows if x.startswith("= /"))
    assert answered == sorted(["/", "/again", "/fsx", WEIRD]), rows
    row = next(x for x in rows if x.startswith("= / ")).split()
    assert row[2:8] == ["4096", "1000", "500", "400", "10", "5"] and int(row[8]) >= 0, row
    assert any(x.startswith("! /stale stat: ") and "Stale" in x for x in rows), rows
    assert not any("hung" in x for x in rows if x[0:1] in "=!~^"), rows
    assert (got["capacity"].exit, got["capacity"].cut) == (0, 0)
    s = got["lustre_df"]
    assert "UUID df /fsx\n#! an OST is ill\n" in s.text and r"#! /hung\040one: skipped" in s.text, s
    s = p.ask("capacity")[0]
    assert s.ms < 4900, "the hung mount was waited for again"
    assert not p.session_kept(), p.session_kept()
    assert r"~ /hung\040one still not answering" in s.text.split("\n"), s
    assert p.end_children("sleep 600") == 1, "it was started again"
    p.finish()
    assert p.no_children(), p.children()


def test_cut_lustre_list(shell, tmp):
    """A list that is cut inside a line does not run into the next mount's."""
    (tmp / "mounts").write_text("10.0.0.1@tcp:/abcd /one lustre rw 0 0\n10.0.0.1@tcp:/efgh /two lustre rw 0 0\n")
    lib.fake(tmp, "lfs", "case \"$*\" in */one) echo 'UUID one'; head -c 600000 /dev/zero | tr '\\0' x; exit;; esac\necho \"UUID two\"")
    p = lib.Probe(shell, path=tmp, rewrite=[("/proc/self/mounts", tmp / "mounts")])
    s = p.start("lustre_df")[0]
    assert s.cut == 1, (s.exit, s.cut, len(s.text))
    lines = s.text.split("\n")
    assert "UUID one" in lines and "UUID two" in lines, [x[-40:] for x in lines]
    p.finish()


def test_lustre_clients(shell, tmp):
    lib.fake(tmp, "lctl", "case \"$*\" in\n*llite*) printf 'llite.abcd-ff00.stats=\\nread_bytes 3 samples [bytes] 1 2 3\\n';;\n"
             "*import*) printf 'osc.abcd-OST0000.import=\\nimport:\\n    state: FULL\\n    connect_flags: [ x ]\\n    rpcs:\\n'\n"
             "printf '       inflight: 3\\n       timeouts: 1\\n'; echo bad >&2;;\nesac")
    s = lib.Probe(shell, path=tmp).start("client_io")[0]
    assert s.text.startswith("#@ llite abcd-ff00\nread_bytes 3 samples [bytes] 1 2 3\n#@ import\nosc.abcd-OST0000.import=\n"
                             "import:\n    state: FULL\n    rpcs:\n       inflight: 3\n       timeouts: 1\n#! bad\n"), s


def test_rdma_devices(shell, tmp):
    ib = tmp / "ib"
    for i in range(2):
        d = ib / f"rdmap{i}s31"
        (d / "ports/1/hw_counters").mkdir(parents=True)
        (d / "hw_counters").mkdir()
        pci = tmp / f"pci/0000:0{i}:00.0"
        (pci / "net/eth0").mkdir(parents=True)
        (d / "device").symlink_to(pci)
        (tmp / "drivers/efa").mkdir(parents=True, exist_ok=True)
        (pci / "driver").symlink_to(tmp / "drivers/efa")
        for f, v in (("ports/1/state", "4: ACTIVE"), ("ports/1/rate", "100 Gb/sec (4X EDR)"), ("device/vendor", "0x1d0f"),
                     ("device/device", "0xefa1"), ("ports/1/hw_counters/rx_bytes", "12"), ("hw_counters/keep_alive_rcvd", "7"),
                     ("hw_counters/cmds_err", "9"), ("device/net/eth0/operstate", "up")):
            (d / f).write_text(v + "\n")
    (ib / "rdmap0s31/ports/1/hw_counters/empty").write_text("")
    lib.fake(tmp, "fi_info", "echo 'provider: efa'; exit 0")
    p = lib.Probe(shell, path=tmp, rewrite=[("/sys/class/infiniband", ib), ("/sys/bus/pci/devices", tmp / "pci")])
    got = {s.name: s for s in p.start("efa", "efa_counters")}
    lines = got["efa"].text.split("\n")
    for want in (f"{ib}/rdmap1s31/ports/1/state:4: ACTIVE", f"{ib}/rdmap1s31/device/driver -> efa",
                 f"{ib}/rdmap1s31/device -> 0000:01:00.0", f"{ib}/rdmap0s31/device/net/eth0/operstate:up",
                 "#@ pci_efa 2", "provider: efa", "#@ fi_info exit 0"):
        assert want in lines, (want, lines)
    lines = sorted(x for x in got["efa_counters"].text.split("\n") if x)
    assert lines == sorted([f"{ib}/rdmap{i}s31/{f}" for i in range(2)
                            for f in ("ports/1/hw_counters/rx_bytes:12", "hw_counters/keep_alive_rcvd:7")]), lines
    p.finish()


def test_kernel_log(shell, tmp):
    lib.fake(tmp, "dmesg", "echo '[1.0] NVRM: Xid (PCI:0000:53:00): 79, x'; echo '[2.0] other'")
    p = lib.Probe(shell, path=tmp)
    s = p.start("xid")[0]
    assert s.exit == 0 and s.text.endswith("#@ log\n[1.0] NVRM: Xid (PCI:0000:53:00): 79, x\n"), s
    denied = "dmesg: read kernel buffer failed: Operation not permitted"
    lib.fake(tmp, "dmesg", f"echo '{denied}' >&2; exit 1")
    lib.fake(tmp, "journalctl", "echo 'Hint: no rights' >&2; exit 1")
    s = p.ask("xid")[0]
    assert s.exit == 1 and s.text.endswith(f"#@ log\n#! {denied}\n"), s
    lib.fake(tmp, "journalctl", "echo '2026-01-01T00:00:00+0000 n kernel: NVRM: Xid 1'; echo '2026 n kernel: y'")
    s = p.ask("xid")[0]
    assert s.exit == 0 and s.text.endswith("#@ log\n2026-01-01T00:00:00+0000 n kernel: NVRM: Xid 1\n"), s
    p.finish()


def test_no_timeout_command(shell, tmp):
    lib.fake(tmp, "nvidia-smi", SMI_GOOD)
    p = lib.Probe(shell, path=tmp, rewrite=[("'timeout -k 1' timeout 'timeout -t'", "no-such-timeout")])
    got = {s.name: s for s in p.start("cpu", "gpu", "capacity", "mounts", "governor", "host")}
    for n in ("gpu", "capacity"):
        assert got[n].exit == 127 and "timeout is not on this node" in got[n].text, got[n]
    for n in ("cpu", "mounts", "governor", "host"):
        assert got[n].exit == 0, got[n]
    p.finish()


def test_old_busybox_timeout(shell, tmp):
    lib.fake(tmp, "timeout", "[ \"$1\" = -t ] || exit 1\nshift\nexec /usr/bin/timeout \"$@\"")
    lib.fake(tmp, "nvidia-smi", SMI_GOOD)
    got = lib.Probe(shell, path=tmp).start("gpu_topo", "capacity")
    assert [s.exit for s in got] == [0, 0] and "= / " in got[1].text, got


def run_one(shell, name, test):
    with tempfile.TemporaryDirectory() as tmp:
        try:
            test(shell, pathlib.Path(tmp))
        except Exception:
            return f"{shell} {name}:\n{traceback.format_exc()}"
    return None


def ask_files(p, text):
    p.write(text)
    got = p.answer()
    assert [s.name for s in got] == ["files"], got
    return got[0]


def test_files(shell, tmp):
    """Lists and pieces of files; names are data, and what is odd is passed over."""
    d = pathlib.Path(tmp) / "a  dir $(touch pwned) *"
    (d / "sub").mkdir(parents=True)
    (d / "one.log").write_bytes(b"x" * 5000 + b"\nhalf")
    (d / "sub" / "-n `touch pwned`;touch pwned.log").write_bytes(b"two\n\n")
    (d / "new\nline.log").write_text("3")
    (d / ".hidden").write_text("4")
    (d / "link.log").symlink_to("one.log")
    os.utime(d / "one.log", (1000000000, 1000000000))
    p = lib.Probe(shell)
    p.start()
    s = ask_files(p, f"@list 0 0 {d}\n")
    lines = sorted(s.text.splitlines(), key=len)
    assert s.exit == 0 and len(lines) == 2 and lines[0] == "5005 1000000000 ./one.log", s
    assert lines[1].startswith("5 ") and lines[1].endswith(" ./sub/-n `touch pwned`;touch pwned.log"), s
    assert len(ask_files(p, f"@list 0 1 {d}\n").text.splitlines()) == 1
    recent = ask_files(p, f"@list 2 0 {d}\n").text
    assert "one.log" not in recent and "touch" in recent, recent
    s = ask_files(p, f"@read 3 {d}\n1 1 ./one.log\n0 1 ./sub/-n `touch pwned`;touch pwned.log\n0 1 ./gone\n")
    mark = f"\n{lib.NONCE} "
    assert s.text == f"{mark}piece\n" + "x" * 904 + f"\nhalf{mark}piece\ntwo\n\n{mark}piece\n{mark}end\n", s
    one = ask_files(p, f"@list 0 0 {d}/one.log\n")
    assert one.text == "#@ file\n5005 1000000000 ./one.log\n", one
    for gone in (f"@list 0 0 {d}/gone\n", "@list 0 0 \n", "@list\n@list 0 0 /nonexistent\n"):
        if gone.startswith("@list\n"):
            p.write("@list\n")
            assert p.answer() == []
            gone = gone[6:]
        assert ask_files(p, gone).exit == 2, gone
    assert ask_files(p, "@read x y\n").exit == 2
    assert len(p.ask("cpu")) == 1
    assert p.finish("quit") == ""
    assert not list(pathlib.Path(tmp).rglob("pwned*")) and not list(pathlib.Path.cwd().glob("pwned*"))
    assert p.no_children(), p.children()


def main():
    tests = [(n, f) for n, f in globals().items() if n.startswith("test_") and sys.argv[1:2] in ([], [n])]
    shells = [s for s in lib.SHELLS if lib.have(s)]
    for s in set(lib.SHELLS) - set(shells):
        print(f"SKIP probe_sections: {s} is not installed")
    if os.path.exists("/proc/self/stat") is False:
        print("SKIP probe_sections: no /proc here")
        lib.record("probe_sections", 0, 0, 1)
        return 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(run_one, s, n, f) for n, f in tests for s in shells]
        bad = [r for r in (x.result() for x in runs) if r]
    for b in bad:
        print(b)
    lib.record("probe_sections", len(runs) - len(bad), len(bad), len(lib.SHELLS) - len(shells))
    print(f"probe_sections: {len(runs) - len(bad)} of {len(runs)} passed ({', '.join(shells)})")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
