"""Workers on many machines, whom the database itself calls."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from memu_py.jobs.chore import Chore

Turn = Callable[[], Awaitable[None]]
"""Does what can be done now; when it raises, somebody else is called, or the same one later."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """How a process takes part in a fleet.

    Attributes:
        count: turns at the same time.
        poll_s: how often it looks even if it was not called, in seconds.
        lease_s: how long a process that is silent is still counted on, in seconds.
        per_user: jobs of one user at the same time, in all processes; None for no limit.
        chores: what whoever watches does in each period; in one of all processes at least.
    """

    count: int
    poll_s: float
    lease_s: float
    per_user: int | None = None
    chores: Sequence[Chore] = ()


class Fleet(Protocol):
    """Calls a worker as soon as a job may begin, in whatever process it was written down.

    It also watches: jobs whose process died are called for again, and chores are done in each period, as soon as
    somebody is free to watch; by more than one process, perhaps.
    """

    async def serve(self, turn: Turn, terms: Terms, stop: asyncio.Event) -> None:
        """Take turns when called, until told to stop; turns under way then go on to their end.

        Args:
            turn: the next job's, and that of those which become free by it.
            terms: how to take part.
            stop: set when no further turn is to begin.

        Raises:
            Exception: the database is away; call it again.
        """
        ...
