# SPDX-License-Identifier: Apache-2.0
"""The cluster and its month: nodes, users, jobs, and a scheduler that places them.

Event simulation in whole seconds, as slurmctld keeps time. FIFO by priority with EASY backfill (only the
first blocked job has a reservation), preemption of scavenger jobs, a GPU limit per user, node failures,
one draining node. Integers only, own random numbers: the same on every machine.
"""
import calendar
import heapq

START = calendar.timegm((2026, 10, 1, 0, 0, 0))
END = calendar.timegm((2026, 11, 1, 0, 0, 0))
WARM_UP = START - 4 * 86400  # what runs on 1 October was started before
HOUR = 3600
FOREVER = 1 << 60
USER_GPUS_MAX = {"normal": 88, "high": 160, "scavenger": 64, "interactive": 4}
BACKFILL_DEPTH = 60
PREEMPT_EXEMPT = 2 * HOUR
REQUEUE_DELAY = 121  # a requeued job is eligible when its old credential has expired


class Rng:
    """splitmix64."""

    def __init__(self, seed):
        self.s = seed

    def below(self, n):
        self.s = (self.s + 0x9E3779B97F4A7C15) & (2**64 - 1)
        z = self.s
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
        return (z ^ (z >> 31)) % n

    def chance(self, permille):
        return self.below(1000) < permille

    def pick(self, weighted):
        at = self.below(sum(w for w, _ in weighted))
        for w, value in weighted:
            if at < w:
                return value
            at -= w

    def quantile(self, points):
        """A value from a distribution given by its quantiles: [(permille, value), ...]."""
        at = self.below(1000000)
        for (p0, v0), (p1, v1) in zip(points, points[1:]):
            if at < p1 * 1000:
                return v0 + (v1 - v0) * (at - p0 * 1000) // ((p1 - p0) * 1000)
        return points[-1][1]


class Node:
    def __init__(self, name, partition, model, gpus, cpus, mem_gb):
        self.name, self.partition, self.model = name, partition, model
        self.gpus, self.cpus, self.mem_gb = gpus, cpus, mem_gb
        self.free_gpus, self.free_cpus = gpus, cpus
        self.up, self.draining = True, False
        self.jobs = {}  # job -> (gpus, cpus)
        self.down = []  # [from, to] as it really was
        self.reason = None  # (text, who, since)
        self.boot = WARM_UP - 86400 * 11
        self.last_busy = self.boot

    def usable(self):
        return self.up and not self.draining


class Attempt:
    """One row of the accounting database."""

    def __init__(self, submit, eligible, restarts):
        self.submit, self.eligible, self.restarts = submit, eligible, restarts
        self.start = self.end = None
        self.state, self.exit, self.reason = "PENDING", "0:0", "None"
        self.places = []  # (node, gpus, cpus)


class Job:
    def __init__(self, raw, **words):
        self.raw = raw
        self.__dict__.update(words)
        self.attempts = []
        self.done = 0  # seconds of work that a restart finds again
        self.limited = False

    def key(self):
        a = self.attempts[-1]
        return (-self.priority, a.eligible, a.submit, self.raw)


def build_nodes():
    nodes = []
    for i in range(1, 25):
        nodes.append(Node("gpu-h-%02d" % i, "interactive" if i > 22 else "h100", "h100", 8, 96, 1024))
    for i in range(1, 9):
        nodes.append(Node("gpu-a-%02d" % i, "a100", "a100", 4, 64, 512))
    return nodes


class Simulation:
    def __init__(self, seed, jobs_of):
        self.rng = Rng(seed)
        self.nodes = build_nodes()
        self.parts = {p: [n for n in self.nodes if n.partition == p] for p in ("h100", "a100", "interactive")}
        self.queue = {p: [] for p in self.parts}
        self.held = {}  # (user, qos) -> GPUs
        self.events, self.seq, self.pass_at = [], 0, {}
        self.jobs = jobs_of(self.rng)
        for job in self.jobs:
            self.at(job.submit, self.submit, job)
        self.plan_failures()

    def at(self, t, what, *args):
        self.seq += 1
        heapq.heappush(self.events, (t, self.seq, what, args))

    def run(self):
        while self.events and self.events[0][0] < END:
            t, _, what, args = heapq.heappop(self.events)
            what(t, *args)
        for job in self.jobs:  # what the dump at the end of the month shows
            for a in job.attempts:
                if a.start is not None and a.end is None:
                    a.state = "RUNNING"
        return self

    # -- nodes --

    def plan_failures(self):
        by_name = {n.name: n for n in self.nodes}
        last = [by_name["gpu-h-09"], END - 44 * HOUR - 2836]
        drain = by_name["gpu-h-17"]
        for _ in range(20):
            node = self.nodes[self.rng.below(len(self.nodes))]
            t = START + self.rng.below(27 * 86400)
            if node not in (last[0], drain):
                self.at(t, self.node_fails, node, HOUR + self.rng.below(19 * HOUR))
        self.at(last[1], self.node_fails, last[0], None)
        self.at(END - 58 * HOUR - 3300, self.node_drains, drain)

    def node_fails(self, t, node, seconds):
        if not node.up:
            return
        node.up = False
        node.down.append([t, t + seconds if seconds else FOREVER])
        for job in sorted(node.jobs, key=lambda j: j.raw):
            self.stop(t, job, "NODE_FAIL", "1:0")
            self.requeue(t, job)
        if seconds:
            self.at(t + seconds, self.node_returns, node)
        else:
            node.reason = ("Not responding", "slurm", t)
        self.wake(t, node.partition)

    def node_returns(self, t, node):
        node.up, node.boot = True, t - 190
        self.wake(t, node.partition)

    def node_drains(self, t, node):
        node.draining = True
        node.reason = ("GPU 3 ECC row remap pending", "root", t)

    # -- jobs --

    def submit(self, t, job):
        job.attempts.append(Attempt(t, job.begin or t, 0))
        self.enqueue(t, job)
        if job.cancel_waiting:
            self.at(t + job.cancel_waiting, self.cancel_waiting, job)

    def enqueue(self, t, job):
        self.queue[job.partition].append(job)
        self.wake(max(t, job.attempts[-1].eligible), job.partition)

    def cancel_waiting(self, t, job):
        a = job.attempts[-1]
        if a.start is None and a.end is None:
            a.end, a.state = t, "CANCELLED by %d" % job.uid
            self.queue[job.partition].remove(job)
            self.wake(t, job.partition)

    def requeue(self, t, job):
        restarts = job.attempts[-1].restarts + 1
        job.attempts.append(Attempt(t, t + REQUEUE_DELAY, restarts))
        self.enqueue(t, job)

    def begin(self, t, job, places):
        a = job.attempts[-1]
        a.start, a.places = t, places
        a.reason = "QOSMaxGRESPerUser" if job.limited else "None"
        self.queue[job.partition].remove(job)
        for node, gpus, cpus in places:
            node.free_gpus -= gpus
            node.free_cpus -= cpus
            assert node.free_gpus >= 0 and node.free_cpus >= 0
            node.jobs[job] = (gpus, cpus)
        key = (job.user, job.qos)
        self.held[key] = self.held.get(key, 0) + job.gpus
        seconds, state, code = self.fate(job, len(job.attempts))
        self.at(t + seconds, self.ends, job, a, state, code)

    def fate(self, job, nth):
        """How this attempt ends if nothing else ends it first."""
        left = max(300, job.work - job.done)
        if nth <= len(job.failures):
            permille, state, code = job.failures[nth - 1]
            return max(7, left * permille // 1000), state, code
        if left >= job.limit:
            return job.limit + self.rng.below(30), "TIMEOUT", "0:0"
        return left, "COMPLETED", "0:0"

    def ends(self, t, job, attempt, state, code):
        if attempt.end is not None:
            return
        self.stop(t, job, state, code)
        if state == "FAILED" and job.requeues and attempt.restarts < 3:
            self.requeue(t, job)
        self.wake(t, job.partition)

    def stop(self, t, job, state, code):
        a = job.attempts[-1]
        a.end = t
        a.state = "CANCELLED by %d" % job.uid if state == "CANCELLED" else state
        a.exit = code
        for node, gpus, cpus in a.places:
            node.free_gpus += gpus
            node.free_cpus += cpus
            del node.jobs[job]
            node.last_busy = t
        self.held[(job.user, job.qos)] -= job.gpus
        saved = (t - a.start) // job.checkpoint * job.checkpoint
        job.done = min(job.work, job.done + saved)

    # -- the scheduler --

    def wake(self, t, partition):
        """Asks for a pass; passes start every fifth second."""
        due = t - t % 5 + 5
        if self.pass_at.get((partition, due)) is None:
            self.pass_at[(partition, due)] = True
            self.at(due, self.schedule, partition)

    def schedule(self, t, partition):
        del self.pass_at[(partition, t)]
        first_blocked, shadow, kept = False, FOREVER, ()
        waiting = sorted((j for j in self.queue[partition] if j.attempts[-1].eligible <= t), key=Job.key)
        for job in waiting[:BACKFILL_DEPTH]:
            a = job.attempts[-1]
            if self.held.get((job.user, job.qos), 0) + job.gpus > USER_GPUS_MAX[job.qos]:
                a.reason, job.limited = "QOSMaxGRESPerUser", True
                continue
            free = [n for n in self.parts[partition] if n.usable()]
            if first_blocked and t + job.limit > shadow:
                free = [n for n in free if n not in kept]
            places = self.find(job, free)
            if places is None and not first_blocked and job.qos != "scavenger" and job.gpus:
                places = self.preempt(t, job, free)
            if places is not None:
                self.begin(t, job, places)
            elif not first_blocked:
                first_blocked, a.reason = True, "Resources"
                shadow, kept = self.reserve(t, job)
            else:
                a.reason = "Priority"
        for job in waiting[BACKFILL_DEPTH:]:
            job.attempts[-1].reason = "Priority"

    @staticmethod
    def share(job):
        return job.gpus // job.nodes, job.cpus // job.nodes

    def find(self, job, nodes, free=None):
        """The fullest nodes that have room for the job, or None."""
        gpus, cpus = self.share(job)
        free = free or {n: (n.free_gpus, n.free_cpus) for n in nodes}
        fits = sorted((free[n][0], n.name, n) for n in nodes if free[n][0] >= gpus and free[n][1] >= cpus)
        if len(fits) < job.nodes:
            return None
        return sorted(((n, gpus, cpus) for _, _, n in fits[: job.nodes]), key=lambda p: p[0].name)

    @staticmethod
    def may_preempt(t, job):
        return job.qos == "scavenger" and job.attempts[-1].start + PREEMPT_EXEMPT <= t

    def preempt(self, t, job, nodes):
        """Sends scavenger jobs back to the queue if that makes room."""
        free = {n: [n.free_gpus, n.free_cpus] for n in nodes}
        for n in nodes:
            for other, (gpus, cpus) in n.jobs.items():
                if self.may_preempt(t, other):
                    free[n][0] += gpus
                    free[n][1] += cpus
        places = self.find(job, nodes, free)
        if places is None:
            return None
        for node, gpus, cpus in places:
            victims = sorted((j for j in node.jobs if self.may_preempt(t, j)), key=lambda j: -j.attempts[-1].start)
            while node.free_gpus < gpus or node.free_cpus < cpus:
                victim = victims.pop(0)
                self.stop(t, victim, "PREEMPTED", "0:15")
                self.requeue(t, victim)
        return places

    def reserve(self, t, job):
        """When and where the first blocked job can start if all others use their whole limit."""
        gpus, cpus = self.share(job)
        when = []
        for n in self.parts[job.partition]:
            if not n.usable():
                continue
            have_g, have_c, at = n.free_gpus, n.free_cpus, t
            for other in sorted(n.jobs, key=lambda j: (j.attempts[-1].start + j.limit, j.raw)):
                if have_g >= gpus and have_c >= cpus:
                    break
                have_g += n.jobs[other][0]
                have_c += n.jobs[other][1]
                at = max(t, other.attempts[-1].start + other.limit)
            if have_g >= gpus and have_c >= cpus:
                when.append((at, n.name, n))
        when.sort(key=lambda w: w[:2])
        if len(when) < job.nodes:
            return FOREVER, ()
        chosen = when[: job.nodes]
        return chosen[-1][0], tuple(n for _, _, n in chosen)
