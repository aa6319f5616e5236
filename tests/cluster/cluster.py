"""Nodes as namespaces, each with a real sshd, for tests and measurements.

Each node has network, mount and UTS namespaces of its own: its /sys, its mounts
and its commands are those of a scenario of the simulation (laid out by simraw).
All nodes hang on one bridge in the client's network namespace, so no packet
leaves what the test made. Everything ends with the context manager, also on
failure and Ctrl-C.

What is real: sshd and login shell, the kernel's /proc, /sys files, root volume
(an overlay on a small tmpfs, filled where it shall be full), mounts, and the hung
mount (a FUSE filesystem that never answers). What is not: the commands of a GPU
node are one script that prints the simulation's text (fake.sh), and shared
filesystems are tmpfs, since neither Lustre nor NFS can be mounted here.

    with Cluster(simraw, scenario) as c:
        subprocess.run(c.client(["ssh", ...]))
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PREFIX = "10.99.0."
FAKES = ("nvidia-smi", "dmesg", "fi_info", "lctl", "modinfo", "dpkg-query", "chronyc", "systemctl")
NODE_PATH = "/usr/local/hpc/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

SSHD_CONFIG = f"""Port 22
HostKey /usr/local/hpc/host
AuthorizedKeysFile /usr/local/hpc/authorized_keys
PidFile none
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
SetEnv PATH={NODE_PATH}
"""


def run(*argv, **kw):
    return subprocess.run(argv, check=True, capture_output=True, text=True, **kw)


def why_not():
    """Why namespaces cannot be made here, or None."""
    if os.geteuid() != 0:
        return "needs root to make network and mount namespaces"
    for tool in ("ip", "unshare", "chroot", "ssh-keygen", "mount"):
        if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            return f"{tool} is not installed"
    if not os.path.exists("/usr/sbin/sshd"):
        return "sshd is not installed"
    name = f"hpc-try-{os.getpid()}"
    trial = (f"ip netns add {name} && ip -n {name} link add br0 type bridge && "
             f"ip -n {name} link add v0 type veth peer name v1")
    try:
        subprocess.run(["sh", "-c", trial], check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as e:
        return "network namespaces are not allowed: " + e.stderr.strip()
    finally:
        subprocess.run(["ip", "netns", "del", name], capture_output=True)
    with tempfile.TemporaryDirectory(prefix="hpc-try-") as d:
        trial = (f"mount -t tmpfs t {d} && mkdir {d}/u {d}/w {d}/m && "
                 f"mount -t overlay -o lowerdir=/,upperdir={d}/u,workdir={d}/w o {d}/m")
        try:
            subprocess.run(["unshare", "-m", "-u", "sh", "-c", trial], check=True,
                           capture_output=True, text=True)
        except subprocess.CalledProcessError as e:
            return "mount namespaces are not allowed: " + e.stderr.strip()
    return None


class Node:
    def __init__(self, facts, index):
        self.facts = facts
        self.name = facts["name"]
        self.faults = facts["faults"]
        self.ip = self.name[3:].replace("-", ".")
        self.index = index
        self.proc = None


class Cluster:
    def __init__(self, simraw, scenario):
        self.simraw = os.path.abspath(simraw)
        self.scenario = scenario
        self.netns = f"hpc-{os.getpid()}"
        self.dir = None
        self.nodes = []
        self.extra = []  # netns of nodes that have no sshd

    # ---- what a user of the cluster needs ----

    def client(self, argv):
        """argv, run where the nodes can be reached."""
        return ["ip", "netns", "exec", self.netns] + argv

    @property
    def key(self):
        return f"{self.dir}/id"

    @property
    def known_hosts(self):
        return f"{self.dir}/known_hosts"

    @property
    def raw(self):
        return f"{self.dir}/raw"

    def hosts_file(self, name, ips):
        """A file for --hosts. ips may be of nodes that do not exist."""
        path = f"{self.dir}/{name}"
        with open(path, "w") as f:
            f.writelines(f"root@{ip} group=workers type=p5.48xlarge\n" for ip in ips)
        return path

    def know(self, ip, public_key):
        with open(self.known_hosts, "a") as f:
            f.write(f"{ip} {' '.join(public_key.split()[:2])}\n")

    def forget(self, ip):
        with open(self.known_hosts) as f:
            lines = [line for line in f if line.split()[0] != ip]
        with open(self.known_hosts, "w") as f:
            f.writelines(lines)

    # ---- start ----

    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix="hpc-")
        try:
            run("mount", "-t", "tmpfs", "-o", "mode=700", "hpc", self.dir)
            run(self.simraw, self.scenario, self.dir)
            with open(f"{self.dir}/nodes.json") as f:
                self.nodes = [Node(n, i) for i, n in enumerate(json.load(f))]
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.key)
            run("ip", "netns", "add", self.netns)
            for cmd in ("link set lo up", "link add br0 type bridge",
                        f"addr add {PREFIX}1/24 dev br0", "link set br0 up"):
                run("ip", "-n", self.netns, *cmd.split())
        except BaseException:
            self.__exit__()
            raise
        return self

    def own_file(self, node, path, text, mode=0o644):
        """A file in the node's root, before it starts."""
        full = f"{self.dir}/node/{node.name}/root/{path}"
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w") as f:
            f.write(text)
        os.chmod(full, mode)

    def add_netns(self, index, ip=None):
        """A network namespace on the bridge; with an address where nothing else sets one."""
        name = f"{self.netns}-{index}"
        run("ip", "netns", "add", name)
        self.extra.append(name)
        run("ip", "link", "add", f"v{index}", "netns", self.netns, "type", "veth",
            "peer", "name", "eth0", "netns", name)
        run("ip", "-n", self.netns, "link", "set", f"v{index}", "master", "br0", "up")
        if ip:
            run("ip", "-n", name, "addr", "add", f"{ip}/24", "dev", "eth0")
            run("ip", "-n", name, "link", "set", "eth0", "up")
        return name

    def _prepare(self, node):
        here = f"{self.dir}/node/{node.name}"
        with open(f"{HERE}/fake.sh") as f:
            fake = f.read()
        for name in FAKES:
            path = f"{here}/root/usr/local/hpc/bin/{name}"
            if not os.path.exists(path):
                self.own_file(node, f"usr/local/hpc/bin/{name}", fake, 0o755)
        if not os.path.exists(f"{here}/root/root/.bashrc"):
            self.own_file(node, "root/.bashrc", "")
        self.own_file(node, "usr/local/hpc/sshd_config", SSHD_CONFIG)
        self.own_file(node, "etc/shadow", "root:*:19000:0:99999:7:::\n", 0o600)
        shutil.copy(self.key + ".pub", f"{here}/root/usr/local/hpc/authorized_keys")

    def _make_keys(self, nodes):
        """All at once: key generation waits more than it works."""
        paths = {n: f"{self.dir}/node/{n.name}/root/usr/local/hpc/host" for n in nodes}
        makers = [subprocess.Popen(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path],
                                   stdin=subprocess.DEVNULL) for path in paths.values()]
        for maker in makers:
            if maker.wait():
                raise RuntimeError("ssh-keygen failed")
        for node, path in paths.items():
            with open(path + ".pub") as f:
                self.know(node.ip, f.read())

    def start(self, nodes):
        """Starts the nodes' sshds and waits until all listen."""
        for node in nodes:
            self._prepare(node)
        self._make_keys(nodes)
        for node in nodes:
            netns = self.add_netns(node.index)
            log = open(f"{self.dir}/node/{node.name}/log", "w")
            node.proc = subprocess.Popen(
                ["ip", "netns", "exec", netns, "unshare", "-m", "-u", "--propagation", "private",
                 "sh", f"{HERE}/node.sh", f"{self.dir}/node/{node.name}", node.name,
                 f"{node.ip}/24", "96" if "root_full" in node.faults else "40",
                 "hung" if "hung_mount" in node.faults else "ok"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + 30
        for node in nodes:
            while "Server listening" not in self.log(node):
                if node.proc.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{node.name} did not start:\n{self.log(node)}")
                time.sleep(0.05)

    def log(self, node):
        with open(f"{self.dir}/node/{node.name}/log") as f:
            return f.read()

    # ---- end ----

    def _kill(self, netns):
        pids = subprocess.run(["ip", "netns", "pids", netns], capture_output=True, text=True)
        for pid in pids.stdout.split():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        return bool(pids.stdout.split())

    def __exit__(self, *exc):
        names = [self.netns] + self.extra
        for _ in range(100):
            if not sum(self._kill(n) for n in names):
                break
            for node in self.nodes:
                if node.proc:
                    node.proc.poll()
            time.sleep(0.05)
        for node in self.nodes:
            if node.proc:
                node.proc.wait()
        for name in reversed(names):
            subprocess.run(["ip", "netns", "del", name], capture_output=True)
        if self.dir:
            subprocess.run(["umount", "-l", self.dir], capture_output=True)
            shutil.rmtree(self.dir, ignore_errors=True)
