# SPDX-License-Identifier: Apache-2.0
"""Inputs that broke other tools, through the program: text, JSON, stderr and exit status. Numbers are those of the list of
cases that this project keeps; each has the kind of fault, not one line that was seen."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction

from tap import TARE, check, end

COLUMNS = ("JobID", "JobName", "User", "Partition", "Submit", "Eligible", "Start", "End", "State", "AllocTRES", "ReqTRES",
           "NodeList", "Comment")
ROW = {"JobID": "1", "JobName": "train", "User": "ann", "Partition": "gpu", "Submit": "2026-10-01T00:00:00",
       "Eligible": "2026-10-01T00:00:00", "Start": "2026-10-01T01:00:00", "End": "2026-10-01T02:00:00", "State": "COMPLETED",
       "AllocTRES": "billing=1,gres/gpu=1,node=1", "ReqTRES": "gres/gpu=1", "NodeList": "n1", "Comment": ""}
HOUR = 3600000


class Folder:
    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="tare-cases-")

    def put(self, name, content):
        path = os.path.join(self.path, name)
        with open(path, "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        return path


def tare(*args, env=None):
    done = subprocess.run([TARE, "report", *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, **(env or {})}, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def pairs_once(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), "a key twice: %s" % keys
    return dict(pairs)


def exact_sums(report):
    """What is printed adds up: accounts, matrix, money and groups."""
    paid = report["paid"]
    known = [a for a in report["accounts"].values() if a["gpu_seconds"] is not None]
    assert sum(Fraction(a["gpu_seconds"]) for a in known) == Fraction(paid["gpu_seconds"]), "accounts"
    assert sum(Fraction(v) for fates in report["matrix"].values() for v in fates.values()) == Fraction(paid["gpu_seconds"]), "matrix"
    if paid["cost"] is not None:
        assert sum(Fraction(a["cost"]) for a in known if a["cost"] is not None) == Fraction(paid["cost"]), "money"
    if report["groups"]:
        of_groups = [a for g in report["groups"] for a in g["accounts"].values() if a["gpu_seconds"] is not None]
        assert sum(Fraction(a["gpu_seconds"]) for a in of_groups) == Fraction(paid["gpu_seconds"]), "groups"


def read(name, *args, status=0, said=""):
    """The JSON report, as numbers written out; also runs the text report and looks at both."""
    got, out, err = tare("--format", "json", *args)
    check(got == status and said in err, "%s: exit %d" % (name, status), got, err)
    text_status, text, _ = tare(*args)
    control = [b for b in text if (b < 32 and b != 10) or b == 127]
    check(text_status == status and not control, "%s: text without control bytes" % name, text_status, control[:20])
    try:
        report = json.loads(out.decode("utf-8"), parse_float=str, parse_int=str, object_pairs_hook=pairs_once)
        exact_sums(report)
        check(True, "%s: JSON, and it adds up" % name)
    except (ValueError, AssertionError) as e:
        check(False, "%s: JSON, and it adds up" % name, e, out[:300])
        report = {"accounts": {}, "groups": [], "notes": [], "marks": {}, "paid": {}, "rejects": [], "inputs": []}
    report["text"] = text.decode(errors="replace")
    return report


def times(report):
    return {k: float(a["gpu_seconds"]) for k, a in report["accounts"].items() if a["gpu_seconds"] not in (None, "0")}


def by(report, key):
    return {g["key"][key]: round(sum(float(a["gpu_seconds"]) for a in g["accounts"].values() if a["gpu_seconds"]) / 3600, 4)
            for g in report["groups"]}


def sacct(*rows):
    lines = ["|".join(COLUMNS)]
    lines += ["|".join({**ROW, "JobID": str(i + 1), "NodeList": "n%d" % (i + 1), **row}[c] for c in COLUMNS)
              for i, row in enumerate(rows)]
    return "\n".join(lines) + "\n"


def facts(readings, jobs=1, **sample):
    """One GPU of one job (or shared by several) for an hour, with these readings every ten minutes."""
    ids = ["p%d" % i for i in range(jobs)]
    return json.dumps({
        "window": [0, HOUR], "as_of": HOUR, "scheduler": [[0, HOUR]],
        "devices": [{"id": "g0", "node": "n0", "model": "H100"}],
        "capacity": [{"device": "g0", "from": 0, "to": HOUR, "state": "up"}],
        "jobs": [{"id": i, "outcome": "completed", "submit": 0, "eligible": 0, "start": 0, "end": HOUR, "gpus": 1} for i in ids],
        "allocations": [{"job": i, "device": "g0"} for i in ids],
        "samples": [{"device": "g0", "t": t, "period": 600000, "r": readings, **sample} for t in range(600000, HOUR + 1, 600000)]})


def case_01_non_values(d):
    for word, said in (("unsupported", "not supported"), ("lost", "device lost"), ("stale", "stale"), ("not_ready", "not ready")):
        r = read("case 1, " + word, d.put("f", facts({"gpu_util": word, "sm": word})))
        check(times(r) == {"unobserved": 3600}, "case 1, %s: unobserved, not idle" % word, times(r))
        check(any("gpu_util 6 " + said in n for n in r["notes"]), "case 1, %s: counted" % word, r["notes"])
    r = read("case 1, a driver's own word", d.put("f", facts({"gpu_util": "[N/A]", "dram": 50, "sm": 50})), status=4,
             said="6 of 10 records")
    check(times(r) == {"active.productive": 3600}, "case 1: the other readings of the row are kept", times(r))


def case_02_mig_without_utilisation(d):
    idle = {"gpu_util": "unsupported", "power": 71.15, "mem_used": 59, "idle_reason": 1}
    busy = {"gpu_util": "unsupported", "power": 433.78, "mem_used": 11125, "idle_reason": 0, "power_limit": 700}
    r = read("case 2, idle", d.put("f", facts(idle)), "--by", "evidence")
    check(times(r) == {"setup": 600, "quiet": 3000}, "case 2: the idle reason makes it idle", times(r))
    check(by(r, "evidence") == {"inferred": 1}, "case 2: the evidence is named", by(r, "evidence"))
    r = read("case 2, busy", d.put("f", facts(busy)), "--by", "evidence")
    check(times(r) == {"active.productive": 3600} and by(r, "evidence") == {"inferred": 1}, "case 2: power makes it active",
          times(r), by(r, "evidence"))


def case_03_blanks(d):
    words = {"gpu_util": "not_ready", "sm": "unsupported", "tensor": "no_permission", "dram": "lost"}
    r = read("case 3, words", d.put("f", facts(words)))
    note = " ".join(r["notes"])
    check(times(r) == {"unobserved": 3600} and all(s in note for s in (
        "gpu_util 6 not ready", "sm 6 not supported", "tensor 6 refused", "dram 6 device lost")), "case 3: four reasons", note)
    check("NVreg_RestrictProfilingToAdminUsers=0" in note, "case 3: no permission becomes advice", note)
    for blank in (2147483632, 2147483635, 9223372036854775792, 9223372036854775795, 140737488355328.0, 1.40737488355328e+14):
        r = read("case 3, %s" % blank, d.put("f", facts({"gpu_util": blank, "sm": blank})))
        check(times(r) == {"unobserved": 3600} and "sm 6 out of range" in " ".join(r["notes"]),
              "case 3, %s: unknown" % blank, times(r), r["notes"])


def case_04_out_of_range(d):
    for value in (4294967295, 125000, -1, 100.001):
        r = read("case 4, %s" % value, d.put("f", facts({"gpu_util": value, "dram": 50, "sm": 50})))
        check(times(r) == {"active.productive": 3600} and "gpu_util 6 out of range" in " ".join(r["notes"]),
              "case 4, %s: not clamped, counted" % value, times(r), r["notes"])


def case_10_memory_of_all_ones(d):
    low = {"gpu_util": 0, "dram": 0, "pcie": 0, "mem_reserve": 479}
    r = read("case 10", d.put("f", facts({**low, "mem_used": 18446744073709551615})))
    check(times(r) == {"setup": 600, "quiet": 3000} and "mem_used 6 out of range" in " ".join(r["notes"]),
          "case 10: residency is not known", times(r), r["notes"])


def case_11_reserved_memory(d):
    low = {"gpu_util": 0, "dram": 0, "pcie": 0}
    for used, reserve, want in ((538, 479, "vacant"), (579, 479, "stalled.unexplained"), (538, None, "stalled.unexplained"),
                                (59, None, "vacant")):
        r = read("case 11, %s of which %s reserved" % (used, reserve),
                 d.put("f", facts({**low, "mem_used": used, **({"mem_reserve": reserve} if reserve else {})})))
        got = set(times(r)) - {"setup"}
        check(got == {want} or (reserve is None and got <= {"quiet", want}), "case 11: %s" % want, times(r))


def case_14_hostile_names(d):
    rows = [{"User": u, "JobName": n} for u, n in (
        ("\x1b[2J\x07", "python, train.py, --lr=1"), ('say "hi"', "a\tb\x08"), ("u" * 300, "n" * 300), ("\u202eevil", "\x7f\x9b31m"))]
    text = sacct(*rows).encode("latin-1", "backslashreplace") + b"|".join(
        {**{k: v.encode() for k, v in ROW.items()}, "JobID": b"9", "User": b"bad\xff\xfe", "JobName": b"\xc3"}[c] for c in COLUMNS) + b"\n"
    r = read("case 14", d.put("s", text), "--by", "user,job")
    users = [g["key"]["user"] for g in r["groups"]]
    check(len(users) == 5 and "u" * 300 in users and '\x1b[2J\x07' in users and 'say "hi"' in users, "case 14: all users are there", users)


def case_15_locale(d):
    german = {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "LC_NUMERIC": "de_DE.UTF-8"}
    good = d.put("s", sacct({}, {"AllocTRES": "gres/gpu=3"}))
    check(tare("--format", "json", good, env=german) == tare("--format", "json", good), "case 15: output is the same")
    rows = d.put("c", 'id,gpus,from,to\n1,"0,5",2026-10-01T00:00:00Z,2026-10-01T01:00:00Z\n2,0.5,2026-10-01T00:00:00Z,2026-10-01T01:00:00Z\n')
    m = d.put("m", "map: pods\njobs: {id: id, gpus: gpus, start: from, end: to}\n")
    r = read("case 15, a decimal comma in a CSV", "--map", m, rows, status=4, said="c:2: ")
    check(r["paid"].get("gpu_seconds") == "1800" and r["inputs"][0]["rejected"] == "1", "case 15: neither 5 nor 0", r["paid"], r["rejects"])
    status, _, err = tare(good, d.put("p.yaml", 'price: [{accelerator: "*", amount: "0,5", per: hour, currency: EUR}]'), env=german)
    check(status == 3 and "amount is '0,5'" in err, "case 15: nor in a price", status, err)


def case_16_time_slicing(d):
    r = read("case 16", d.put("f", facts({"gpu_util": 99, "sm": 99}, jobs=4)), "--by", "job")
    check(r["paid"].get("gpu_seconds") == "3600", "case 16: one GPU-hour is paid", r["paid"])
    check(by(r, "job") == {"p0": .25, "p1": .25, "p2": .25, "p3": .25}, "case 16: shared equally", by(r, "job"))
    check("estimated" in " ".join(r["notes"]), "case 16: and it says so", r["notes"])


def case_20_gres_spellings(d):
    words = (("gpu:8(S:0-3)", 8), ("gpu:a100:4(S:0-1)", 4), ("gpu:(null):4(IDX:0-3)", 4), ("gpu:tesla:2,gpu:kepler:2", 4),
             ("gpu:2,mps:200", 2), ("N/A", 0), ("(null)", 0), ("shard:16", 0), ("gpu:a100_1g.10gb:7", 1))
    nodes = d.put("n", "".join("NodeName=n%d Gres=%s CPUTot=8 State=IDLE\n" % (i, w) for i, (w, _) in enumerate(words)))
    one = d.put("s", sacct({"NodeList": "other", "AllocTRES": "gres/gpu=1", "Start": "2026-10-01T01:00:00"}))
    r = read("case 20, nodes", nodes, one, "--by", "node")
    got = by(r, "node")
    for i, (w, want) in enumerate(words):
        check(got.get("n%d" % i, 0) == want, "case 20, Gres=%s: %d" % (w, want), got)
    tres = (("gres/gpu=8,gres/gpu:h100=8", 8), ("gres/gpu:h100=8,cpu=1", 8), ("gres/gpu:a100=2,gres/gpu:h100=4", 6),
            ("cpu=8,gres/gpu=2,gres/mps=200", 2), ("cpu=8", 0), ("gres/shard=16", 0))
    r = read("case 20, jobs", d.put("s", sacct(*({"AllocTRES": w, "ReqTRES": ""} for w, _ in tres))), "--by", "job")
    got = by(r, "job")
    for i, (w, want) in enumerate(tres):
        check(got.get("%d" % (i + 1), 0) == want, "case 20, AllocTRES=%s: %d" % (w, want), got)
    r = read("case 20, a slice", d.put("s", sacct({"AllocTRES": "gres/gpu:a100_1g.10gb=1,cpu=8", "ReqTRES": ""})))
    check(r["paid"].get("gpu_seconds") == "514.286", "case 20: a seventh of a GPU", r["paid"])


def case_21_more_than_asked_for(d):
    r = read("case 21", d.put("s", sacct({"ReqTRES": "cpu=1,gres/gpu=1", "AllocTRES": "cpu=64,gres/gpu=8"})))
    check(r["paid"].get("gpu_seconds") == "28800" and r["marks"]["unrequested"]["gpu_seconds"] == "25200",
          "case 21: 8 allocated, 7 beyond the request", r["paid"], r["marks"])
    check("7.000 GPU-hours are GPUs beyond what jobs asked for" in " ".join(r["text"].split()), "case 21: a line of its own", r["text"])


def case_22_times(d):
    rows = ({"Start": "2025-03-30T02:30:00", "End": "2025-03-30T04:30:00", "Submit": "2025-03-30T00:00:00", "Eligible": "Unknown"},
            {"Start": "Unknown", "End": "Unknown", "State": "PENDING", "AllocTRES": "", "NodeList": "None assigned"},
            {"Start": "None", "End": "2026-10-01T00:30:00", "State": "CANCELLED by 7", "AllocTRES": ""},
            {"Start": "0001-01-01T00:00:00", "End": "0001-01-01T00:00:00"},
            {"Start": "N/A", "End": "N/A", "State": "RUNNING"},
            {"Start": "Mon 14:02", "End": "Mon 15:02"},
            {"Start": "2026-10-01T05:00:00", "End": "2026-10-01T02:00:00"},
            {"Start": "1790812800", "End": "1790816400", "Submit": "1790812800", "Eligible": "1790812800"})
    r = read("case 22", d.put("s", sacct(*rows)), "--tz", "Europe/Berlin", "--by", "job", status=4, said="SLURM_TIME_FORMAT=standard")
    check(by(r, "job") == {"8": 1}, "case 22: only the job with times holds time", by(r, "job"))
    check([x["line"] for x in r["rejects"]] == ["7", "8"], "case 22: a relative time and a negative length are rejected", r["rejects"])
    check("1970" not in r["text"] and "clock skips in spring" in " ".join(r["text"].split()), "case 22: unknown is not 1970; the gap is said", r["text"])
    waits = r["measures"]["queue_time"] if "queue_time" in r.get("measures", {}) else {"low": "0"}
    check(not str(waits["low"]).startswith("-"), "case 22: no negative wait", waits)


def case_28_prices(d):
    dump = d.put("s", sacct({"AllocTRES": "gres/gpu=2", "ReqTRES": "gres/gpu=2"}))
    entry = 'price: [{accelerator: "*", currency: USD, %s}]'
    for price, cost in (("amount: 3, per: hour", "6"), ("amount: 2190, per: month", "6"), ("amount: 24, per: hour, gpus: 8", "6"),
                        ("amount: 0, per: hour", "0")):
        r = read("case 28, " + price, dump, "--price", d.put("p", entry % price))
        check(r["paid"].get("cost") == cost, "case 28, %s: %s" % (price, cost), r["paid"])
    for price, said in (("amount: 3", "per"), ("amount: 3, per: fortnight", "expected hour, month or year"),
                        ("amount: -0.3, per: hour", "expected 0 or more"), ("amount: 3, per: hour, gpus: 0", "gpus is '0'")):
        status, out, err = tare(dump, "--price", d.put("p", entry % price))
        check(status == 3 and not out and said in err and "/p: 1:" in err, "case 28, %s: an error with its place" % price, status, err)
    for second, said in (("currency: EUR, amount: 1", "currency"), ("currency: USD, amount: 1", "same")):
        both = (entry % "amount: 3, per: hour")[:-1] + ', {accelerator: "*", per: hour, %s}]' % second
        status, out, err = tare(dump, "--price", d.put("p", both))
        check(status == 3 and not out and said in err, "case 28, two prices, %s: an error" % second, status, err)
    r = read("case 28, no price", dump)
    check(r["paid"].get("cost") is None and r["paid"].get("currency") is None, "case 28: no price is null, not 0", r["paid"])


def case_40_broken_rows(d):
    good = [{"JobName": "a|b"}, {"Comment": "first line\nsecond line"}, {"Comment": "written \\n break"}]
    text = sacct(*good).encode()
    text += b"|".join({**{k: v.encode() for k, v in ROW.items()}, "JobID": b"4", "Comment": b"\xff"}[c] for c in COLUMNS) + b"\n"
    text += b"5|cut|in|ha\n"
    text += sacct(*([{}] * 7)).encode().split(b"\n", 6)[6]
    r = read("case 40", d.put("s", text), "--by", "job", status=4, said="s:7: ")
    check(by(r, "job") == {"1": 1, "2": 1, "3": 1, "4": 1, "6": 1, "7": 1}, "case 40: the neighbours of the cut row are kept", by(r, "job"))
    check(r["inputs"][0]["rejected"] == "1" and r["inputs"][0]["records"] == "7", "case 40: it is one record", r["inputs"])


def main():
    d = Folder()
    try:
        for name, case in sorted(globals().items()):
            if name.startswith("case_"):
                case(d)
    finally:
        shutil.rmtree(d.path)
    return end()


sys.exit(main())
