# SPDX-License-Identifier: Apache-2.0
"""Every command of docs/guide runs, and prints what the page shows; the invented examples are what their tool writes."""
import gzip
import os
import re
import subprocess
import sys
import tempfile

from links import broken_links
from tap import ROOT, check, end, equal, skip


def guide(*args, root=ROOT):
    """(status, results as TAP lines, all it said)"""
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tools/guide"), *args], capture_output=True, check=False,
                          env={**os.environ, "TARE_SOURCE_ROOT": root})
    out = done.stdout.decode()
    return done.returncode, re.findall(r"^((?:not )?ok) \d+ - (.*)$", out, re.M), out + done.stderr.decode()


def pages_hold():
    status, results, out = guide()
    for word, name in results:
        at = out.index(" - " + name)
        if " # SKIP " in name:
            skip(*name.split(" # SKIP "))
            continue
        check(word == "ok", name.replace(" # ", " "), out[at:at + 1500])
    check(status == 0 and len(results) > 20, "all of them ran", status, out[-500:])


def errors_are_seen():
    """The tool itself can fail: a page with wrong lines, run the same way."""
    with tempfile.TemporaryDirectory(prefix="tare-guide-test-") as d:
        os.makedirs(d + "/docs/guide")
        os.makedirs(d + "/examples")
        for name, body, want in (
                ("what is printed", "$ echo one; echo two\none\ntwo\n", "ok"),
                ("a wrong line", "$ echo one; echo two\none\nthree\n", "not ok"),
                ("a line too few", "$ echo one; echo two\none\n", "not ok"),
                ("a line too many", "$ echo one\none\ntwo\n", "not ok"),
                ("an excerpt", "$ seq 9\n1\n...\n5\n...\n9\n", "ok"),
                ("an excerpt to the end", "$ seq 9\n1\n...\n", "ok"),
                ("an excerpt out of order", "$ seq 9\n1\n...\n6\n...\n5\n...\n", "not ok"),
                ("an excerpt that is not the end", "$ seq 9\n1\n...\n8\n", "not ok"),
                ("a status", "$ false\n", "not ok"),
                ("a status that is shown", "$ false; echo $?\n1\n", "ok"),
                ("a command of two lines", "$ echo one \\\n> two\none two\n", "ok")):
            with open(d + "/docs/guide/page.md", "w", encoding="utf-8") as f:
                f.write("# Page\n\n```console\n" + body + "```\n")
            equal("the tool sees %s" % name, [word for word, _ in guide(root=d)[1]], [want])
        with open(d + "/docs/guide/page.md", "w", encoding="utf-8") as f:
            f.write("```yaml a.yaml\nkey: 1\n```\n```console\n$ cat a.yaml\nkey: 2\n$ printf 'one 1\\ntwo 2\\nsix 6\\nten 10\\n'\none 0\n...\nsix 7\nten 7\n```\n")
        guide("--write", root=d)
        with open(d + "/docs/guide/page.md", encoding="utf-8") as f:
            equal("it writes what is printed", f.read(),
                  "```yaml a.yaml\nkey: 1\n```\n```console\n$ cat a.yaml\nkey: 1\n$ printf 'one 1\\ntwo 2\\nsix 6\\nten 10\\n'\none 1\n...\nsix 6\nten 10\n```\n")
        equal("and that holds", guide(root=d)[0], 0)


def content(path):
    if not os.path.exists(path):
        return None
    with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as f:
        return f.read()


def examples_are_written():
    with tempfile.TemporaryDirectory(prefix="tare-examples-") as d:
        subprocess.run([sys.executable, os.path.join(ROOT, "tools/small_examples"), d], check=True)
        for folder, _, files in os.walk(d):
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), d)
                check(content(os.path.join(ROOT, "examples", path)) == content(os.path.join(d, path)),
                      "examples/%s is what tools/small_examples writes" % path)


def links_lead_somewhere():
    bad, links = broken_links(ROOT)
    check(links > 80 and not bad, "every link in the project's pages leads somewhere", links, bad)
    with tempfile.TemporaryDirectory(prefix="tare-links-") as d:
        for name, text in (("a.md", "# One thing\n[b](b.md#some-more) [c](#one-thing) [d](b.md#none) [e](c.md) ```[f](f.md)```\n"),
                           ("b.md", "## Some more\n```\n[g](g.md)\n```\n[h](https://h.example/)\n")):
            with open(os.path.join(d, name), "w", encoding="utf-8") as f:
                f.write(text)
        equal("a link to nowhere is seen", broken_links(d)[0], ["a.md: b.md#none", "a.md: c.md", "a.md: f.md"])


pages_hold()
errors_are_seen()
examples_are_written()
links_lead_somewhere()
sys.exit(end())
