"""Print the share of branches that the last test run covered, and fail below the lid."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

LID_PERCENT = 95.0


def main() -> int:
    """Read the totals of `.coverage`; return 1 when too few branches were covered."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "coverage.json")
        command = [sys.executable, "-m", "coverage", "json", "--quiet", "--fail-under=0", "-o", str(report)]
        subprocess.run(command, check=True)
        totals = json.loads(report.read_text(encoding="utf-8"))["totals"]
    percent = 100 * totals["covered_branches"] / max(totals["num_branches"], 1)
    print(f"branches covered: {percent:.1f} % (at least {LID_PERCENT:.0f} %)")
    return int(percent < LID_PERCENT)


if __name__ == "__main__":
    sys.exit(main())
