"""From an exception to what becomes of the job."""

import random
from datetime import datetime, timedelta

from memu_py.errors import AccessDenied, Cancelled, ConfigError, InvalidInput, MemuError, NotFound
from memu_py.records.job import Job, JobError

FINAL = (ConfigError, InvalidInput, AccessDenied, NotFound, Cancelled)
"""Errors that another attempt would not change."""

LONGEST_PAUSE_S = 3600.0
LONGEST_MESSAGE = 1000
"""Characters of an error that are kept."""


def error_of(error: BaseException) -> JobError:
    """Return what is kept of an error: its kind, and what it says."""
    text = str(error) or (type(error).__doc__ or "").partition("\n")[0]
    return JobError(type=type(error).__name__, message=text[:LONGEST_MESSAGE])


def again_at(
    job: Job, error: Exception, *, now: datetime, backoff_s: float, rng: random.Random
) -> datetime | None:
    """Return when to try again: pauses double, with jitter, so that many jobs do not come back at once.

    Args:
        job: as it ran.
        error: how the attempt ended.
        now: UTC.
        backoff_s: the first pause, in seconds.
        rng: decides the jitter, between half a pause and one and a half.

    Returns:
        None when trying again is useless: the input or the configuration is wrong.
    """
    if isinstance(error, MemuError) and isinstance(error, FINAL):
        return None
    pause = min(backoff_s * 2.0 ** (job.attempts - 1), LONGEST_PAUSE_S)
    return now + timedelta(seconds=pause * (0.5 + rng.random()))
