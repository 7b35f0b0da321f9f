#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/tidy finds each thing that it is there to find, and nothing in a tree that has none of them."""
import os
import subprocess
import sys
import tempfile

ROOT = os.environ.get("TARE_SOURCE_ROOT", os.path.join(os.path.dirname(__file__), "../.."))
SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"
GOOD = {
    "src/base/README": "Uses:\n",
    "src/base/meson.build": "# SPDX-License-Identifier: Apache-2.0\nsources += files('one.c')\n",
    "src/base/one.h": SPDX + "#pragma once\n/* one: it. */\nint one(void);\n",
    "src/base/one.c": SPDX + '#include "base/one.h"\n\n/* never sprintf( */\nint one(void)\n{\n\treturn 1;\n}\n',
    "src/account/README": "Uses: base\n",
    "src/account/meson.build": "# SPDX-License-Identifier: Apache-2.0\nsources += files('two.c')\n",
    "src/account/two.c": SPDX + '#include "base/one.h"\n#include <stdio.h>\n',
}
# what is added to the good tree (a file's text, or a tail of it), and what tidy has to say
BAD = [
    ("src/base/one.c", '#include "account/two.h"\n', "room base does not name account"),
    ("src/base/README", "=Uses: account\n", "room base may not use account"),
    ("src/account/README", "=account\n", "the first line has to be"),
    ("src/account/two.c", '#include "one.h"\n', "write the room"),
    ("src/account/two.c", "#include <zlib.h>\n", "<zlib.h> belongs to room pack"),
    ("src/account/two.c", "#include <openssl/ssl.h>\n", "not on tidy's list"),
    ("src/account/two.c", "int f(void)\n{\n" + "\t;\n" * 69 + "}\n", "a function of 71 lines"),
    ("src/account/two.c", "\n" * 449, "lines"),
    ("src/account/two.c", "/* " + "x" * 100 + " */\n", "columns"),
    ("src/account/two.c", "\tx = atoi(y);\n", "banned: atoi"),
    ("src/account/two.c", "\tx = malloc(y);\n", "memory: malloc"),
    ("src/account/two.c", "\tx = fopen(y);\n", "pure: fopen"),
    ("src/account/two.c", '\tprintf("");\n', "prints: printf"),
    ("src/account/two.c", "static int counter;\n", "a variable at file scope"),
    ("src/account/two.c", "\tif (s->v[METRIC_sm] < 5)\n", "a reading is compared"),
    ("src/account/two.c", "\tif (5 > s->v[METRIC_sm])\n", "a reading is compared"),
    ("src/account/three.c", "=int x;\n", "no SPDX line"),
    ("src/account/three.c", "=" + SPDX, "no meson.build lists it"),
    ("src/account/three.h", "=" + SPDX, "nothing includes it"),
    ("src/base/bare.h", "=" + SPDX + "int x(void);\n", "a header begins with"),
    ("src/account/one.c", "=" + SPDX, "the name is taken"),
    ("src/base/t.def", '=X(A, "a", "A.")\nX(A, "b", "B.")\n', "X(A is there twice"),
    ("docs/x.md", "=see /" + "work/main\n", "names /"),
    ("docs/x.md", "=get it from py" + "pi.org\n", "names py"),
    ("Makefile", "=# SPDX-License-Identifier: Apache-2.0\nCFLAGS = -f" + "fast-math\n", "a fast-math flag"),
    ("docs/big", "=" + "x" * 300000, "300000 bytes"),
    ("docs/copy", "=time,util\n1,2\n3,4\n5,6\n", "somebody else's data"),
]
EXCUSED = [
    ("src/account/two.c", "/* tidy: banned, because of this test */\n\tx = atoi(y);\n"),
    ("src/account/two.c", "/* tidy: long, because of this test */\nint f(void)\n{\n" + "\t;\n" * 69 + "}\n"),
    ("src/account/two.c", "int f(void)\n{\n" + "\t;\n" * 68 + "}\n"),
    ("src/account/two.c", '\tx = "atoi(y)"; /* malloc(1) */ // fopen(\n'),
    ("src/account/two.c", "static const int limit = 1;\nstatic int f(int a);\n"),
]


def tidy(path, change):
    with tempfile.TemporaryDirectory() as top:
        root = os.path.join(top, "tree")
        tree = dict(GOOD)
        if path:
            tree[path] = change[1:] if change.startswith("=") else tree[path] + change
        tree = {os.path.join("tree", name): text for name, text in tree.items()}
        tree["shared/data/theirs.csv"] = "time,util\n1,2\n3,4\n5,6\n"
        for name, text in tree.items():
            os.makedirs(os.path.dirname(os.path.join(top, name)), exist_ok=True)
            with open(os.path.join(top, name), "w", encoding="utf-8") as f:
                f.write(text)
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tools/tidy"), root], text=True,
                              capture_output=True, check=False,
                              env={**os.environ, "TARE_SHARED": os.path.join(top, "shared")})
        return done.returncode, done.stdout + done.stderr


def main():
    cases = [("", "", None)] + [(*case, None) for case in EXCUSED] + BAD
    print("1..%d" % len(cases))
    failed = 0
    for number, (path, change, want) in enumerate(cases, 1):
        status, says = tidy(path, change)
        good = (status == 0 and not says) if want is None else (status == 1 and want in says)
        failed += not good
        print("%s %d - %s: %s" % ("ok" if good else "not ok", number, path, want or "nothing to say"))
        if not good:
            print("\n".join("# " + line for line in says.splitlines()))
    sys.exit(1 if failed else 0)


main()
