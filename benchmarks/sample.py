"""A few of many, of every kind in turn."""

import itertools
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def in_turn(
    listed: Sequence[T], kind: Callable[[T], str], kinds: Sequence[str], limit: int | None
) -> list[T]:
    """Return the first of each kind, the second of each, and so on: as many as wanted, or all.

    Args:
        listed: in the order in which they are taken.
        kind: tells a thing's kind.
        kinds: in turn; things of other kinds are left out.
        limit: how many at most.

    >>> in_turn(["a1", "a2", "a3", "b1"], lambda one: one[0], ["b", "a"], 3)
    ['b1', 'a1', 'a2']
    """
    queues = [[one for one in listed if kind(one) == name] for name in kinds]
    rows = itertools.zip_longest(*([(one,) for one in queue] for queue in queues))
    return [one[0] for one in itertools.islice((one for row in rows for one in row if one), limit)]
