"""What happened when: items by time, counted, and asked for in words."""

from collections.abc import Sequence
from datetime import date, datetime, tzinfo
from typing import Any, Unpack, get_args

from memu_py.errors import InvalidInput
from memu_py.features.timeline import Unit, begins_in, between, counted, touches_days
from memu_py.language.dates import resolve_dates
from memu_py.language.zones import zone
from memu_py.nearest import unknown
from memu_py.records.item import Item
from memu_py.records.page import Page, Query, Where
from memu_py.records.period import PeriodCount, Recounted
from memu_py.records.scope import Scope
from memu_py.records.span import TimeSpan
from memu_py.service.arguments import checks_arguments
from memu_py.service.granting import to_read
from memu_py.service.runtime import Runtime
from memu_py.service.scopes import ScopeKeys, ScopeMaker

UNITS = get_args(Unit)
ORDER = "at"


@checks_arguments
class Timelines:
    """Items in order of time: when it happened, else when it was said, else when it was stored."""

    def __init__(self, runtime: Runtime, scopes: ScopeMaker) -> None:
        self._runtime = runtime
        self._scopes = scopes

    async def items(
        self,
        first: date | None = None,
        last: date | None = None,
        *,
        types: Sequence[str] | None = None,
        descending: bool = False,
        limit: int = 100,
        cursor: str | None = None,
        timezone: str | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Page[Item]:
        """Return one page of the items that hold and whose time touches some days, the earliest first.

        Args:
            first: the first day; all before without it.
            last: the last day; all after without it.
            types: only items of these types.
            descending: the latest first.
            limit: items a page, 1 to 1000.
            cursor: `next_cursor` of the page before.
            timezone: whose days; the user's own without it.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            InvalidInput: the last day is before the first, or there is no such zone or type.
            InvalidFilter: the cursor belongs to another list.
        """
        scope = self._scopes.make(**keys)
        local = self._zone(scope, timezone)
        _check_days(first, last, local)
        where = self._typed(types, touches_days(first, last, local))
        return await self._page(scope, where, descending, limit, cursor)

    async def counts(
        self,
        by: Unit = "day",
        first: date | None = None,
        last: date | None = None,
        *,
        types: Sequence[str] | None = None,
        timezone: str | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> list[PeriodCount]:
        """Count the items that hold by day, week or month; an item counts where its time begins.

        Args:
            by: `day`, `week` (from Monday on) or `month`.
            first: the first day.
            last: the last day.
            types: only items of these types.
            timezone: whose days; the user's own without it.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Returns:
            The counts in order; what has none is left out.

        Raises:
            InvalidInput: there is no such unit, zone or type, or the last day is before the first.
        """
        scope = self._scopes.make(**keys)
        if by not in UNITS:
            raise InvalidInput(unknown("unit to count by", str(by), UNITS))
        local = self._zone(scope, timezone)
        _check_days(first, last, local)
        where = self._typed(types, begins_in(first, last, local))
        scope = await to_read(self._runtime, scope)
        return counted(await self._runtime.store.timeline.slots(scope, where), by, local)

    async def about(
        self,
        question: str,
        *,
        now: datetime | None = None,
        types: Sequence[str] | None = None,
        descending: bool = False,
        limit: int = 100,
        cursor: str | None = None,
        timezone: str | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Recounted:
        """Return what is remembered of the time that a question names, such as "what happened in May?" or 去年夏天.

        Args:
            question: with one time in it, in English or Chinese; from the first to the last where it has several.
            now: the moment that "last week" counts from, aware; the clock's by default.
            types: only items of these types.
            descending: the latest first.
            limit: items a page, 1 to 1000.
            cursor: `next_cursor` of the page before.
            timezone: whose days; the user's own without it.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            InvalidInput: no time is named, or there is no such zone or type.
        """
        scope = self._scopes.make(**keys)
        span = _span(question, now or self._runtime.clock(), self._zone(scope, timezone))
        # An instant is one, too.
        until = max(span.until, span.start + datetime.resolution)
        where = self._typed(types, between(span.start, until))
        page = await self._page(scope, where, descending, limit, cursor)
        return Recounted(span=span, page=page)

    def _zone(self, scope: Scope, named: str | None) -> tzinfo:
        return zone(named or self._runtime.settings.timezone_of(scope.user))

    def _typed(self, types: Sequence[str] | None, where: Where | None) -> Where | None:
        if types is None:
            return where
        known = self._runtime.settings.item_types
        for one in types:
            if one not in known:
                raise InvalidInput(unknown("item type", str(one), known))
        parts: list[Any] = [{"type": {"in": list(types)}}, *([where] if where else [])]
        return {"and": parts}

    async def _page(
        self, scope: Scope, where: Where | None, descending: bool, limit: int, cursor: str | None
    ) -> Page[Item]:
        scope = await to_read(self._runtime, scope)
        query = Query(where=where, order=ORDER, descending=descending, limit=limit, cursor=cursor)
        return await self._runtime.store.items.page(scope, query)


def _check_days(first: date | None, last: date | None, local: tzinfo) -> None:
    for name, day in (("first", first), ("last", last)):
        try:
            touches_days(day, day, local)
        except OverflowError:
            msg = f"`{name}` is a day of the years 1 to 9999 in UTC, not {day} in {local}"
            raise InvalidInput(msg) from None
    if first is not None and last is not None and last < first:
        msg = f"the last day, {last}, is before the first, {first}"
        raise InvalidInput(msg)


def _span(question: str, now: datetime, local: tzinfo) -> TimeSpan:
    """Return the time that a question names.

    Raises:
        InvalidInput: it names none.
    """
    found = [one.span for one in resolve_dates(question, said_at=now, zone=local)]
    if not found:
        msg = f"no time is named in {question!r}"
        raise InvalidInput(msg, hint="say it as in “in May”, “last week”, 去年夏天; or use `timeline.items`")
    start, until = min(one.start for one in found), max(one.until for one in found)
    words = found[0].words if len(found) == 1 else " … ".join(one.words for one in found)
    return TimeSpan(
        start=start, until=until, precision=found[0].precision if len(found) == 1 else "range", words=words
    )
