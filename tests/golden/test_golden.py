# SPDX-License-Identifier: Apache-2.0
"""Golden files: tools/golden compares them."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
tool = os.path.join(ROOT, "tools", "golden")
os.execv(sys.executable, [sys.executable, tool])
