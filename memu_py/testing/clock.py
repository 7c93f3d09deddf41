"""A clock that stands still until it is told."""

from datetime import datetime, timedelta

from memu_py.errors import InvalidInput


class FixedClock:
    """Gives the same moment again and again.

    Args:
        now: the moment, aware.

    Raises:
        InvalidInput: the moment has no time zone.

    >>> from datetime import UTC
    >>> clock = FixedClock(datetime(2024, 5, 1, tzinfo=UTC))
    >>> clock.advance(timedelta(days=1))
    >>> clock()
    datetime.datetime(2024, 5, 2, 0, 0, tzinfo=datetime.timezone.utc)
    """

    def __init__(self, now: datetime) -> None:
        self._now = _aware(now)

    def __call__(self) -> datetime:
        """Return the moment."""
        return self._now

    def advance(self, by: timedelta) -> None:
        """Move on."""
        self._now += by

    def set(self, now: datetime) -> None:
        """Jump to a moment.

        Raises:
            InvalidInput: the moment has no time zone.
        """
        self._now = _aware(now)


def _aware(moment: datetime) -> datetime:
    if moment.utcoffset() is None:
        msg = "a clock gives aware times: name a time zone, such as UTC"
        raise InvalidInput(msg)
    return moment
