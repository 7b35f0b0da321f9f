# SPDX-License-Identifier: Apache-2.0
"""What Slurm would print of the month, the price list and the policy."""
import time

from sim import END, START

COLUMNS = ("JobID JobIDRaw JobName User Account Partition QOS Cluster Submit Eligible Start End Elapsed State "
           "ExitCode ReqTRES AllocTRES NNodes NCPUS NodeList Priority Reason Restarts").split()
CLUSTER = "atlas"
MEM_PER_CPU_GB = {"h100": 10, "a100": 7, "interactive": 10}
SPARE_GPUS = 8  # H100s, by the policy
OWNED_MONTHLY = 1460  # USD per H100 and month, from 16 October on
AGREED = START - 30 * 86400  # jobs that began before the month have a price too
PRICES = (  # partition's accelerator, from, to, amount, per, basis
    ("H100", AGREED, START + 15 * 86400, "2.60", "hour", "on_demand"),
    ("H100", START + 15 * 86400, END, str(OWNED_MONTHLY), "month", "committed"),
    ("A100", AGREED, END, "1.15", "hour", "committed"),
)


def stamp(t):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t))


def elapsed(seconds):
    days, rest = divmod(seconds, 86400)
    text = "%02d:%02d:%02d" % (rest // 3600, rest % 3600 // 60, rest % 60)
    return "%d-%s" % (days, text) if days else text


def node_list(names):
    """gpu-h-01,gpu-h-02,gpu-h-05 as gpu-h-[01-02,05]"""
    if len(names) == 1:
        return names[0]
    stem, numbers = names[0][:-2], [int(n[-2:]) for n in names]
    runs = []
    for n in numbers:
        if runs and runs[-1][1] == n - 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return "%s[%s]" % (stem, ",".join("%02d" % a if a == b else "%02d-%02d" % (a, b) for a, b in runs))


def tres(job, model, nodes, cpus, gpus):
    parts = ["cpu=%d" % cpus]
    if gpus:
        parts += ["gres/gpu:%s=%d" % (model, gpus)] + ["gres/gpu=%d" % gpus] * (job.raw % 4 == 0)
    return ",".join(parts + ["mem=%dG" % (cpus * MEM_PER_CPU_GB[job.partition]), "node=%d" % nodes])


def in_dump(a):
    """sacct -S START -E END shows what ran or waited between the two."""
    return a.end is None or a.end > START


def job_rows(job, attempt, model):
    a = attempt
    ident = "%d_%d" % job.array if job.array else str(job.raw)
    started = a.start is not None
    end = stamp(a.end) if a.end is not None else "Unknown"
    start = stamp(a.start) if started else "None" if a.end is not None else "Unknown"
    length = elapsed((a.end if a.end is not None else END) - a.start) if started else "00:00:00"
    names = [n.name for n, _, _ in a.places]
    asked = tres(job, model, job.nodes, job.cpus, job.gpus)
    yield [ident, str(job.raw), job.name, job.user, job.account, job.partition, job.qos, CLUSTER, stamp(a.submit),
           stamp(a.eligible), start, end, length, a.state, a.exit, asked, asked if started else "", str(job.nodes),
           str(job.cpus), node_list(names) if started else "None assigned", str(job.priority), a.reason, str(a.restarts)]
    if not started:
        return
    word = a.state.split()[0]
    of_batch = {"TIMEOUT": "CANCELLED", "PREEMPTED": "CANCELLED", "NODE_FAIL": "CANCELLED"}.get(word, word)
    of_extern = "RUNNING" if word == "RUNNING" else "CANCELLED" if word == "NODE_FAIL" else "COMPLETED"
    _, gpus, cpus = a.places[0]
    # A site that contains its jobs has an extern step for each; here only some keep theirs, for size.
    steps = [("extern", "extern", of_extern, "0:0", job.nodes)] if job.srun or job.qos == "interactive" else []
    if job.qos == "interactive":
        steps.insert(0, ("interactive", "interactive", of_batch, a.exit, 1))
    else:
        steps.insert(0, ("batch", "batch", of_batch, a.exit, 1))
    if job.srun:
        steps.append(("0", "python", of_batch, a.exit, job.nodes))
    for suffix, name, state, code, nodes in steps:
        what = "cpu=%d%s,node=%d" % (cpus * nodes, ",gres/gpu=%d" % (gpus * nodes) if gpus else "", nodes)
        yield ["%s.%s" % (ident, suffix), "%d.%s" % (job.raw, suffix), name, "", job.account, "", "", CLUSTER, start,
               start, start, end, length, state, code, "", what, str(nodes), str(cpus * nodes),
               names[0] if nodes == 1 else node_list(names), "", "", "0"]


def sacct(sim):
    model = {p: nodes[0].model for p, nodes in sim.parts.items()}
    lines = ["|".join(COLUMNS)]
    for job in sim.jobs:
        for a in job.attempts:
            if in_dump(a):
                lines += ["|".join(row) for row in job_rows(job, a, model[job.partition])]
    return "\n".join(lines) + "\n"


def node_state(n):
    busy = "IDLE" if not n.jobs else "MIXED" if n.free_gpus or n.free_cpus else "ALLOCATED"
    if not n.up:
        return "DOWN"
    return busy + "+DRAIN" if n.draining else busy


def nodes(sim):
    blocks = []
    for n in sim.nodes:
        used_cpus, used = n.cpus - n.free_cpus, n.gpus - n.free_gpus
        mem, used_mem = n.mem_gb * 1000, used_cpus * MEM_PER_CPU_GB[n.partition] * 1024
        alloc = "cpu=%d,mem=%dM,gres/gpu=%d,gres/gpu:%s=%d" % (used_cpus, used_mem, used, n.model, used) if used_cpus else ""
        lines = [
            "NodeName=%s Arch=x86_64 CoresPerSocket=%d" % (n.name, n.cpus // 2),
            "   CPUAlloc=%d CPUEfctv=%d CPUTot=%d CPULoad=%d.%02d" % (used_cpus, n.cpus, n.cpus, used_cpus * 7 // 8, used_cpus % 100),
            "   AvailableFeatures=%s" % n.model,
            "   ActiveFeatures=%s" % n.model,
            "   Gres=gpu:%s:%d(S:0-1)" % (n.model, n.gpus),
            "   NodeAddr=%s NodeHostName=%s Version=23.11.10" % (n.name, n.name),
            "   OS=Linux 5.15.0-122-generic #132-Ubuntu SMP Thu Aug 29 13:45:52 UTC 2024",
            "   RealMemory=%d AllocMem=%d FreeMem=%d Sockets=2 Boards=1" % (mem, used_mem, mem - used_mem * 4 // 5 - 9000),
            "   State=%s ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A" % node_state(n),
            "   Partitions=%s" % n.partition,
            "   BootTime=%s SlurmdStartTime=%s" % (stamp(n.boot), stamp(n.boot + 74)),
            "   LastBusyTime=%s ResumeAfterTime=None" % stamp(END if n.jobs else n.last_busy),
            "   CfgTRES=cpu=%d,mem=%dM,billing=%d,gres/gpu=%d,gres/gpu:%s=%d" % (n.cpus, mem, n.cpus, n.gpus, n.model, n.gpus),
            "   AllocTRES=%s" % alloc,
            "   CapWatts=n/a",
            "   CurrentWatts=0 AveWatts=0",
            "   ExtSensorsJoules=n/a ExtSensorsWatts=0 ExtSensorsTemp=n/a",
        ]
        if n.reason:
            lines.append("   Reason=%s [%s@%s]" % (n.reason[0], n.reason[1], stamp(n.reason[2])))
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks) + "\n"


def prices(_):
    out = ["# SPDX-License-Identifier: Apache-2.0",
           "# Invented prices for an invented cluster: not quotes.",
           "price:"]
    for accelerator, since, until, amount, per, basis in PRICES:
        out += ["  - accelerator: %s" % accelerator, "    from: %sZ" % stamp(since), "    to: %sZ" % stamp(until),
                "    amount: %s" % amount, "    currency: USD", "    per: %s" % per, "    basis: %s" % basis]
    return "\n".join(out) + "\n"


def policy(_):
    return "\n".join([
        "# SPDX-License-Identifier: Apache-2.0",
        "# One node's worth of H100s is meant to stand ready for production hot fixes.",
        "reserve:", "  - pool: h100", "    spares: %d" % SPARE_GPUS]) + "\n"
