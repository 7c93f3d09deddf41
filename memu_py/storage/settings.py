"""What a store is built from."""

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

Clock = Callable[[], datetime]
"""Gives the present moment, aware."""

DEFAULT_BUSY_TIMEOUT_S = 30.0
DEFAULT_READERS = 4


def utc_now() -> datetime:
    """Return the present moment."""
    return datetime.now(UTC)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class StoreSettings:
    """How to reach a database and how to treat it.

    Attributes:
        backend: `memory`, `sqlite` or `postgres`.
        dsn: the address of `postgres`.
        path: the database file of `sqlite`; its folder is created when it is not there.
        keep_changes_days: how long `maintenance.prune_changes` keeps the change log, in days; None for ever.
        keep_answers_days: how long `maintenance.prune_answers` keeps answers of chat models, in days; None for ever.
        busy_timeout_s: how long a write waits for the writers of other processes, in seconds.
        readers: threads that read at the same time.
        row_level_security: have the server of `postgres` hold partitions apart, too.
    """

    backend: str = "sqlite"
    dsn: str | None = None
    path: Path | None = None
    keep_changes_days: int | None = None
    keep_answers_days: int | None = None
    busy_timeout_s: float = DEFAULT_BUSY_TIMEOUT_S
    readers: int = DEFAULT_READERS
    row_level_security: bool = False
