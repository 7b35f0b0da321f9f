# SPDX-License-Identifier: Apache-2.0
"""Logs of nvidia-smi through the program: what a log alone says, what a lost GPU costs, a log beside a scheduler's dump, and other people's
logs (skipped where they are not) as written by drivers of another age and out of order."""
import datetime
import json
import os
import random
import subprocess
import tempfile

from tap import SHARED, TARE, check, end, skip


def report(*args):
    """(status, the report as JSON or None, stderr)"""
    done = subprocess.run([TARE, "report", "--format", "json", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr.decode(errors="replace")


def accounts(doc):
    """GPU-seconds by account."""
    return {name: a["gpu_seconds"] for name, a in doc["accounts"].items() if a["gpu_seconds"]}


def log(path, seconds, row, head="timestamp, index, utilization.gpu [%], power.draw [W]"):
    with open(path, "w", encoding="utf-8") as f:
        f.write(head + "\n")
        for s in range(seconds):
            for line in row(s):
                f.write("2026/11/30 12:%02d:%02d.000, %s\n" % (s // 60, s % 60, line) if "GPU is lost" not in line else line + "\n")
    return path


def own_logs(d):
    def busy_then_idle(s):
        return ["%d, %d %%, 300 W" % (i, 90 if s < 60 else 0) for i in range(2)]
    status, doc, err = report(log(d + "/gpu.csv", 120, busy_then_idle))
    check(status == 0 and accounts(doc) == {"active.unjudged": 120, "quiet": 120}, "a log alone: one implicit job", status, err, doc and accounts(doc))

    def lost(s):
        if s < 60:
            return ["%d, 90 %%, 300 W" % i for i in range(2)]
        return ["0, 90 %, 300 W", "Unable to determine the device handle for GPU 0000:1A:00.0: GPU is lost."]
    status, doc, err = report(log(d + "/lost.csv", 120, lost))
    check(status == 0 and accounts(doc) == {"active.unjudged": 119 + 59, "down.failed": 59, "unknown": 1}, "a lost GPU is down", status, err,
          doc and accounts(doc))

    def many(s):
        return ["%d, [N/A], %s, 700 W, %s, Enabled" % r for r in ((0, "71.15 W", "59 MiB, 479 MiB, Active"),
                                                                  (1, "433.78 W", "11125 MiB, 479 MiB, Not Active"))]
    head = "timestamp, index, utilization.gpu [%], power.draw [W], enforced.power.limit [W], memory.used [MiB], memory.reserved [MiB], " \
           "clocks_event_reasons.gpu_idle, mig.mode.current"
    status, doc, err = report(log(d + "/mig.csv", 60, many, head))
    check(status == 0 and accounts(doc) == {"active.unjudged": 60, "vacant": 60}, "in MIG mode power and the idle reason decide", status, err,
          doc and accounts(doc))


def beside_a_dump(d):
    with open(d + "/sacct.txt", "w", encoding="utf-8") as f:
        f.write("JobID|User|Submit|Eligible|Start|End|State|AllocTRES|NodeList\n"
                "7|ann|2026-11-30T12:00:00|2026-11-30T12:00:00|2026-11-30T12:00:00|2026-11-30T12:02:00|COMPLETED|gres/gpu=2,node=1|n1\n")

    def row(s):
        return ["n1, %d, %d %%, 300 W" % (i, 90 if s < 60 else 0) for i in range(2)]
    path = log(d + "/node.csv", 121, row, "timestamp, hostname, index, utilization.gpu [%], power.draw [W]")
    status, doc, err = report(d + "/sacct.txt", path)
    got = doc and accounts(doc)
    check(status == 0 and got and 100 <= got.get("active.productive", 0) <= 120 and 110 <= got.get("quiet", 0) <= 130,
          "with the node's name, readings meet the jobs of a dump", status, err, got)


def by_hand(rows):
    """Accounts by the ledger's rules: samples reach back 2.5 periods; low for 5 s or more is quiet; a shorter low run beside a gap is unknown."""
    utc = datetime.timezone.utc
    points = sorted({int(datetime.datetime.strptime(r[0], "%Y-%m-%d:%H:%M:%S.%f").replace(tzinfo=utc).timestamp() * 1000 + 1e-6): float(r[2])
                     for r in rows}.items())
    gaps = sorted(b[0] - a[0] for a, b in zip(points, points[1:]))
    period = gaps[len(gaps) // 2]
    runs, before = [], None  # [from, to, is low, whether the left end is known, the right end]
    for t, util in points:
        near = before is not None and 2 * (t - before) <= 5 * period
        start, low, before = before if near else t - period, util < 5, t
        if near and runs[-1][2] == low:
            runs[-1][1] = t
            continue
        if near:
            runs[-1][4] = True
        runs.append([start, t, low, near or not runs, False])
    ms = {"quiet": 0, "active.unjudged": 0, "unknown": points[-1][0] - runs[0][0]}
    for start, end, low, left, right in runs:
        account = "active.unjudged" if not low or (end - start < 5000 and left and right) else "quiet" if end - start >= 5000 else "unknown"
        ms[account] += end - start
        ms["unknown"] -= end - start
    return {k: round(v / 1000, 3) for k, v in ms.items()}


def other_peoples_log(d):
    path = os.path.join(SHARED, "data/nvidia-smi-csv/earthquake-4h47/gpu0.log")
    if not os.path.exists(path):
        skip("a log of other people", "it is not here")
        return
    status, doc, err = report(path)
    got = doc and accounts(doc)
    with open(path, encoding="utf-8") as f:
        rows = [line.strip().split(",") for line in f if line[0] != "#"]
    want = by_hand(rows)
    check(status == 0 and got == want, "every millisecond in the account that was worked out apart", status, err, got, want)
    check(abs(want["unknown"] / sum(want.values()) - 0.0061) < 0.0001, "of which little is unknown", want)
    random.Random(1).shuffle(rows)
    for name, util, power in (("old", "utilization.gpu [%]", "power.draw [W]"), ("new", "utilization.gpu [%]", "power.draw.average [W]")):
        with open(d + "/" + name, "w", encoding="utf-8") as f:
            f.write("%s, index, clocks_%s_reasons.active, %s, timestamp\n" % (power, "throttle" if name == "old" else "event", util))
            for r in rows:
                f.write("%s W, %s, [N/A], %s %%, %sT%s\n" % (r[7], r[1], r[2], r[0][:10], r[0][11:]))
        status, doc, err = report(d + "/" + name)
        check(status == 0 and doc and accounts(doc) == got, "the same in the words of %s drivers, rows shuffled" % name, status, err,
              doc and accounts(doc), got)


def main():
    with tempfile.TemporaryDirectory(prefix="tare-smi-") as d:
        own_logs(d)
        beside_a_dump(d)
        other_peoples_log(d)
    return end()


if __name__ == "__main__":
    raise SystemExit(main())
