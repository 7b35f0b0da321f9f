# SPDX-License-Identifier: Apache-2.0
"""Links from one page of Markdown to another."""
import os
import re


def pages(folder):
    """Every page below FOLDER, but not in what was built there."""
    found = []
    for where, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if not f.startswith(("build", ".")) and f != "node_modules"]
        found += [os.path.relpath(os.path.join(where, f), folder) for f in files if f.endswith(".md")]
    return sorted(found)


def anchors(text):
    """The ids that a page's headings get."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}


def broken_links(folder):
    bad, links = [], 0
    for path in pages(folder):
        with open(os.path.join(folder, path), encoding="utf-8") as f:
            text = f.read()
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
            if re.match(r"[a-z]+:", link):
                continue
            links += 1
            target, _, anchor = link.partition("#")
            to = os.path.normpath(os.path.join(folder, os.path.dirname(path), target)) if target else os.path.join(folder, path)
            if not os.path.exists(to):
                bad.append("%s: %s" % (path, link))
            elif anchor and to.endswith(".md"):
                with open(to, encoding="utf-8") as f:
                    if anchor not in anchors(f.read()):
                        bad.append("%s: %s" % (path, link))
    return bad, links
