"""Helpers of the probe's end-to-end tests: a shell that runs the script over a
pipe as a node would, the frames of its answer, faked commands."""
import os
import pathlib
import queue
import re
import shutil
import signal
import stat
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = (ROOT / "collectors/probe.sh").read_text()
NONCE = "0123456789abcdef0123456789abcdef"
SHELLS = {"dash": ["dash", "-s"], "bash": ["bash", "-s"], "bash as sh": ["bash", "--posix", "-s"],
          "busybox": ["busybox", "sh", "-s"]}


def section_names():
    """The names in section.h, so that a new section cannot be forgotten here."""
    text = (ROOT / "collectors/section.h").read_text()
    return re.findall(r"\bS\([A-Z_]+, ([a-z_]+), CADENCE", text)


class Section:
    def __init__(self, name):
        self.name, self.text, self.exit, self.ms, self.cut = name, "", None, None, None

    def __repr__(self):
        return f"<{self.name} exit={self.exit} ms={self.ms} cut={self.cut} {self.text[:400]!r}>"


class Probe:
    """One session. rewrite: pairs of texts replaced in the script, to stand in
    for paths and times of a node; each must occur."""

    def __init__(self, shell, rewrite=(), path=None, env=None, argv=None):
        script = SCRIPT
        for old, new in rewrite:
            assert old in script, f"the script no longer holds {old!r}"
            script = script.replace(old, str(new))
        self.script = script
        full = dict(os.environ, HP_TEST=f"{os.getpid()}.{id(self)}", **(env or {}))
        if path:
            full["PATH"] = f"{path}:/usr/local/bin:/usr/bin:/bin"
        self.tag = full["HP_TEST"]
        self.proc = subprocess.Popen(argv or SHELLS[shell], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, env=full)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.proc.stdout:
            self.lines.put(line.decode("latin-1"))
        self.lines.put(None)

    def write(self, text):
        self.proc.stdin.write(text.encode())
        self.proc.stdin.flush()

    def start(self, *sections):
        self.write(self.script + " ".join(["hp_main", NONCE, *sections]) + "\n")
        return self.answer(ready=True)

    def ask(self, *sections):
        self.write(" ".join(sections) + "\n")
        return self.answer()

    def answer(self, ready=False, limit=60):
        """Sections up to "done". Anything that breaks the framing is an error."""
        sections, now, lines, seen_ready = [], None, [], not ready
        deadline = time.monotonic() + limit
        while True:
            line = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
            assert line is not None, "the probe ended in its answer"
            words = line.split()
            if words[:2] != ["@hp", NONCE] or not line.startswith("@hp "):
                lines.append(line)
                continue
            if words[2] == "ready":
                assert not seen_ready and words[3:] == ["1"], line
                seen_ready = True
            elif words[2] == "begin":
                assert seen_ready and now is None and len(words) == 4, line
                now, lines = Section(words[3]), []
            elif words[2] == "end":
                assert now and words[3] == now.name and len(words) == 7, line
                now.text = "".join(lines)
                assert now.text.endswith("\n"), f"no newline before the end of {now.name}"
                now.text = now.text[:-1]
                now.exit, now.ms, now.cut = int(words[4]), int(words[5]), int(words[6])
                assert 0 <= now.exit <= 255 and 0 <= now.ms < 60000 and now.cut in (0, 1), line
                sections.append(now)
                now = None
            else:
                assert words[2:] == ["done"] and now is None, line
                return sections

    def finish(self, word=None):
        """Ends the session by "quit" or by the end of its input; stderr must be empty."""
        if word:
            self.write(word + "\n")
        else:
            self.proc.stdin.close()
        assert self.proc.wait(timeout=5) == 0, f"exit status {self.proc.returncode}"
        return self.proc.stderr.read().decode("latin-1")

    def children(self):
        """Processes that carry this session's mark: {pid: command line}."""
        found = {}
        for d in pathlib.Path("/proc").iterdir():
            if not d.name.isdigit() or int(d.name) == os.getpid():
                continue
            try:
                if f"HP_TEST={self.tag}\0".encode() in (d / "environ").read_bytes():
                    found[int(d.name)] = (d / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                pass
        return found

    def session_kept(self):
        """Processes other than the shell that hold a pipe of the session open."""
        ours = {os.readlink(f"/proc/self/fd/{f.fileno()}") for f in (self.proc.stdin, self.proc.stdout, self.proc.stderr)}
        kept = []
        for pid in set(self.children()) - {self.proc.pid}:
            for fd in pathlib.Path(f"/proc/{pid}/fd").glob("*"):
                try:
                    if os.readlink(fd) in ours:
                        kept.append((pid, fd.name))
                except OSError:
                    pass
        return kept

    def end_children(self, word):
        """Ends those whose command line holds word; gives how many."""
        pids = [pid for pid, line in self.children().items() if word in line]
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        return len(pids)

    def no_children(self):
        """Waits a little for the last of them to end."""
        for _ in range(100):
            if not self.children():
                return True
            time.sleep(0.1)
        return False


def fake(folder, name, body):
    p = pathlib.Path(folder) / name
    p.write_text("#!/bin/sh\n" + body)
    p.chmod(p.stat().st_mode | stat.S_IXUSR)
    return p


def have(shell):
    return shutil.which(SHELLS[shell][0]) is not None


def record(name, passed, failed, skipped):
    """Counts for the summary of `make test`."""
    out = ROOT / "build/test-results"
    out.mkdir(parents=True, exist_ok=True)
    for kind, n in (("passed", passed), ("failed", failed), ("skipped", skipped)):
        (out / f"e2e-{name}.{kind}").write_text(f"{n}\n")
