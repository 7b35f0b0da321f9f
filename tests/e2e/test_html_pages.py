# SPDX-License-Identifier: Apache-2.0
"""Reports as HTML, in a real Chromium: on a wide screen and on a telephone, light and dark, and on paper."""
import importlib.machinery
import importlib.util
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

import chromium
from tap import ROOT, TARE, check, end, equal, skip

TRAINING = "tests/fixtures/report/training.json"
NASTY = "<script>alert(1)</script>\"' onload=x \u202egnp.exe\u2066 \u0007" + "x" * 300
REPORTS = {
    "everything": ["report", TRAINING, "--by", "team,user", "--until", "1970-01-01T09:00:00Z", "--explain", "--matrix"],
    "a month": ["report", "examples/cluster-month", "--by", "team"],
    "readings alone": ["report", "examples/gpu-log.csv"],
    "one instant": ["report", "examples/kubernetes.json", "--by", "team"],
    "bands": ["report", "tests/fixtures/report/scheduler_only.json", "--by", "user", "--tz", "Asia/Kolkata"],
    "rejects": ["report", "tests/fixtures/report/rejects.json"],
    "nothing": ["report", "tests/fixtures/report/nothing.json"],
    "jobs": ["jobs", TRAINING],
}
# What a reader would see as broken; each returns what is wrong.
LAYOUT = r"""(() => {
  const wrong = [], box = e => e.getBoundingClientRect(), name = e => e.tagName + '.' + (e.getAttribute('class') || '');
  const within = (a, b, by) => a.left >= b.left - by && a.right <= b.right + by && a.top >= b.top - by && a.bottom <= b.bottom + by;
  if (document.documentElement.scrollWidth > innerWidth)
    wrong.push('the page scrolls sideways: ' + document.documentElement.scrollWidth);
  for (const e of document.querySelectorAll('main *')) {
    const b = box(e);
    if (!e.closest('.scroll') && !e.closest('svg') && b.width && (b.right > innerWidth + 0.5 || b.left < -0.5))
      wrong.push(name(e) + ' reaches over the edge');
    if (e.parentElement.matches('main, section') && b.right > box(document.querySelector('main')).right - 15)
      wrong.push(name(e) + ' is wider than the text');
  }
  for (const e of document.querySelectorAll('svg rect, svg line'))
    if (e.closest('svg').getBoundingClientRect().width && !e.closest('defs') && !within(box(e), box(e.closest('svg')), 1))
      wrong.push(name(e) + ' lies outside its picture');
  for (const group of ['.x span', '.y span', '.legend li', '.fall tbody tr > *'])
    for (const parent of new Set([...document.querySelectorAll(group)].map(e => e.parentElement))) {
      const boxes = [...parent.children].filter(e => box(e).width).map(box);
      for (let i = 0; i < boxes.length; i++)
        for (let k = i + 1; k < boxes.length; k++) {
          const a = boxes[i], b = boxes[k];
          if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5)
            wrong.push(group + ': two lie over each other');
        }
    }
  for (const e of document.querySelectorAll('.scroll')) {
    if (e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX != 'auto')
      wrong.push('a wide table does not scroll');
  }
  for (const e of document.querySelectorAll('[class]')) {
    const fill = getComputedStyle(e).fill;
    const id = fill && fill.match(/url\("?#([^")]+)/);
    if (id && !document.getElementById(id[1]))
      wrong.push('no pattern ' + id[1]);
  }
  return [...new Set(wrong)];
})()"""
# A waterfall: of each step where what it has ends, and where what it lost ends.
FALL = r"""[...document.querySelectorAll('.fall tbody tr')].map(tr => {
  const all = tr.querySelector('.bar').getBoundingClientRect(), to = e => (e.getBoundingClientRect().right - all.left) / all.width;
  const rects = [...tr.querySelectorAll('.bar rect')], kept = rects.filter(e => !/^a/.test(e.getAttribute('class') || ''));
  return [tr.querySelector('th').textContent, Math.max(0, ...kept.map(to)), Math.max(0, ...rects.map(to))];
})"""
# Parts of each column, from the axis up: [[x, [[top, bottom], ...]], ...] in parts of the picture's height.
COLUMNS = r"""(() => {
  const svg = document.querySelector('.stacks'), all = svg.getBoundingClientRect(), by = {};
  for (const e of svg.querySelectorAll('rect')) {
    const b = e.getBoundingClientRect(), x = e.getAttribute('x') || '0%';
    (by[x] = by[x] || []).push([(all.bottom - b.bottom) / all.height, (all.bottom - b.top) / all.height,
                                b.width / all.width, e.textContent]);
  }
  return Object.values(by);
})()"""
# The contrast of text with what it stands on (WCAG 2), the least of all.
CONTRAST = r"""(() => {
  const light = c => { const [r, g, b] = c.match(/[\d.]+/g).slice(0, 3).map(v => { v /= 255;
    return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4) }); return 0.2126 * r + 0.7152 * g + 0.0722 * b };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  return Math.min(...[...document.querySelectorAll('h1,h2,p,th,td,li,summary,footer,.x span,.y span,.lost')].map(e => {
    const l = light(getComputedStyle(e).color); return (Math.max(l, ground) + 0.05) / (Math.min(l, ground) + 0.05) }));
})()"""
GROUND = "getComputedStyle(document.body).backgroundColor"


def write(folder, name, arguments):
    path = os.path.join(folder, name.replace(" ", "_") + ".html")
    done = subprocess.run([TARE, *arguments, "--format", "html"], cwd=ROOT, capture_output=True, check=False)
    if done.returncode not in (0, 4):
        raise RuntimeError("%s: exit %d: %s" % (name, done.returncode, done.stderr.decode(errors="replace")))
    with open(path, "wb") as f:
        f.write(done.stdout)
    return path


def numbers(word):
    return [float(n.replace(",", "")) for n in re.findall(r"[0-9][0-9,]*(?:\.[0-9]+)?", word)]


def columns_are_as_high_as_their_numbers(page, name):
    """Heights are GPUs and widths are time: areas are to each other as the numbers that stand at them."""
    columns, wrong = page.ask(COLUMNS), []
    areas = []
    for parts in columns:
        parts.sort()
        for (_, top, _, _), (bottom, _, _, _) in zip(parts, parts[1:]):
            if abs(top - bottom) > 0.006:
                wrong.append("a hole at %.3f" % top)
        if parts[0][0] > 0.006:
            wrong.append("it hangs in the air")
        for bottom, top, width, text in parts:
            areas.append(((top - bottom) * width, numbers(text.split(": ")[1])[0]))
    scale = sum(a for a, _ in areas) / sum(n for _, n in areas)
    most = max(a for a, _ in areas)
    off = [(round(a, 5), n) for a, n in areas if abs(a - n * scale) > 0.06 * most]
    check(columns and not wrong and not off, "%s: areas of the columns are their GPU-hours" % name, wrong[:5], off[:5])


def steps_begin_where_the_last_one_ends(page, name):
    """What a step has and what it lost are together what the one above it has."""
    steps = [s for s in page.ask(FALL) if s[0] not in ("successful", "recoverable")]
    off = [(above[0], below[0], above[1], below[2]) for above, below in zip(steps, steps[1:]) if abs(above[1] - below[2]) > 0.004]
    check(len(steps) > 1 and abs(steps[0][1] - 1) < 0.004 and not off, name + ": no step of the waterfall has a hole", *off)


def columns_are_the_days(folder):
    """The parts of each day against the groups of JSON, which sums them another way."""
    arguments = REPORTS["a month"][:2]
    with open(write(folder, "days", arguments), encoding="utf-8") as f:
        parts = re.findall(r"<title>(\S+) (\S+): ([0-9.,]+) of [0-9.,]+ GPU-hours", f.read())
    done = subprocess.run([TARE, *arguments, "--by", "day,account", "--format", "json"], cwd=ROOT, capture_output=True, check=False)
    groups = {(g["key"]["day"], g["key"]["account"]): g["paid"]["gpu_seconds"] / 3600 for g in json.loads(done.stdout)["groups"]}
    shown = {(day, account): numbers(hours)[0] for day, account, hours in parts}
    off = [(key, shown.get(key), groups.get(key)) for key in sorted(set(shown) | set(groups))
           if abs(shown.get(key, 0) - groups.get(key, 0)) > 1]
    check(len(shown) > 100 and not off, "days and accounts are those of --by day,account", len(shown), *off[:8])


def pages_hold(page, folder):
    for name, arguments in REPORTS.items():
        path = write(folder, name, arguments)
        grounds = []
        for width in (1280, 400):
            for dark in (False, True):
                page.show(width, dark)
                page.open(path)
                where = "%s, %d px, %s" % (name, width, "dark" if dark else "light")
                wrong = page.ask(LAYOUT)
                check(not wrong, where + ": nothing is broken", *wrong[:8])
                equal(where + ": asks for nothing, says nothing", page.said(), [])
                grounds.append(page.ask(GROUND))
                contrast = page.ask(CONTRAST)
                check(contrast >= 4.5, where + ": words can be read", contrast)
        equal(name + ": light and dark", grounds, ["rgb(255, 255, 255)", "rgb(20, 23, 27)"] * 2)
        page.show(794, dark=True, media="print")
        page.open(path)
        equal(name + ": paper is white", page.ask(GROUND), "rgb(255, 255, 255)")
        if page.ask("!!document.querySelector('.fall')"):
            page.show(1280)
            page.open(path)
            steps_begin_where_the_last_one_ends(page, name)
        if page.ask("!!document.querySelector('.stacks')"):
            page.show(1280)
            page.open(path)
            columns_are_as_high_as_their_numbers(page, name)


def opened_numbers_scroll_in_their_box(page, folder):
    path = write(folder, "numbers", REPORTS["a month"])
    for width in (1280, 400):
        page.show(width)
        page.open(path)
        page.ask("document.querySelector('details').open = true")
        wrong = page.ask(LAYOUT)
        check(not wrong, "the numbers of a month, %d px: nothing is broken" % width, *wrong[:8])
        equal("%d px: a row for each column" % width, page.ask("document.querySelectorAll('details tbody tr').length"),
              len(page.ask(COLUMNS)))


def words_of_users_are_words(page, folder):
    """The same page with plain names has the same elements."""
    with open(os.path.join(ROOT, TRAINING), encoding="utf-8") as f:
        plain = f.read()
    counts = []
    for name, word in (("plain", "alice"), ("nasty", NASTY)):
        facts = os.path.join(folder, name + ".json")
        with open(facts, "w", encoding="utf-8") as f:
            f.write(plain.replace('"alice"', json.dumps(word)).replace('"llm"', json.dumps(word)))
        path = write(folder, name, ["report", facts, "--by", "team,user"])
        for width in (1280, 400):
            page.show(width)
            page.open(path)
            wrong = page.ask(LAYOUT)
            check(not wrong, "%s names, %d px: nothing is broken" % (name, width), *wrong[:8])
            equal("%s names: asks for nothing, says nothing" % name, page.said(), [])
        counts.append(page.ask("[...document.querySelectorAll('*')].filter(e => e.className != 'long').length"))
        shown = page.ask("[...document.querySelectorAll('tbody th')].map(e => e.textContent)")
        want = re.sub("[\u202e\u2066\u0007]", "\ufffd", word)
        check(want in shown, "%s names are shown as they are" % name, want, shown)
    equal("nasty names make no elements", counts[0], counts[1])
    equal("no script is in the page", page.ask("document.scripts.length"), 0)


def thousand_teams(folder):
    """A folder with what 1,000 teams held over 90 days, a job a day each."""
    start = 1782864000000  # 2026-07-01
    day = 86400000
    names = ["completed", "failed", "timeout", "cancelled", "node_failed", "oom", "preempted"]
    jobs = [{"id": "%d-%d" % (d, t), "user": "u%d" % t, "team": "team-%04d" % t, "kind": "batch", "outcome": names[(d * t) % 17 % 7],
             "submit": start + d * day + t * 1000, "eligible": start + d * day + t * 1000, "start": start + d * day + t * 2000,
             "end": start + d * day + 30000000 + t * 30000, "gpus": 8}
            for d in range(90) for t in range(1000)]
    facts = {"window": [start, start + 90 * day], "as_of": start + 90 * day, "scheduler": [[start, start + 90 * day]],
             "devices": [], "capacity": [{"pool": "h100", "count": 8000, "from": start, "to": start + 90 * day, "state": "up"}],
             "jobs": jobs, "allocations": [{"job": j["id"], "pool": "h100", "count": 8} for j in jobs],
             "prices": [{"from": start, "to": start + 90 * day, "per_gpu_hour": "2.50", "currency": "USD"}]}
    path = os.path.join(folder, "thousand.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(facts, f)
    return path


def seconds_of(arguments):
    """What the processor was busy with it, the least of two runs: a machine that does other things too says nothing of the time."""
    took = []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([TARE, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(took)


def large_pages_stay_small(page, folder):
    arguments = ["report", thousand_teams(folder), "--by", "team", "--top", "0"]
    path = write(folder, "thousand", arguments)
    html, text = (seconds_of(arguments + ["--format", name]) for name in ("html", "text"))
    check(html - text < 1, "1,000 teams: charts take less than a second more than text", html, text)
    size = os.path.getsize(path)
    for width in (1001, 1000, 641):
        page.show(width)
        page.open(path)
        wrong = page.ask(LAYOUT)
        check(not wrong, "1,000 teams, %d px: nothing is broken" % width, *wrong[:8])
        check(page.ask("Math.min(...[...document.querySelectorAll('.fall .bar')].map(e => e.getBoundingClientRect().width))") > 90,
              "1,000 teams, %d px: bars have room" % width)
    page.show(400)
    page.open(path)
    equal("1,000 teams and 90 days are all there",
          [page.ask("document.querySelectorAll('tbody th').length > 1000"), len(page.ask(COLUMNS))], [True, 90])
    check(size < 1000000, "1,000 teams: less than 1 MB", size)
    wrong = page.ask(LAYOUT)
    check(not wrong, "1,000 teams, 400 px: nothing is broken", *wrong[:8])


def pages_of_any_history_are_whole(folder):
    """Invented histories with nearly all accounts, held to what golden pages are held to: marks, columns of tables, sums."""
    sys.path.insert(0, os.path.join(ROOT, "tests/oracle"))
    sys.dont_write_bytecode = True
    import histories
    loader = importlib.machinery.SourceFileLoader("golden", os.path.join(ROOT, "tools/golden"))
    golden = importlib.util.module_from_spec(importlib.util.spec_from_loader("golden", loader))
    loader.exec_module(golden)
    accounts, wrong, path = set(), [], os.path.join(folder, "history.json")
    for seed in range(60):
        with open(path, "w", encoding="utf-8") as f:
            json.dump(histories.make(seed, seed % 5 == 0), f)
        with open(write(folder, "history", ["report", path, "--by", "user,model", "--explain", "--matrix"]), encoding="utf-8") as f:
            page = f.read()
        wrong += ["%d: %s" % (seed, w) for w in golden.check_html(page)]
        accounts |= set(re.findall(r"<title>[^<]* (\S+): [0-9.,]+ of ", page))
    check(not wrong and len(accounts) > 25, "pages of 60 histories are whole and add up", len(accounts), *wrong[:8])


def main():
    with tempfile.TemporaryDirectory(prefix="tare-html-test-") as folder:
        columns_are_the_days(folder)
        pages_of_any_history_are_whole(folder)
    if not chromium.found():
        skip("pages in a browser", "no chromium")
        return
    page = chromium.Chromium()
    try:
        with tempfile.TemporaryDirectory(prefix="tare-html-test-") as folder:
            pages_hold(page, folder)
            opened_numbers_scroll_in_their_box(page, folder)
            words_of_users_are_words(page, folder)
            large_pages_stay_small(page, folder)
    finally:
        page.close()


main()
sys.exit(end())
