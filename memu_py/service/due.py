"""What comes round, and what is due."""

from typing import Unpack

from memu_py.errors import InvalidInput
from memu_py.records.occasion import Due
from memu_py.service.arguments import checks_arguments
from memu_py.service.base import ServiceBase
from memu_py.service.scanning import scan, window
from memu_py.service.scopes import ScopeKeys

MAX_DAYS = 36_525
"""A hundred years."""


@checks_arguments
class DueMixin(ServiceBase):
    """Anniversaries, and plans that become due."""

    async def scan(self, **keys: Unpack[ScopeKeys]) -> int:
        """Look now for anniversaries and plans of the next `jobs.scan_ahead_days`, and note them.

        `memu worker` and `work` do so by themselves, for everybody, every `jobs.scan_every_s`.

        Args:
            **keys: whose: `user`, `agent`, `session`, `custom`; the last two do not narrow it.

        Returns:
            How many were not known before.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        return await scan(self._runtime, scope)

    async def due(
        self,
        *,
        within_days: int | None = None,
        overdue: bool = False,
        told: bool = False,
        take: bool = False,
        **keys: Unpack[ScopeKeys],
    ) -> list[Due]:
        """Return what scans have noted, the earliest first.

        Args:
            within_days: up to so many days after today, 0 for today alone; all that is noted by default.
            overdue: also what was due before today.
            told: also what was taken before.
            take: mark what is returned as told, in the same transaction: the same day is never said twice.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: `within_days` is less than 0 or more than 36,525, or `take` comes with `told`.
        """
        scope = self._scopes.make(**keys)
        if within_days is not None and not 0 <= within_days <= MAX_DAYS:
            msg = f"`within_days` is from 0 to {MAX_DAYS}, not {within_days}"
            raise InvalidInput(msg)
        if take and told:
            msg = "`take` gives what was not told yet, and `told` asks for the rest, too"
            raise InvalidInput(msg, hint="choose one of them")
        await self._runtime.open()
        today, last = window(self._runtime, scope, within_days)
        first = None if overdue else today
        foresight = self._runtime.store.foresight
        if take:
            return await foresight.take(scope, first=first, last=last)
        return await foresight.due(scope, first=first, last=last, told=told)
