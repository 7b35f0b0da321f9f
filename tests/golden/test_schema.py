# SPDX-License-Identifier: Apache-2.0
"""The schemas of docs/reference/schema are what tools/schemas writes from the tables."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
same = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "schemas")], check=False).returncode == 0
print("%sok 1 - the schemas have the tables' names" % ("" if same else "not "))
if not same:
    print("# tools/schemas --update writes them")
print("1..1")
sys.exit(not same)
