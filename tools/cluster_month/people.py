# SPDX-License-Identifier: Apache-2.0
"""Who uses the cluster, and for what. All figures here are invented round numbers."""
from sim import END, HOUR, WARM_UP, Job

ACCOUNTS = ("llm", "vision", "speech", "bio", "robotics", "platform")
NAMES = {
    "llm": ("pretrain", "sft", "dpo", "eval", "tokenize"),
    "vision": ("detect", "segment", "diffuse", "eval"),
    "speech": ("asr", "tts", "align"),
    "bio": ("fold", "dock", "score"),
    "robotics": ("policy", "sim2real", "world"),
    "platform": ("nccl-test", "image-check", "burn-in"),
}
ACCOUNT_PRIORITY = {"llm": 5200, "vision": 4800, "speech": 4600, "bio": 4500, "robotics": 4700, "platform": 6000}
QOS_PRIORITY = {"high": 4000, "normal": 2000, "interactive": 3000, "scavenger": 0}
# Quantiles of the work in seconds, by nodes that a job asks for.
WORK_SMALL = [(0, 30), (150, 240), (400, 2700), (650, 11000), (850, 32000), (960, 76000), (1000, 170000)]
WORK_NODE = [(0, 60), (150, 900), (400, 8000), (700, 31000), (900, 70000), (1000, 180000)]
WORK_GANG = [(0, 90), (200, 1800), (500, 14500), (800, 46000), (950, 95000), (1000, 180000)]
WORK_DESK = [(0, 120), (200, 3000), (500, 12000), (800, 28000), (1000, 43000)]
LIMITS = [HOUR // 2, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 12 * HOUR, 24 * HOUR, 48 * HOUR, 72 * HOUR]
NEVER = 1 << 40  # small jobs save nothing and start over
DAY_WEIGHT = (10, 11, 11, 11, 9, 4, 3)  # Monday first
HOUR_WEIGHT = (2, 2, 1, 1, 1, 1, 2, 4, 7, 10, 11, 10, 9, 10, 11, 11, 10, 9, 7, 5, 4, 4, 3, 3)


def build_users(rng):
    users = []
    for i in range(30):
        account = ACCOUNTS[i % 6] if i < 18 else rng.pick([(5, "llm"), (3, "vision"), (2, "bio"), (1, "robotics")])
        users.append((3 + 60 // (i + 4), "u%02d" % (i + 1), 20001 + i, account))
    return users


def arrival(rng):
    while True:
        t = WARM_UP + rng.below(END - WARM_UP)
        day = (t // 86400 + 3) % 7
        if rng.below(121) < DAY_WEIGHT[day] * HOUR_WEIGHT[t // HOUR % 24]:
            return t


def shape(rng, partition):
    """(gpus, nodes, cpus) of a job."""
    if partition == "interactive":
        gpus = rng.pick([(7, 1), (2, 2), (1, 4)])
        return gpus, 1, 12 * gpus
    if partition == "a100":
        gpus = rng.pick([(5, 0), (40, 1), (20, 2), (24, 4), (8, 8), (3, 16)])
        return gpus, max(1, gpus // 4), 16 * gpus or 8 * (1 + rng.below(3))
    gpus = rng.pick([(340, 1), (120, 2), (160, 4), (230, 8), (80, 16), (40, 32), (13, 64), (1, 96)])
    hungry = gpus < 4 and rng.chance(60)  # asks for many cores beside few GPUs
    return gpus, max(1, gpus // 8), 36 * gpus if hungry else 12 * gpus


def failures(rng, nodes):
    """How the first attempts end: [(permille of the work, state, exit code)]."""
    state, code = rng.pick([
        (1000 - 190 - 12 * min(nodes, 8), (None, None)),
        (105 + 12 * min(nodes, 8), ("FAILED", "1:0")),
        (20, ("OUT_OF_MEMORY", "0:125")),
        (65, ("CANCELLED", "0:0")),
    ])
    if state is None:
        return []
    many = 1 + (rng.below(3) if state == "FAILED" else 0)
    early = rng.chance(650)
    return [(rng.below(60) if early else rng.below(950), state, code) for _ in range(many)]


def build_job(rng, user, partition, t, name=None):
    _, login, uid, account = user
    gpus, nodes, cpus = shape(rng, partition)
    table = WORK_DESK if partition == "interactive" else WORK_GANG if nodes > 1 else WORK_NODE if gpus >= 4 else WORK_SMALL
    work = rng.quantile(table)
    longest = 12 * HOUR if partition == "interactive" else 72 * HOUR
    fits = [x for x in LIMITS if x <= longest and x * 10 >= work * (9 if rng.chance(90) else 12)]
    limit = rng.pick([(3, fits[0]), (1, fits[-1])]) if fits else longest
    qos = "interactive" if partition == "interactive" else rng.pick([(76, "normal"), (10, "high"), (14, "scavenger")])
    if nodes > 2 and qos == "scavenger":
        qos = "normal"
    if nodes > 4 and qos == "normal":
        qos = "high"
    return dict(
        user=login, uid=uid, account=account, partition=partition, qos=qos, gpus=gpus, nodes=nodes, cpus=cpus,
        name=name or ("bash" if partition == "interactive" else rng.pick([(1, n) for n in NAMES[account]])),
        work=work, limit=limit, submit=t, begin=None, array=None,
        priority=ACCOUNT_PRIORITY[account] + QOS_PRIORITY[qos] + 20 * min(nodes, 16) + rng.below(100),
        failures=failures(rng, nodes), requeues=nodes > 1 and rng.chance(500),
        cancel_waiting=60 + rng.below(4 * HOUR) if rng.chance(45) else None,
        checkpoint=HOUR if gpus >= 4 else NEVER, srun=nodes > 1 or rng.chance(120))


def build_jobs(count):
    def build(rng):
        users = build_users(rng)
        plans = []
        while len(plans) < count:
            user = rng.pick([(u[0], u) for u in users])
            partition = rng.pick([(63, "h100"), (23, "a100"), (14, "interactive")])
            t = arrival(rng)
            plan = build_job(rng, user, partition, t)
            tasks = 4 + rng.below(13) if plan["nodes"] == 1 and partition != "interactive" and rng.chance(14) else 0
            if tasks and t < END - 9 * 86400:
                for k in range(tasks):  # an array: one script, other data
                    one = dict(plan, array=(len(plans) - k, k), qos="normal", cancel_waiting=None, failures=failures(rng, 1))
                    one["work"] = max(30, plan["work"] * (70 + rng.below(60)) // 100)
                    plans.append(one)
            else:
                if partition != "interactive" and rng.chance(15):
                    plan["begin"] = t + HOUR * (1 + rng.below(10))  # --begin
                plans.append(plan)
        for k in range(18):  # two people start their sweeps on the last day
            t = END - 27 * HOUR + 5000 * k + rng.below(1200)
            plan = build_job(rng, users[k % 3 // 2], "h100", t, "sweep")
            plan.update(gpus=16, nodes=2, cpus=192, work=9 * HOUR + rng.below(20 * HOUR), limit=48 * HOUR,
                        qos="normal", failures=[], cancel_waiting=None, srun=True)
            plans.append(plan)
        order = sorted(range(len(plans)), key=lambda i: (plans[i]["submit"], i))
        raw_of = {i: 481200 + n for n, i in enumerate(order)}
        jobs = []
        for i in order:
            plan = plans[i]
            if plan["array"]:
                plan["array"] = (raw_of[plan["array"][0]], plan["array"][1])
            jobs.append(Job(raw_of[i], **plan))
        return jobs
    return build
