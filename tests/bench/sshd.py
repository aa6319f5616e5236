"""A throw-away sshd that answers on many loopback addresses.

One server process listens on 0.0.0.0, so 127.1.a.b for every a.b is "a host"
without 256 servers on a small machine. To be used inside a network namespace
that has nothing but its loopback interface: in_namespace() below.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time


def in_namespace():
    """Starts this script again inside a new network namespace; returns only there."""
    if os.environ.get("HP_BENCH_NETNS"):
        return
    name = f"hpb-{os.getpid()}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        rc = subprocess.run(["ip", "netns", "exec", name, sys.executable] + sys.argv,
                            env={**os.environ, "HP_BENCH_NETNS": name}, check=False).returncode
    finally:
        subprocess.run(["ip", "netns", "del", name], check=False)
    sys.exit(rc)


class LightCluster:
    def __init__(self, hosts):
        self.hosts = hosts
        self.dir = tempfile.mkdtemp(prefix="hp-bench-")
        self.port = 2200
        self.proc = None

    def addresses(self, n=None):
        return [f"127.1.{i // 250}.{i % 250 + 1}" for i in range(n or self.hosts)]

    def _config(self):
        # SHLVL keeps bash from reading this machine's ~/.bashrc at each login: what is
        # in there would be measured instead of the clients.
        key = f"{self.dir}/id"
        with open(f"{self.dir}/sshd_config", "w") as f:
            f.write(f"""Port {self.port}
ListenAddress 0.0.0.0
HostKey {self.dir}/host
AuthorizedKeysFile {self.dir}/authorized_keys
PidFile none
StrictModes no
UsePAM no
MaxStartups 1000
MaxSessions 100
PermitRootLogin prohibit-password
PasswordAuthentication no
SetEnv SHLVL=3
""")
        with open(f"{self.dir}/ssh_config", "w") as f:
            f.write(f"""Host *
  Port {self.port}
  IdentityFile {key}
  IdentitiesOnly yes
  UserKnownHostsFile {self.dir}/known_hosts
  BatchMode yes
""")

    def __enter__(self):
        def run(*a):
            subprocess.run(a, check=True, stdout=subprocess.DEVNULL)

        run("ip", "link", "set", "lo", "up")
        for name in ("id", "host"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.dir}/{name}")
        shutil.copy(f"{self.dir}/id.pub", f"{self.dir}/authorized_keys")
        pub = open(f"{self.dir}/host.pub").read().split()[:2]
        with open(f"{self.dir}/known_hosts", "w") as f:
            for a in self.addresses():
                f.write(f"[{a}]:{self.port} {pub[0]} {pub[1]}\n")
        self._config()
        os.makedirs("/run/sshd", exist_ok=True)
        sshd = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin")
        self.proc = subprocess.Popen(
            [sshd, "-D", "-e", "-f", f"{self.dir}/sshd_config"],
            stdout=subprocess.DEVNULL, stderr=open(f"{self.dir}/sshd.log", "w"))
        for _ in range(100):
            time.sleep(0.05)
            if "Server listening" in open(f"{self.dir}/sshd.log").read():
                return self
        raise RuntimeError(open(f"{self.dir}/sshd.log").read())

    def hosts_file(self, n):
        path = f"{self.dir}/hosts-{n}"
        with open(path, "w") as f:
            f.writelines(f"root@{a}:{self.port}\n" for a in self.addresses(n))
        return path

    def __exit__(self, *exc):
        if self.proc:
            self.proc.send_signal(signal.SIGTERM)
            self.proc.wait()
        shutil.rmtree(self.dir, ignore_errors=True)
