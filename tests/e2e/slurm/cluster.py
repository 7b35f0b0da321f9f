# SPDX-License-Identifier: Apache-2.0
"""A whole Slurm of two nodes on this machine, for the length of a `with` block.

munged, mariadbd, slurmdbd, slurmctld and two slurmd run as plain child processes out of one temporary folder, with ports that
were free and a database on a socket. GPUs are character devices made with mknod: n1 has four a100, n2 two v100. Needs root and
the Debian packages munge, mariadb-server, slurmdbd, slurm-wlm; `missing()` says what is not there.
"""
import ctypes
import os
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time

PROGRAMS = ["munged", "mariadbd", "mariadb-install-db", "slurmdbd", "slurmctld", "slurmd", "sacctmgr", "sbatch", "sacct",
            "scontrol", "sinfo", "squeue"]
CONF = """ClusterName=testing
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={dir}/munge.socket,cred_expire=10
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool-%n
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/slurmd-%n.pid
SlurmctldPort={ctld}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={dbd}
AccountingStoragePass=socket={dir}/munge.socket
AccountingStorageTRES=gres/gpu,gres/gpu:a100,gres/gpu:v100
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=5,sched_min_interval=0,requeue_delay=1
PriorityType=priority/basic
OverTimeLimit=0
KillWait=1
MinJobAge=3600
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={n1} CPUs=8 RealMemory=1000 Gres=gpu:a100:4 State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={n2} CPUs=8 RealMemory=1000 Gres=gpu:v100:2 State=UNKNOWN
PartitionName=gpu Nodes=n1,n2 Default=YES MaxTime=60 State=UP
"""
GRES = """NodeName=n1 Name=gpu Type=a100 File={dir}/gpu-n1-[0-3]
NodeName=n2 Name=gpu Type=v100 File={dir}/gpu-n2-[0-1]
"""
DBD = """AuthType=auth/munge
AuthInfo=socket={dir}/munge.socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={dbd}
SlurmUser=root
PidFile={dir}/slurmdbd.pid
LogFile={dir}/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=accounting
"""


def path_of(program):
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def missing():
    """Why such a cluster cannot be started here; None if it can."""
    absent = [p for p in PROGRAMS if not path_of(p)]
    if absent:
        return "not installed: " + ", ".join(absent)
    if os.geteuid() != 0:
        return "needs root"
    with tempfile.TemporaryDirectory() as folder:
        try:
            os.mknod(os.path.join(folder, "device"), 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        except OSError as why:
            return "cannot make devices: %s" % why
    return None


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


PR_SET_CHILD_SUBREAPER = 36  # prctl(2)


def adopt_orphans():
    """What the servers leave behind (slurmstepd forks twice) becomes a child of this process, so that it can be ended."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children():
    """Process ids of this process's children, from /proc/PID/stat: the parent is the second field after the name."""
    mine = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                    if int(file.read().rpartition(")")[2].split()[1]) == os.getpid():
                        mine.append(int(entry))
            except OSError:
                pass  # it ended while we looked
    return mine


def end_orphans():
    """Ends them and theirs: whoever loses its parent comes to us."""
    for _ in range(100):
        left = children()
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass


class Cluster:
    def __init__(self):
        adopt_orphans()
        self.dir = tempfile.mkdtemp(prefix="tare-slurm-")
        self.servers = []
        self.env = dict(os.environ, SLURM_CONF=self.dir + "/slurm.conf", MYSQL_UNIX_PORT=self.dir + "/db.socket",
                        TZ="UTC", LC_ALL="C", PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        for name in [n for n in self.env if n.startswith(("SLURM_", "SBATCH_")) and n != "SLURM_CONF"]:
            del self.env[name]

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *what):
        self.stop()

    def serve(self, name, *command):
        log = open("%s/%s.out" % (self.dir, name), "wb")
        self.servers.append(subprocess.Popen([path_of(command[0]), *command[1:]], stdin=subprocess.DEVNULL, stdout=log,
                                             stderr=log, env=self.env, start_new_session=True))
        log.close()

    def run(self, *command, check=True):
        """What a command prints."""
        done = subprocess.run([path_of(command[0]) or command[0], *command[1:]], env=self.env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60, check=False)
        if check and done.returncode:
            raise RuntimeError("%s: %s" % (" ".join(command), done.stderr.decode(errors="replace")))
        return done.stdout.decode()

    def wait(self, what, is_true, seconds=60):
        end = time.monotonic() + seconds
        while not is_true():
            for server in self.servers:
                if server.poll() is not None:
                    raise RuntimeError("%s ended with %d while waiting for %s" % (server.args[0], server.returncode, what))
            if time.monotonic() > end:
                raise RuntimeError("waited %d s for %s" % (seconds, what))
            time.sleep(0.2)

    def write(self, name, text, mode=0o600):
        path = os.path.join(self.dir, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, mode)

    def answers(self, *command):
        return lambda: subprocess.run([path_of(command[0]), *command[1:]], env=self.env, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, timeout=30, check=False).returncode == 0

    def start(self):
        os.chmod(self.dir, 0o755)
        ctld, dbd, n1, n2 = free_ports(4)
        words = {"dir": self.dir, "host": socket.gethostname().split(".")[0], "ctld": ctld, "dbd": dbd, "n1": n1, "n2": n2}
        self.write("slurm.conf", CONF.format(**words), 0o644)
        self.write("gres.conf", GRES.format(**words), 0o644)
        self.write("slurmdbd.conf", DBD.format(**words))
        for name in ("state", "spool-n1", "spool-n2", "work"):
            os.mkdir(os.path.join(self.dir, name))
        for node, count in (("n1", 4), ("n2", 2)):
            for i in range(count): # as /dev/null
                os.mknod("%s/gpu-%s-%d" % (self.dir, node, i), 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        with open(self.dir + "/munge.key", "wb") as f:
            f.write(os.urandom(1024))
        os.chmod(self.dir + "/munge.key", 0o400)
        self.start_munge_and_database()
        self.serve("slurmdbd", "slurmdbd", "-D", "-v")
        self.wait("slurmdbd", self.answers("sacctmgr", "-n", "list", "cluster"))
        self.run("sacctmgr", "-i", "add", "cluster", "testing")
        for team in ("red", "blue"):
            self.run("sacctmgr", "-i", "add", "account", team)
        self.run("sacctmgr", "-i", "add", "user", "root", "account=red,blue", "defaultaccount=red")
        self.serve("slurmctld", "slurmctld", "-D", "-i", "-c", "-v", "-L", self.dir + "/slurmctld.log")
        self.wait("slurmctld", self.answers("scontrol", "ping"))
        for node in ("n1", "n2"):
            self.serve("slurmd-" + node, "slurmd", "-D", "-N", node, "-v", "-L", "%s/slurmd-%s.log" % (self.dir, node))
        self.wait("the nodes", lambda: self.run("sinfo", "-h", "-N", "-o", "%T").split() == ["idle", "idle"])

    def start_munge_and_database(self):
        d = self.dir
        self.serve("munged", "munged", "--foreground", "--force", "--key-file=%s/munge.key" % d,
                   "--socket=%s/munge.socket" % d, "--pid-file=%s/munged.pid" % d, "--log-file=%s/munged.log" % d,
                   "--seed-file=%s/munge.seed" % d)
        self.run("mariadb-install-db", "--no-defaults", "--user=root", "--datadir=%s/db" % d, "--skip-test-db",
                 "--auth-root-authentication-method=normal")
        self.serve("mariadbd", "mariadbd", "--no-defaults", "--user=root", "--datadir=%s/db" % d, "--skip-networking",
                   "--socket=%s/db.socket" % d, "--pid-file=%s/db.pid" % d, "--innodb-buffer-pool-size=64M",
                   "--innodb-lock-wait-timeout=900")
        self.wait("munged", lambda: os.path.exists(d + "/munge.socket"))
        self.wait("mariadbd", lambda: os.path.exists(d + "/db.socket"))

    def stop(self):
        """Ends every server by its process id, the last one started first."""
        for server in reversed(self.servers):
            if server.poll() is None:
                server.terminate()
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
        self.servers = []
        end_orphans()
        shutil.rmtree(self.dir, ignore_errors=True)

    def batch(self, script, *options):
        """The id of a job that runs SCRIPT in sh."""
        said = self.run("sbatch", "--parsable", "--output=/dev/null", "--chdir=" + self.dir + "/work", *options, "--wrap", script)
        return said.strip().split(";")[0]

    def state(self, job):
        return self.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T", check=False).split()
