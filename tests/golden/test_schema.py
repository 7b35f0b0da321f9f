# SPDX-License-Identifier: Apache-2.0
"""docs/reference/schema/report.json is what tools/report_schema writes from the tables."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
made = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "report_schema")], stdout=subprocess.PIPE, check=True)
with open(os.path.join(ROOT, "docs", "reference", "schema", "report.json"), "rb") as f:
    same = f.read() == made.stdout
print("%sok 1 - the schema has the tables' names" % ("" if same else "not "))
if not same:
    print("# tools/report_schema --update writes it")
print("1..1")
sys.exit(not same)
