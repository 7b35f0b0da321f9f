# SPDX-License-Identifier: Apache-2.0
"""The passes of the ledger's oracle, one file a pass (ledger.md part 6).

Comments name the part of ledger.md a rule comes from ("part 9, case 3") and the decision of
docs/design/001-ledger-decisions.md that makes it exact ("D.4").
"""

GRID = 21000  # part 5: shares are integers out of 21,000
