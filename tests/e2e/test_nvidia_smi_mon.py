# SPDX-License-Identifier: Apache-2.0
"""nvidia-smi dmon and pmon through the program: every reading of generated logs and of other people's captures against Python's own reading of the
text, no more and no fewer; the states that they give; what is said where rows have no time. TAP."""
import datetime
import glob
import json
import os
import random
import re
import subprocess
import tempfile

from fractions import Fraction

from tap import DATA, TARE, check, end, equal, skip

MIB, GIGA = 1 << 20, 10**9
GROUPS = {"p": [("pwr", "W"), ("gtemp", "C"), ("mtemp", "C")],
          "u": [(name, "%") for name in ("sm", "mem", "enc", "dec", "jpg", "ofa")],
          "c": [("mclk", "MHz"), ("pclk", "MHz")], "v": [("pviol", "%"), ("tviol", "bool")],
          "m": [("fb", "MB"), ("bar1", "MB"), ("ccpm", "MB")], "e": [("sbecc", "errs"), ("dbecc", "errs"), ("pci", "errs")],
          "t": [("rxpci", "MB/s"), ("txpci", "MB/s")]}
GPM = [("gract", "%"), ("smutil", "%"), ("smocc", "%"), ("intutil", "%"), ("mmaact", "%"), ("dram", "%"), ("fp64", "%"), ("fp32", "%"),
       ("fp16", "%"), ("pcitx", "MiB/s"), ("pcirx", "MiB/s"), ("nvlrx", "MiB/s"), ("nvltx", "MiB/s")]
MEANS = {"pwr": "power", "gtemp": "temperature", "mtemp": "mem_temperature", "sm": "gpu_util", "mem": "mem_util", "enc": "encoder",
         "dec": "decoder", "mclk": "mem_clock", "pclk": "sm_clock", "fb": "mem_used", "rxpci": "pcie_rx", "txpci": "pcie_tx", "gract": "gr",
         "smutil": "sm", "smocc": "occupancy", "mmaact": "tensor", "dram": "dram", "fp64": "fp64", "fp32": "fp32", "fp16": "fp16",
         "pcitx": "pcie_tx", "pcirx": "pcie_rx", "nvlrx": "nvlink_rx", "nvltx": "nvlink_tx"}
MOST = {"W": 700, "C": 90, "%": 100, "MHz": 3000, "bool": 1, "MB": 80000, "errs": 9, "MB/s": 60000, "MiB/s": 400000}
GPM_NAMES = {name for name, _ in GPM}


def run(*args):
    return subprocess.run([TARE, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)


def export(*args):
    done = run("export", *args)
    return (json.loads(done.stdout, parse_float=Fraction) if done.stdout else {}), done.stderr.decode()


def amount(name, text):
    factor = Fraction(MIB, GIGA) if name in ("pcitx", "pcirx", "nvlrx", "nvltx") else Fraction(1, 1000) if name in ("rxpci", "txpci") else 1
    return Fraction(text) * factor


def readings(names, values):
    """What one row says, by metric: GPM before the driver's own, and sums of what is there."""
    r = {}
    for gpm in (True, False):
        for name, value in zip(names, values):
            if name in MEANS and (name in GPM_NAMES) == gpm and value != "-" and MEANS[name] not in r:
                r[MEANS[name]] = amount(name, value)
    for link in ("pcie", "nvlink"):
        if link + "_tx" in r and link + "_rx" in r:
            r[link] = r[link + "_tx"] + r[link + "_rx"]
    return r


def known(sample):
    return {k: Fraction(v) for k, v in sample["r"].items() if not isinstance(v, str)}


def compare(name, doc, want):
    """WANT: (t, index of the GPU, readings or list of processes) in order."""
    have = doc.get("samples", [])
    wrong = []
    for s, (t, gpu, said) in zip(have, want):
        got = s.get("procs") if isinstance(said, list) else known(s)
        if s["t"] != t or s["device"].rsplit(":", 1)[1] != str(gpu) or got != said:
            wrong.append((s, t, gpu, said))
    check(not wrong and len(have) == len(want) and want, name, len(have), len(want), *wrong[:2])


def write(path, lines, dice=None):
    """DICE: in one of the encodings that logs have."""
    encoding = dice.choice(["utf-8", "utf-8-sig", "utf-16"]) if dice else "utf-8"
    newline = dice.choice(["\n", "\r\n"]) if dice else "\n"
    with open(path, "w", encoding=encoding, newline=newline) as f:
        f.write("\n".join(lines) + "\n")


def head_line(cells, is_csv):
    return "#" + (", " if is_csv else "    ").join(cells)


def row_line(cells, is_csv):
    return ", ".join(cells) if is_csv else " " + " ".join(c.rjust(6) for c in cells) + " "


def generated_log(dice, path):
    """A log of dmon as one of its many forms; what it says."""
    gpus, is_csv = dice.sample(range(16), dice.randint(1, 4)), dice.random() < 0.4
    t, lines, want = datetime.datetime(2026, 11, 30, 23, 59, 50, tzinfo=datetime.timezone.utc), [], []
    for _ in range(dice.randint(1, 3)):  # logs of several runs, one behind the other
        letters = dice.sample("pucvmet", dice.randint(1, 7))
        columns = [c for letter in letters for c in GROUPS[letter]]
        columns += [(n, "GPM:" + u) for n, u in dice.sample(GPM, dice.randint(1, 13))] if dice.random() < 0.5 else []
        has_units, step = dice.random() < 0.7, dice.choice([1, 1, 2, 5])
        has_head = dice.random() < 0.8 or not has_units or any(u.startswith("GPM:") for _, u in columns)
        if not any(n in MEANS for n, _ in columns):
            columns, has_head = columns + GROUPS["p"], True
        if has_head:
            lines.append(head_line(["Date", "Time", "gpu"] + [n for n, _ in columns], is_csv))
        if has_units:
            lines.append(head_line(["YYYYMMDD", "HH:MM:SS", "Idx"] + [u for _, u in columns], is_csv))
        for tick in range(dice.randint(1, 6)):
            for gpu in sorted(gpus):
                values = ["-" if dice.random() < 0.1 or (tick == 0 and u.startswith("GPM:")) else
                          str(dice.randint(0, MOST[u.replace("GPM:", "")])) for _, u in columns]
                lines.append(row_line([t.strftime("%Y%m%d"), t.strftime("%H:%M:%S"), str(gpu)] + values, is_csv))
                want.append((int(t.timestamp() * 1000), gpu, readings([n for n, _ in columns], values)))
            if dice.random() < 0.2 and has_head:
                lines.append(head_line(["Date", "Time", "gpu"] + [n for n, _ in columns], is_csv))
                if has_units:
                    lines.append(head_line(["YYYYMMDD", "HH:MM:SS", "Idx"] + [u for _, u in columns], is_csv))
            t += datetime.timedelta(seconds=step)
    write(path, lines, dice)
    return want


def generated(d):
    dice = random.Random(20261130)
    for i in range(60):
        path = "%s/%d.log" % (d, i)
        want = generated_log(dice, path)
        doc, err = export(path)
        have = [(s["t"], s["device"].rsplit(":", 1)[1], known(s)) for s in doc["samples"]]
        if err or have != [(t, str(gpu), r) for t, gpu, r in want]:
            compare("log %d" % i, doc, want)
            check(False, "nothing is rejected", err)
            return
    check(True, "60 generated logs: every reading is the text's, and there are no others")


def sections(text):
    """(kind, the section's lines) of each dmon and pmon in a capture."""
    for found in re.finditer(r"^# \$ nvidia-smi (dmon|pmon)[^\n]*\n#+\n(.*?)(?=\n\n|\Z)", text, re.M | re.S):
        yield found.group(1), found.group(0).split("\n")


def captures(d):
    paths = sorted(glob.glob(os.path.join(DATA, "nvidia-smi-captures", "*.txt")))
    paths = [p for p in paths if "SOURCE" not in p]
    if not paths:
        skip("other people's captures")
        return
    at = 1796040000000
    for path in paths:
        with open(path, encoding="utf-8") as f:
            found = list(sections(f.read()))
        for n, (kind, lines) in enumerate(found):
            file = "%s/%s-%d.txt" % (d, kind, n)
            write(file, lines)
            head = next(x for x in lines if x.startswith("# gpu")).split()[2:]
            rows = [x.split() for x in lines if x and x[0] != "#"]
            ticks = 5
            size = len(rows) // ticks
            want = []
            for tick in range(ticks):
                part = rows[tick * size:(tick + 1) * size]
                if kind == "dmon":
                    want += [(at + tick * 1000, r[0], readings(head, r[1:])) for r in part]
                else:
                    want.append((at + tick * 1000, 0, ["pid " + r[1] for r in part if r[1] != "-"]))
            doc, err = export(file + "@at=2026-11-30T12:00:00Z")
            compare("%s of %s" % (kind, os.path.basename(path)[14:40]), doc, want)
            if err:
                check(False, "no words", err)
    check(len(found) == 4, "each capture has two of each", len(found))


def report(*args):
    done = run("report", "--format", "json", *args)
    doc = json.loads(done.stdout) if done.stdout else None
    return doc and {k: a["gpu_seconds"] for k, a in doc["accounts"].items() if a["gpu_seconds"]}, done


def stamp(s):
    return "20261130 12:%02d:%02d" % (s // 60, s % 60)


def states(d):
    dmon = ["#Date Time gpu pwr sm", "#YYYYMMDD HH:MM:SS Idx W %"]
    pmon = ["#Date Time gpu pid type sm command", "#YYYYMMDD HH:MM:SS Idx # C/G % name"]
    for s in range(121):
        dmon += ["%s 0 300 %d" % (stamp(s), 90 if s <= 60 else 0), "%s 1 70 0" % stamp(s)]
        pmon += ["%s 0 77 C - python" % stamp(s), "%s 1 - - - -" % stamp(s)]
    write(d + "/dmon.log", dmon)
    write(d + "/pmon.log", pmon)
    write(d + "/both.log", dmon + pmon)
    got, done = report(d + "/dmon.log")
    equal("dmon alone: active, and quiet where nobody says who is there", got, {"active.unjudged": 61, "quiet": 60 + 121})
    got, done = report(d + "/pmon.log")
    check(got == {"vacant": 121, "unknown": 121},
          "pmon alone: nobody on a GPU is vacant; of the other nothing says whether it worked", got, done.stderr)
    got, done = report(d + "/both.log")
    check(got and got.get("stalled.unexplained") == 60 and got.get("vacant") in (120, 121) and got.get("active.unjudged") in (60, 61),
          "both in one file: active, stalled, vacant", got, done.stderr)
    text = run("report", d + "/both.log").stdout.decode()
    check("--tz ZONE" in text, "that the times have no zone is said", text)
    text = run("report", d + "/both.log", "--tz", "Europe/Berlin").stdout.decode()
    check("--tz ZONE" not in text and "2026-11-30 11:00:00" not in text, "unless a zone is given", text)


def of_a_node(d):
    """@node ties the logs of a machine to each other and to a scheduler's jobs."""
    with open(d + "/sacct.txt", "w", encoding="utf-8") as f:
        f.write("JobID|User|Submit|Eligible|Start|End|State|AllocTRES|NodeList\n"
                "7|ann|2026-11-30T12:00:00|2026-11-30T12:00:00|2026-11-30T12:00:00|2026-11-30T12:02:00|COMPLETED|gres/gpu=2,node=1|n1\n")
    logs = [d + "/dmon.log@node=n1", d + "/pmon.log@node=n1"]
    doc, err = export(*logs)
    equal("two logs of one machine: its GPUs once", sorted({x["id"] for x in doc["devices"]}), ["n1:0", "n1:1"])
    check(not err and len(doc["samples"]) == 242 and all("procs" in s for s in doc["samples"]), "each reading with its list", err)
    got, done = report(*logs, d + "/sacct.txt", "--setup-max", "0")
    check(got == {"active.productive": 60, "stalled.unexplained": 60, "vacant": 120}, "and they meet the scheduler's job", got, done.stderr)


def deep(d):
    """GPM: a busy loop that waits (SM high, every pipe and link low) is told from work."""
    lines = ["#Date Time gpu sm gract smutil mmaact dram fp64 fp32 fp16 pcitx pcirx nvlrx nvltx",
             "#YYYYMMDD HH:MM:SS Idx % " + "GPM:% " * 7 + "GPM:MiB/s " * 4]
    for s in range(121):
        work = "100 99 90 60 40 0 5 3 100 100 90000 90000" if s <= 60 else "100 99 90 0 1 0 1 0 10 10 0 0"
        lines.append("%s 0 %s" % (stamp(s), work if s else "100" + " -" * 11))
    write(d + "/gpm.log", lines)
    got, done = report(d + "/gpm.log")
    check(got and got.get("stalled.spinning") == 60 and got.get("active.unjudged") in (60, 61), "GPM tells waiting in a busy loop from work", got, done.stderr)


def refused(d):
    rows = ["# gpu sm mem", "# Idx % %", "0 5 6"]
    cases = (("untimed", rows, "", "no row says when it was read\nhint: nvidia-smi dmon -o DT"),
             ("two", rows + rows[2:], "@at=2026-11-30T12:00:00Z", "how far the others lie apart (-d)\nhint: nvidia-smi dmon -o DT"),
             ("clock", ["#Time gpu sm", "12:00:00 0 5"], "", "a time of day and no date\nhint: nvidia-smi dmon -o DT"))
    for name, lines, at, words in cases:
        write(d + "/" + name, lines)
        done = run("report", d + "/" + name + at)
        check(done.returncode and words in done.stderr.decode(), "%s: refused in words" % name, done.returncode, done.stderr)
    write(d + "/one", rows)
    doc, err = export(d + "/one@at=2026-11-30T12:00:00Z")
    compare("one sample and its time", doc, [(1796040000000, 0, {"gpu_util": 5, "mem_util": 6})])
    write(d + "/bare", ["0, 5, 6", "0, 5, 6"])
    done = run("report", d + "/bare", "--as", "nvidia_smi_dmon")
    check(done.returncode and "noheader" in done.stderr.decode(), "neither head nor units: refused in words", done.returncode, done.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="tare-mon-") as d:
        generated(d)
        captures(d)
        states(d)
        of_a_node(d)
        deep(d)
        refused(d)
    return end()


if __name__ == "__main__":
    raise SystemExit(main())
