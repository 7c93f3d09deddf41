"""Counting what the models of a run cost, and refusing what would cost too much."""

import collections
from collections.abc import Awaitable, Callable
from datetime import date, datetime

from memu_py.config.budget import BudgetSettings
from memu_py.errors import BudgetExceeded
from memu_py.records.scope import Scope
from memu_py.records.usage import Usage, UsageRow

PER_RUN = "tokens_per_run"
PER_DAY = "tokens_per_day"

Clock = Callable[[], datetime]
SpentOn = Callable[[date], Awaitable[int]]
"""Returns the tokens that finished runs of a scope's partition took on a day."""


class HeldTokens:
    """Tokens that runs of this process took, or reserved for calls under way, and that are not stored yet."""

    def __init__(self) -> None:
        self._held: collections.Counter[tuple[date, str]] = collections.Counter()

    def of(self, day: date, scope: Scope) -> int:
        """Return what the runs of a scope's partition hold of a day."""
        return self._held[day, scope.partition]

    def add(self, day: date, scope: Scope, tokens: int) -> None:
        """Hold more, or less when negative."""
        key = (day, scope.partition)
        self._held[key] += tokens
        if not self._held[key]:
            del self._held[key]


class Meter:
    """Counts the calls of one run, and keeps it to the budget.

    Args:
        scope: whose run.
        budget: the limits.
        held: shared by the runs of a process.
        spent_on: asks what is stored.
        clock: the present moment; days are UTC.
    """

    def __init__(
        self, scope: Scope, *, budget: BudgetSettings, held: HeldTokens, spent_on: SpentOn, clock: Clock
    ) -> None:
        self._scope = scope
        self._budget = budget
        self._held = held
        self._spent_on = spent_on
        self._clock = clock
        self._rows: dict[tuple[date, str, str], Usage] = {}
        self._total = Usage()
        self._reserved = 0

    @property
    def scope(self) -> Scope:
        """Whose run it is."""
        return self._scope

    @property
    def total(self) -> Usage:
        """What the run has cost so far."""
        return self._total

    async def reserve(self, tokens: int) -> "Reservation":
        """Make sure that a call may be made, and hold what it will take at least.

        Args:
            tokens: at least.

        Raises:
            BudgetExceeded: it would cost more than is left.
        """
        self._check(PER_RUN, self._budget.tokens_per_run, self._total.tokens + self._reserved, tokens)
        day = self._clock().date()
        if self._budget.tokens_per_day is not None:
            before = self._held.of(day, self._scope)
            stored = await self._spent_on(day)
            # What was held before may have been stored meanwhile; counted twice is on the safe side.
            held = max(before, self._held.of(day, self._scope))
            self._check(PER_DAY, self._budget.tokens_per_day, stored + held, tokens)
            # Others of this run may have been let in while the store was asked.
            self._check(PER_RUN, self._budget.tokens_per_run, self._total.tokens + self._reserved, tokens)
        self._reserved += tokens
        self._held.add(day, self._scope, tokens)
        return Reservation(self, day, tokens)

    def release(self, day: date, tokens: int) -> None:
        """Let go of a reservation."""
        self._reserved -= tokens
        self._held.add(day, self._scope, -tokens)

    def count(self, profile: str, purpose: str, usage: Usage) -> None:
        """Add what a call took.

        Args:
            profile: of the model.
            purpose: who asked.
            usage: of the call.
        """
        key = (self._clock().date(), profile, purpose)
        self._rows[key] = self._rows.get(key, Usage()) + usage
        self._total += usage
        self._held.add(key[0], self._scope, usage.tokens)

    def take(self) -> tuple[UsageRow, ...]:
        """Return what was counted and not taken yet, to be stored."""
        rows, self._rows = self._rows, {}
        return tuple(
            UsageRow(day=day, profile=profile, purpose=purpose, usage=usage)
            for (day, profile, purpose), usage in rows.items()
        )

    def stored(self, rows: tuple[UsageRow, ...]) -> None:
        """Take note that rows are stored, and need not be held any more."""
        for row in rows:
            self._held.add(row.day, self._scope, -row.usage.tokens)

    def _check(self, name: str, limit: int | None, spent: int, needed: int) -> None:
        if limit is not None and spent + needed > limit:
            raise BudgetExceeded(budget=name, limit=limit, spent=spent, needed=needed)


class Reservation:
    """Tokens held for a call while it is under way."""

    def __init__(self, meter: Meter, day: date, tokens: int) -> None:
        self._meter = meter
        self._day = day
        self._tokens = tokens

    def __enter__(self) -> None:
        return

    def __exit__(self, *failure: object) -> None:
        self._meter.release(self._day, self._tokens)
