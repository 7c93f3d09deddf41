"""Originals in a folder, looked at from outside."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path


def file_of(root: Path, key: str) -> Path:
    partition, digest = key.split("/")
    return root / partition / digest[:2] / digest


def age(path: Path, by: timedelta) -> None:
    then = (datetime.now(UTC) - by).timestamp()
    os.utime(path, (then, then))
