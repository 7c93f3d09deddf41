"""What is known of a person: facets with values, each with the item that says it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Unpack

from memu_py.errors import InvalidInput
from memu_py.features.profile import BY_HAND, holding, lived
from memu_py.language.facet_texts import stated_text
from memu_py.language.profile import value_key
from memu_py.nearest import unknown
from memu_py.records.facet import FacetValue, HeldClaim, PersonProfile
from memu_py.records.item import ItemDraft
from memu_py.records.scope import Scope
from memu_py.service.arguments import checks_arguments
from memu_py.service.granting import to_read
from memu_py.service.profiling import refresh
from memu_py.service.replacing import Ended, replace
from memu_py.service.retry import settled
from memu_py.service.runtime import Runtime
from memu_py.service.scopes import ScopeKeys, ScopeMaker
from memu_py.storage.facet_rows import STATED
from memu_py.storage.plain import clean_text

TYPES = ("profile", "fact")
"""Types of what is set by hand: the first that is configured."""
MAX_VALUE = 500
"""Characters of a value that is set by hand."""


@checks_arguments
class Profiles:
    """Read a person's profile, and change it by hand."""

    def __init__(self, runtime: Runtime, scopes: ScopeMaker) -> None:
        self._runtime = runtime
        self._scopes = scopes

    async def get(self, *, as_of: datetime | None = None, **keys: Unpack[ScopeKeys]) -> PersonProfile:
        """Return what is known of a person, as it is now or was at a moment.

        What was memorized since the last call is read first, by rules and without a model.

        Args:
            as_of: a moment, aware: what was true then, as far as it is known by now.
            **keys: whose: `user`, `agent`, `session`, `custom`; the last three narrow it to what items in them say.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: the moment has no time zone.
        """
        scope = self._scopes.make(**keys)
        at = as_of or self._runtime.clock()
        values = await self._lived(await to_read(self._runtime, scope))
        facets = list(self._facets)
        newest = sorted(holding(values, at), key=lambda one: one.since, reverse=True)
        return PersonProfile(at=at, values=tuple(sorted(newest, key=lambda one: facets.index(one.facet))))

    async def history(self, facet: str, **keys: Unpack[ScopeKeys]) -> list[FacetValue]:
        """Return all values that a facet had, the oldest first, each with the time in which it held.

        Args:
            facet: such as `home`.
            **keys: whose: `user`, `agent`, `session`, `custom`.

        Raises:
            InvalidInput: there is no such facet.
        """
        scope = self._scopes.make(**keys)
        self._check(facet)
        return await self._lived(await to_read(self._runtime, scope), facet)

    async def set(
        self,
        facet: str,
        value: str,
        *,
        topic: str = "",
        since: datetime | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> FacetValue:
        """Set a value by hand: it is stored as an item, which searches find too.

        A facet with one value, or a topic, takes it in place of the one before, which ends then.

        Args:
            facet: such as `home`.
            value: such as "Porto".
            topic: what the facet is of, where it has several, such as "wife".
            since: from when on, aware; now without it.
            **keys: whose: `user`, `agent`, `session`, `custom`.

        Returns:
            The value as it holds now; one that is set for the past may have ended since.

        Raises:
            InvalidInput: there is no such facet, or the value is empty or too long.
        """
        scope = self._scopes.make(**keys)
        at = self._checked(facet, value, since)
        value, topic = self._safe(value), self._safe(topic).casefold()
        if not value:
            msg = "a value is text that is not empty; `end` ends one"
            raise InvalidInput(msg)
        stated = {"facet": facet, "value": value, "topic": topic}
        await self._state(scope, stated, at, replaced=self._in_place(facet, topic))
        key = value_key(value)
        # It may have been set before, elsewhere in the same memory.
        held = holding(await self._lived(scope.owner, facet), at)
        return next(one for one in held if one.topic == topic and value_key(one.value) == key)

    async def end(
        self,
        facet: str,
        value: str = "",
        *,
        topic: str = "",
        at: datetime | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> int:
        """End a value, or all values, of a facet by hand; items that say it stay as they are.

        Args:
            facet: such as `home`.
            value: the value; all of the facet (or topic) without it.
            topic: what the facet is of, where it has several.
            at: from when on it holds no longer, aware; now without it.
            **keys: whose: `user`, `agent`, `session`, `custom`.

        Returns:
            How many values that held then have ended.

        Raises:
            InvalidInput: there is no such facet.
        """
        scope = self._scopes.make(**keys)
        moment = self._checked(facet, value, at)
        value, topic = self._safe(value), self._safe(topic).casefold()
        key = value_key(value) if value else ""
        held = [
            one
            for one in holding(await self._lived(scope, facet), moment)
            if one.topic == topic and key in ("", value_key(one.value))
        ]
        if held:
            stated = {"facet": facet, "value": value, "topic": topic, "ends": True}
            await self._state(scope, stated, moment, replaced=bool(not key or self._in_place(facet, topic)))
        return len(held)

    @property
    def _facets(self) -> dict[str, str]:
        return dict(self._runtime.settings.profile.facets)

    def _safe(self, text: str) -> str:
        """Return a text as it may be stored."""
        return clean_text(self._runtime.masker.text(text)).strip()

    def _in_place(self, facet: str, topic: str) -> bool:
        return bool(topic) or self._facets[facet] == "one"

    def _check(self, facet: str) -> None:
        if facet not in self._facets:
            raise InvalidInput(unknown("facet", str(facet), self._facets), hint="add it to `profile.facets`")

    def _checked(self, facet: str, value: str, at: datetime | None) -> datetime:
        self._check(facet)
        if len(value) > MAX_VALUE:
            msg = f"a value has at most {MAX_VALUE} characters, and this one {len(value)}"
            raise InvalidInput(msg)
        return at or self._runtime.clock()

    async def _lived(self, scope: Scope, facet: str | None = None) -> list[FacetValue]:
        return lived(await self._held(scope, facet), self._facets)

    async def _held(self, scope: Scope, facet: str | None = None) -> list[HeldClaim]:
        await self._runtime.open()
        await refresh(self._runtime, scope)
        return await self._runtime.store.facets.held(scope, facet)

    async def _state(self, scope: Scope, stated: dict[str, Any], at: datetime, *, replaced: bool) -> None:
        """Store what is set by hand, in place of what was so set before where there is one value."""
        known = self._runtime.settings.item_types
        draft = ItemDraft(
            type=next((one for one in TYPES if one in known), known[0]),
            text=stated_text(stated["facet"], stated["value"], stated["topic"], ends="ends" in stated),
            said_at=at,
            metadata={STATED: stated},
        )

        async def store() -> None:
            before = await self._held(scope, stated["facet"]) if replaced else []
            ids = _by_hand(before, stated["topic"], at)
            items = await self._runtime.store.items.get(scope, ids)
            ended = [Ended(item=item, at=at, reason=f"{stated['facet']} was set") for item in items.values()]
            held = await replace(self._runtime, scope, draft, ended)
            if held.said_at is not None and held.said_at > at:
                # It was said before that it holds, but from later on.
                await self._runtime.store.update_item(held.scope, held.evolve(said_at=at))

        await settled(store)


def _by_hand(claims: Sequence[HeldClaim], topic: str, at: datetime) -> list[str]:
    """Return the live items by which earlier values were set by hand."""
    found = (
        one.claim.item_id
        for one in claims
        if one.ended_at is None
        and one.claim.topic == topic
        and one.claim.at <= at
        and one.claim.confidence == BY_HAND
    )
    return list(dict.fromkeys(found))
