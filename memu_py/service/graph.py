"""The graph of relations between names: what items say, and what is added by hand."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Unpack, get_args

from memu_py.errors import InvalidInput
from memu_py.nearest import unknown
from memu_py.records.entity import entity_key
from memu_py.records.graph import MAX_HOPS, Alias, Edges, Neighbor, Path, RelationQuery, Towards
from memu_py.records.relation import Relation, RelationDraft
from memu_py.service.arguments import checks_arguments
from memu_py.service.granting import to_read, to_write
from memu_py.service.runtime import Runtime
from memu_py.service.scopes import ScopeKeys, ScopeMaker

DIRECTIONS = get_args(Towards)
MOST = 1000


@checks_arguments
class GraphPart:
    """Who or what stands in which relation to whom, now and at any moment."""

    def __init__(self, runtime: Runtime, scopes: ScopeMaker) -> None:
        self._runtime = runtime
        self._scopes = scopes

    async def relations(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        as_of: datetime | None = None,
        ended: bool = False,
        limit: int = 100,
        **keys: Unpack[ScopeKeys],
    ) -> list[Relation]:
        """List relations, the last to begin first.

        Args:
            subject: a name; spellings and aliases of it count too.
            predicate: such as `works_at`; synonyms count too.
            object: a name.
            as_of: what held at this moment, aware; None for what holds now.
            ended: also what holds no longer; without effect beside `as_of`.
            limit: how many at most, 1 to 1000.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            InvalidInput: a moment without a time zone, or another limit.
        """
        scope = self._scopes.make(**keys)
        _check(limit=limit)
        # As what is stored: a name is found by its mask.
        mask = self._runtime.masker.optional
        name, swapped = (None, False) if predicate is None else self._canonical(predicate)
        query = RelationQuery(
            subject=mask(object if swapped else subject),
            predicate=name,
            object=mask(subject if swapped else object),
            as_of=as_of,
            ended=ended,
            limit=limit,
        )
        scope = await to_read(self._runtime, scope)
        return await self._runtime.store.graph.relations(scope, query)

    async def neighbors(
        self,
        name: str,
        *,
        hops: int = 1,
        predicate: str | Sequence[str] | None = None,
        direction: Towards = "both",
        as_of: datetime | None = None,
        limit: int = 100,
        **keys: Unpack[ScopeKeys],
    ) -> list[Neighbor]:
        """Return what is near a name, the nearest first, with the relations that lead there.

        Args:
            name: of a person, place or thing; a name that the graph does not have has no neighbours.
            hops: how many relations away at most, 1 to 6.
            predicate: only relations of this predicate, or of these; None for all.
            direction: `out` from subject to object, `in` the other way, `both`.
            as_of: what held at this moment, aware; None for what holds now.
            limit: how many at most, 1 to 1000.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            InvalidInput: a moment without a time zone, or a number or direction that is not allowed.
        """
        scope = self._scopes.make(**keys)
        _check(limit=limit, hops=hops, direction=direction)
        edges = Edges(predicates=self._predicates(predicate), direction=direction, as_of=as_of)
        scope = await to_read(self._runtime, scope)
        name = self._runtime.masker.text(name)
        return await self._runtime.store.graph.neighbors(scope, name, hops=hops, edges=edges, limit=limit)

    async def paths(
        self,
        start: str,
        goal: str,
        *,
        max_hops: int = 4,
        predicate: str | Sequence[str] | None = None,
        direction: Towards = "both",
        as_of: datetime | None = None,
        limit: int = 10,
        **keys: Unpack[ScopeKeys],
    ) -> list[Path]:
        """Return how one name is related to another: ways that visit none twice, the shortest first.

        Args:
            start: a name.
            goal: another one.
            max_hops: relations on the way at most, 1 to 6.
            predicate: only relations of this predicate, or of these; None for all.
            direction: `out` from subject to object, `in` the other way, `both`.
            as_of: what held at this moment, aware; None for what holds now.
            limit: how many at most, 1 to 1000.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            InvalidInput: a moment without a time zone, or a number or direction that is not allowed.
        """
        scope = self._scopes.make(**keys)
        _check(limit=limit, hops=max_hops, direction=direction)
        edges = Edges(predicates=self._predicates(predicate), direction=direction, as_of=as_of)
        scope = await to_read(self._runtime, scope)
        mask = self._runtime.masker.text
        return await self._runtime.store.graph.paths(
            scope, (mask(start), mask(goal)), max_hops=max_hops, edges=edges, limit=limit
        )

    async def add(
        self,
        subject: str,
        predicate: str,
        object: str,
        *,
        confidence: float = 1.0,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Relation:
        """Add a relation that no item says.

        What a subject has one of at a time, such as an employer, ends with the next one.

        Args:
            subject: whose it is.
            predicate: such as `works_at`; a synonym is stored under the name that stands for it.
            object: what it leads to.
            confidence: in [0, 1].
            valid_from: since when it holds, aware; None for now.
            valid_to: until when, aware; None while it holds.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            InvalidInput: a name is empty, both are the same, or a value is not usable.
        """
        scope = self._scopes.make(**keys)
        mask = self._runtime.masker.text
        subject, predicate, object = mask(subject), mask(predicate), mask(object)
        draft = RelationDraft(subject=subject, predicate=predicate, object=object, confidence=confidence)
        settled = self._runtime.settings.graph.known().settled([draft])
        if not settled or not entity_key(subject) or not entity_key(object):
            msg = "a relation needs a subject, a predicate and an object"
            raise InvalidInput(msg)
        if entity_key(subject) == entity_key(object):
            msg = f"{subject!r} cannot stand in a relation to itself"
            raise InvalidInput(msg)
        if not 0 <= confidence <= 1:
            msg = f"`confidence` is from 0 to 1, not {confidence:g}"
            raise InvalidInput(msg)
        await self._runtime.open()
        return await self._runtime.store.graph.add(
            scope, settled[0], valid_from=valid_from, valid_to=valid_to
        )

    async def end(
        self, relation_id: str, *, at: datetime | None = None, **keys: Unpack[ScopeKeys]
    ) -> Relation:
        """End a relation; it is still found by `as_of`.

        Args:
            relation_id: the relation.
            at: when it ended, aware; None for now.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            NotFound: it is not in the scope.
        """
        scope = self._scopes.make(**keys)
        scope = await to_write(self._runtime, scope)
        return await self._runtime.store.graph.end(scope, relation_id, at)

    async def delete(self, relation_id: str, **keys: Unpack[ScopeKeys]) -> None:
        """Delete a relation, as if it had never been said; what it ended holds again.

        Args:
            relation_id: the relation.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            NotFound: it is not in the scope.
        """
        scope = self._scopes.make(**keys)
        scope = await to_write(self._runtime, scope)
        await self._runtime.store.graph.delete(scope, relation_id)

    async def alias(self, name: str, same_as: str, **keys: Unpack[ScopeKeys]) -> Alias:
        """Say that a name means another one, in all that there is and all that comes.

        Args:
            name: a name of the graph.
            same_as: the name that it is taken for.
            **keys: whose memory: `user`, `agent`, `session`, `custom`; names are those of the whole user.

        Raises:
            NotFound: the graph does not have one of them.
            InvalidInput: both are the same.
        """
        scope = self._scopes.make(**keys)
        name, same_as = self._runtime.masker.text(name), self._runtime.masker.text(same_as)
        if entity_key(name) == entity_key(same_as):
            msg = f"{name!r} is {same_as!r} already"
            raise InvalidInput(msg)
        await self._runtime.open()
        return await self._runtime.store.graph.alias(scope, name, same_as)

    async def unalias(self, name: str, **keys: Unpack[ScopeKeys]) -> Alias:
        """Say that a name means nobody else, whatever a rule would find.

        Args:
            name: a name of the graph.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            NotFound: the graph does not have it.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        return await self._runtime.store.graph.alias(scope, self._runtime.masker.text(name), None)

    async def aliases(self, **keys: Unpack[ScopeKeys]) -> list[Alias]:
        """Return the names that are taken for others, or kept apart by hand, in order of name."""
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        return await self._runtime.store.graph.aliases(scope)

    def _canonical(self, predicate: str) -> tuple[str, bool]:
        return self._runtime.settings.graph.known().canonical(self._runtime.masker.text(predicate))

    def _predicates(self, given: str | Sequence[str] | None) -> tuple[str, ...]:
        names = [given] if isinstance(given, str) else given or ()
        return tuple(dict.fromkeys(self._canonical(name)[0] for name in names))


def _check(*, limit: int = 1, hops: int = 1, direction: Any = DIRECTIONS[0]) -> None:
    if not 1 <= limit <= MOST:
        msg = f"`limit` is from 1 to {MOST}, not {limit}"
        raise InvalidInput(msg)
    if not 1 <= hops <= MAX_HOPS:
        msg = f"hops are from 1 to {MAX_HOPS}, not {hops}"
        raise InvalidInput(msg)
    if direction not in DIRECTIONS:
        raise InvalidInput(unknown("direction", str(direction), DIRECTIONS))
