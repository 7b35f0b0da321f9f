# SPDX-License-Identifier: Apache-2.0
"""The program as people and scripts meet it: exit statuses, what it says on stderr, damaged inputs, Ctrl-C, terminals."""
import gzip
import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from tap import TARE, check, end, skip

HEAD = "JobID|JobName|User|Account|Submit|Eligible|Start|End|State|AllocTRES|NodeList"
ROW = "%d|train|ann|red|2026-10-01T00:00:00|2026-10-01T00:00:00|2026-10-01T01:00:00|2026-10-01T03:00:00|COMPLETED|" \
      "billing=1,cpu=8,gres/gpu=2,node=1|n%d"
HUGE = "x" * (1024 * 1024 + 1)


def dump(n, *extra):
    """sacct's text with N good rows, then the EXTRA lines."""
    return "\n".join([HEAD, *(ROW % (1000 + i, i % 8) for i in range(n)), *extra]) + "\n"


def tare(*args, env=None, stdin=b"", stdout=subprocess.PIPE):
    """(status, stdout, stderr)"""
    done = subprocess.run([TARE, *args], input=stdin, stdout=stdout, stderr=subprocess.PIPE, env={**os.environ, **(env or {})},
                          timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


class Folder:
    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="tare-e2e-")

    def put(self, name, content):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(content.encode() if isinstance(content, str) else content)
        return path


def exit_statuses(d):
    good = d.put("good", dump(200))
    few = d.put("few", dump(198, "short|row"))
    many = d.put("many", dump(98, "short|row", "short|row"))
    for name, args, status, said in (
            ("a good input", [good], 0, ""),
            ("rejects under one in a hundred", [few], 0, "tare report: 1 of 199 records could not be used\n"),
            ("the same, strict", ["--strict", few], 3, ": 1 rejected\n"),
            ("one in a hundred or more", [many], 4, ": 2 of 100 records rejected\n"),
            ("the same, strict", ["--strict", many], 3, ": 2 rejected\n"),
            ("rejects show the line", [few], 0, few + ":200: "),
            ("no input", [], 2, "no input"),
            ("an unknown option", ["--nonsense", good], 2, "no option --nonsense"),
            ("an unknown format", ["--as", "nonsense", good], 2, "no format is called 'nonsense'"),
            ("an unknown zone", ["--tz", "Mars/Olympus", good], 2, "Mars/Olympus"),
            ("an unknown zone of a file", [good + "@tz=Mars/Olympus"], 2, "Mars/Olympus"),
            ("a key given twice", ["--by", "user,user", good], 2, "--by: 'user' is given twice"),
            ("a dump given as a price list", [good, "--price", good], 2, "/good holds sacct, not prices"),
            ("a dump given as a policy", [good, "--policy", good], 2, "/good holds sacct, not policy"),
            ("a bad time", ["--since", "yesterday-ish", good], 2, "yesterday-ish"),
            ("a file that is not there", [d.path + "/none"], 3, "cannot open '%s/none': No such file or directory" % d.path),
            ("one good and one that is not there", [good, d.path + "/none"], 3, "cannot open"),
            ("a mapping file that is not there", ["--map", d.path + "/none", good], 3, "cannot open")):
        got, out, err = tare("report", *args)
        check(got == status and said in err and (not said or err), "%s: exit %d" % (name, status), got, err)
        check(bool(out) == ("strict" in name or status in (0, 4)), "%s: a report or none" % name, out)
    check(tare("nonsense")[0] == 2, "an unknown command: exit 2")
    check(tare("report", good)[2] == "", "nothing on stderr when nothing is wrong")


def damaged_inputs(d):
    binary = d.put("binary", bytes(range(256)) * 500)
    status, _, err = tare("report", binary)
    check(status == 3 and "its format is not known (it is binary)\nhint: formats: " in err, "binary garbage is told apart", err)
    status, _, err = tare("report", d.put("wide", dump(3).encode("utf-16")))
    check(status == 3 and "it is UTF-16 text: iconv " in err, "UTF-16 is told apart", err)
    status, _, err = tare("report", d.put("empty", ""))
    check(status == 3 and err.endswith("/empty: it is empty\n"), "an empty file is told apart", err)
    status, _, err = tare("report", "-")
    check(status == 3 and err == "tare report: -: it is empty\n", "so is an empty pipe", err)
    status, out, err = tare("report", d.put("huge", dump(200, HUGE, ROW % (7, 1))))
    check(status == 0 and "/huge:202: line is longer than 1048576 bytes" in err and b"202 records" in out,
          "a huge line costs itself alone", status, err, out)
    text = dump(3000)
    cut = d.put("cut", text[:-50])
    status, out, err = tare("report", cut)
    check(status == 0 and ":3001: " in err, "a file cut within a line loses that line", status, err)
    packed = gzip.compress(text.encode(), mtime=0)
    want = tare("report", "--format", "json", d.put("whole", text))[1].replace(b"/whole", b"/x")
    got = tare("report", "--format", "json", d.put("whole.gz", packed))[1].replace(b"/whole.gz", b"/x")
    check(got == want, "a packed file gives the same report")
    got = tare("report", "--format", "json", "-", stdin=packed)[1].replace(b'"name": "-"', b'"name": "%s/x"' % d.path.encode())
    check(got == want, "so does a pipe")
    status, out, err = tare("report", d.put("cut.gz", packed[:-3000]))
    check(status == 4 and out and "cut.gz: gzip stream ends too early; what came before it was read" in err and
          "cut.gz: read in part" in err, "a packed file that was cut: exit 4, with a report of what came before", status, err)
    noise = bytearray(packed)
    noise[len(noise) // 2:len(noise) // 2 + 40] = b"\xff" * 40
    status, out, err = tare("report", d.put("noise.gz", bytes(noise)))
    check(status == 4 and out and "gzip stream is damaged: " in err, "a damaged one too", status, err)
    if shutil.which("zstd"):
        zst = subprocess.run(["zstd", "-q"], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
        got = tare("report", "--format", "json", d.put("whole.zst", zst))[1].replace(b"/whole.zst", b"/x")
        check(got == want, "a zstd file gives the same report")
    else:
        skip("a zstd file gives the same report", "no zstd")


def folders(d):
    d.put("folder/2.txt", dump(200))
    d.put("folder/1.txt.gz", gzip.compress(dump(100).encode(), mtime=0))
    d.put("folder/sub/3.txt", dump(50))
    d.put("folder/README", "words\n")
    d.put("folder/.hidden", "words\n")
    status, out, err = tare("report", d.path + "/folder")
    check(status == 0 and "README: left out: its format is not known" in err, "a folder is read, strange files are named", err)
    check(b"1.txt.gz (sacct), 2.txt (sacct)" in out.replace(b"\n", b" "), "its files are listed", out[:600])
    check(tare("report", "--strict", d.path + "/folder")[0] == 3, "a strange file is no good for --strict")
    check(tare("report", d.put("words/README", "words\n")[:-7])[0] == 3, "a folder without anything known: exit 3")


def overlapping_dumps(d):
    """Jobs that run over the end of a month are in both months' dumps, and in squeue as long as they run."""
    both = d.put("both", dump(20))
    running = ROW.replace("COMPLETED", "RUNNING").replace("2026-10-01T03:00:00", "Unknown") % (1003, 3)
    first = d.put("first", dump(0, *(ROW % (1000 + i, i % 8) for i in range(3)), running, ROW % (1004, 4)))
    last = d.put("last", dump(0, *(ROW % (1000 + i, i % 8) for i in range(3, 20))))
    want = tare("report", "--format", "json", both)[1]
    for order in ((first, last), (last, first), (both, both)):
        _, out, err = tare("report", "--format", "json", *order)
        got, one = json.loads(out), json.loads(want)
        check(got["accounts"] == one["accounts"] and got["window"] == one["window"],
              "dumps that overlap count a job once: %s" % [os.path.basename(p) for p in order], err, got["notes"])
    nodes = d.put("nodes", "NodeName=n1 Gres=gpu:4 State=IDLE\nNodeName=n2 Gres=gpu:4 State=IDLE\n")
    status, out, _ = tare("report", nodes)
    check(status == 0 and b"A list of one instant." in out, "a list of nodes alone says what it lacks", out)


def outputs(d):
    good = d.put("good", dump(200))
    with open("/dev/full", "wb") as full:
        status, _, err = tare("report", good, stdout=full)
    check(status == 3 and err == "tare: cannot write to stdout\n", "a full disk is an error", status, err)
    done = subprocess.run(["sh", "-c", 'exec "$0" report "$1" >&-', TARE, good], stderr=subprocess.PIPE, check=False)
    check(done.returncode == 3 and done.stderr == b"tare: cannot write to stdout\n", "so is a closed stdout", done.stderr)
    done = subprocess.run(["sh", "-c", '"$0" report "$1" --by user --explain | head -n 1', TARE, good], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    check(done.stdout.count(b"\n") == 1, "a reader that stops early is no harm", done)
    plain = tare("report", good)[1]
    check(b"\033" not in plain, "no colour in a file")


def locales(d):
    good = d.put("good", dump(200))
    want = tare("report", good, "--format", "json", env={"LC_ALL": "C"})
    if not shutil.which("localedef"):
        return skip("German numbers change nothing", "no localedef")
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", d.path + "/de_DE.UTF-8"], stderr=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, check=False)
    if not os.path.isdir(d.path + "/de_DE.UTF-8"):
        return skip("German numbers change nothing", "localedef exits with %d" % made.returncode)
    german = {"LOCPATH": d.path, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
    comma = subprocess.run(["/usr/bin/printf", "%.1f", "0,5"], env={**os.environ, **german}, stdout=subprocess.PIPE, check=False)
    if comma.stdout != b"0,5":
        return skip("German numbers change nothing", "the locale does not load: %s" % comma.stdout)
    check(tare("report", good, "--format", "json", env=german) == want, "German numbers change nothing in JSON")
    utf8 = tare("report", good, env={"LC_ALL": "C.UTF-8"})
    check(tare("report", good, env=german) == utf8, "nor in text")
    zone = tare("report", good, "--format", "json", env={"TZ": "Asia/Tokyo"})
    check(zone == want, "the machine's own zone changes nothing")


def big_file(d):
    path = os.path.join(d.path, "big")
    block = dump(20000).encode()
    with open(path, "wb") as f:
        for _ in range(60): # 190 MB; the same ids again and again
            f.write(block)
    return path


def interrupts(d, big):
    for args, name in ((["report", big], "Ctrl-C"), (["report", "--format", "json", big], "Ctrl-C, as JSON")):
        run = subprocess.Popen([TARE, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.15)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=120)
        check(run.returncode == 4 and out and b"big: read in part\n" in err, name + ": exit 4, a report of what was read",
              run.returncode, err)
    read, write = os.pipe() # stdin that never ends
    run = subprocess.Popen([TARE, "report", "-"], stdin=read, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.write(write, dump(300).encode())
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=30)
    os.close(read)
    os.close(write)
    check(run.returncode == 4 and b"300 records" in out, "Ctrl-C ends a pipe that is left open", run.returncode, out[:300], err)


def in_terminal(*args, env=None):
    """What the program writes when stdout and stderr are a terminal."""
    master, slave = pty.openpty()
    run = subprocess.Popen([TARE, *args], stdin=slave, stdout=slave, stderr=slave, env={**os.environ, **(env or {})})
    os.close(slave)
    seen = b""
    while True:
        ready = select.select([master], [], [], 60)[0]
        try:
            piece = os.read(master, 65536) if ready else b""
        except OSError: # the other side is closed
            piece = b""
        if not piece:
            break
        seen += piece
    run.wait(timeout=60)
    os.close(master)
    return seen


def terminals(d, big):
    with open(os.devnull, "rb") as nothing:
        done = subprocess.run([TARE, "report", big], stdin=nothing, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    check(done.stderr == b"", "no progress in a file", done.stderr[:200])
    seen = in_terminal("report", big)
    check(b"\rreading " in seen and b" % " in seen, "progress on a terminal", seen[:200])
    bar, _, rest = seen.rpartition(b"\r\033[K")
    check(b"GPU" not in bar and b"GPU" in rest, "and it is gone before the report", bar[-200:])
    plain = in_terminal("report", d.put("good", dump(200)), env={"NO_COLOR": "1"})
    check(b"\033[3" not in plain and b"\033[1m" not in plain and b"GPU" in plain, "NO_COLOR: no colour on a terminal", plain[:300])


def main():
    d = Folder()
    try:
        exit_statuses(d)
        damaged_inputs(d)
        folders(d)
        overlapping_dumps(d)
        outputs(d)
        locales(d)
        big = big_file(d)
        interrupts(d, big)
        terminals(d, big)
    finally:
        shutil.rmtree(d.path)
    return end()


sys.exit(main())
