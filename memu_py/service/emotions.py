"""How users feel: of late, in the long run, and from week to week."""

from datetime import UTC, date, datetime, timedelta
from typing import Any, Unpack, get_args

from memu_py.errors import InvalidInput
from memu_py.features.moods import by_name, emotions, periods, total, trend
from memu_py.nearest import unknown
from memu_py.records.entity import entity_key
from memu_py.records.mood import By, MoodPeriod, MoodProfile, MoodState, Tally, Trigger
from memu_py.records.scope import Scope
from memu_py.service.arguments import checks_arguments
from memu_py.service.granting import to_read
from memu_py.service.runtime import Runtime
from memu_py.service.scopes import ScopeKeys, ScopeMaker
from memu_py.storage.moods import Moods

MAX_DAYS = 3660
"""Ten years."""
MAX_NAMES = 100
CITED = 5
"""So many memories are cited at most."""
BY = get_args(By)


@checks_arguments
class Emotions:
    """What memories with a feeling say together. Days are those of UTC, by when something was said."""

    def __init__(self, runtime: Runtime, scopes: ScopeMaker) -> None:
        self._runtime = runtime
        self._scopes = scopes

    async def state(
        self,
        *,
        days: int = 14,
        as_of: datetime | None = None,
        speaker: str | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> MoodState:
        """Return how somebody has felt of late.

        Args:
            days: so many, the last one included.
            as_of: a moment of the last day; now by default.
            speaker: only what this one said, as named in its items; everybody by default.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: `days` is out of range, or `as_of` has no time zone.
        """
        scope = self._scopes.make(**keys)
        last = self._day(as_of)
        first = _first("as_of", last, _whole("days", days, MAX_DAYS))
        scope = await to_read(self._runtime, scope)
        moods = self._runtime.store.moods
        sums = await moods.sums(scope, first=first, last=last, speaker=speaker)
        every = total(sums)
        return MoodState(
            first=first,
            last=last,
            count=every.count,
            valence=every.mean_valence,
            arousal=every.mean_arousal,
            trend=trend(sums, first, last),
            emotions=emotions(sums),
            items=tuple(await moods.cited(scope, first=first, last=last, speaker=speaker, limit=CITED)),
        )

    async def profile(
        self, *, top: int = 10, speaker: str | None = None, **keys: Unpack[ScopeKeys]
    ) -> MoodProfile:
        """Return how somebody feels in the long run, and who or what it is about.

        Args:
            top: triggers at most.
            speaker: only what this one said, as named in its items; everybody by default.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: `top` is out of range.
        """
        scope = self._scopes.make(**keys)
        _whole("top", top, MAX_NAMES)
        scope = await to_read(self._runtime, scope)
        moods = self._runtime.store.moods
        sums = await moods.sums(scope, speaker=speaker)
        every = total(sums)
        days = sorted({key.day for key in sums})
        speakers = {entity_key(key.speaker) for key in sums}
        about = {name: one for name, one in by_name(sums, "entity").items() if name not in speakers}
        strongest = sorted(about.items(), key=lambda one: (-abs(one[1].valence), -one[1].count, one[0]))
        return MoodProfile(
            count=every.count,
            first=days[0] if days else None,
            last=days[-1] if days else None,
            valence=every.mean_valence,
            arousal=every.mean_arousal,
            valence_spread=every.valence_spread,
            arousal_spread=every.arousal_spread,
            emotions=emotions(sums),
            triggers=tuple(
                [await _trigger(moods, scope, name, one, speaker) for name, one in strongest[:top]]
            ),
        )

    async def timeline(
        self,
        *,
        by: By = "week",
        days: int | None = None,
        speaker: str | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> list[MoodPeriod]:
        """Return how somebody felt, one period after the other, the oldest first; empty ones are left out.

        Args:
            by: `day`, `week` (from Monday on) or `month`.
            days: only the last so many; all by default.
            speaker: only what this one said, as named in its items; everybody by default.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: there is no such period, or `days` is out of range.
        """
        scope = self._scopes.make(**keys)
        if by not in BY:
            raise InvalidInput(unknown("period", str(by), BY))
        first = None
        if days is not None:
            first = _first("days", self._day(None), _whole("days", days, MAX_DAYS))
        scope = await to_read(self._runtime, scope)
        moods = self._runtime.store.moods
        return periods(await moods.sums(scope, first=first, speaker=speaker), by)

    def _day(self, moment: datetime | None) -> date:
        if moment is None:
            return self._runtime.clock().astimezone(UTC).date()
        return moment.astimezone(UTC).date()


def _first(name: str, last: date, days: int) -> date:
    try:
        return last - timedelta(days=days - 1)
    except OverflowError:
        msg = f"`{name}` is too early: {days} days up to {last} begin before the year 1"
        raise InvalidInput(msg) from None


async def _trigger(moods: Moods, scope: Scope, key: str, tally: Tally, speaker: str | None) -> Trigger:
    items = await moods.cited(scope, speaker=speaker, entity=key, limit=CITED)
    written = (name for item in items for name in item.entities if entity_key(name) == key)
    return Trigger(
        name=next(written, key),
        count=tally.count,
        valence=tally.mean_valence or 0.0,
        arousal=tally.mean_arousal or 0.0,
        item_ids=tuple(item.id for item in items),
    )


def _whole(name: str, value: Any, most: int) -> int:
    if isinstance(value, int) and 1 <= value <= most:
        return value
    msg = f"`{name}` is a whole number from 1 to {most}, not {value!r}"
    raise InvalidInput(msg)
