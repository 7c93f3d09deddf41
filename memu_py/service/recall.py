"""Recall: items, profile, relations, insights and conversation for a question, in one call."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack

from memu_py.features.recollection import relation_text, written_profile, written_relations
from memu_py.language.budget import count_tokens
from memu_py.language.same_names import keys_in
from memu_py.language.tongue import language_of
from memu_py.language.zones import zone
from memu_py.records.entity import entity_key
from memu_py.records.facet import PersonProfile
from memu_py.records.graph import Edges
from memu_py.records.insight import INSIGHT
from memu_py.records.page import Where
from memu_py.records.recollection import Recalled, Recollection
from memu_py.records.relation import Relation
from memu_py.records.request import Method
from memu_py.records.scope import Scope
from memu_py.service.arguments import checks_arguments
from memu_py.service.granting import to_read
from memu_py.service.places import places_of
from memu_py.service.profile import Profiles
from memu_py.service.retrieve import RetrieveMixin, whole
from memu_py.service.scopes import ScopeKeys
from memu_py.steps.retrieve.recall_relations import speaks_of_self

HOPS = 2
MOST_RELATIONS = 20
PROFILE_SHARE = 0.25
"""Of the token budget, at most, for what is known of the person; what it leaves goes to the items."""
RELATIONS_SHARE = 0.2
"""Of the token budget, at most, for relations."""


@checks_arguments
class RecallMixin(RetrieveMixin):
    """Everything that a question calls to mind."""

    async def recall(
        self,
        query: str,
        *,
        method: Method | None = None,
        where: Where | None = None,
        top_k: int | None = None,
        min_score: float | None = None,
        max_tokens: int | None = None,
        profile: str | None = None,
        now: datetime | None = None,
        as_of: datetime | None = None,
        history: Sequence[Mapping[str, Any] | str] = (),
        **keys: Unpack[ScopeKeys],
    ) -> Recollection:
        """Answer a question with all that memory has: what `retrieve` finds, and what belongs to it.

        Args:
            query: the question.
            method: as in `retrieve`, like all that follow.
            where: conditions on items.
            top_k: items at most.
            min_score: leaves out items below it.
            max_tokens: budget of the prompt block: a quarter of it at most for the profile, a fifth for relations.
            profile: name of the scoring profile.
            now: the moment that ages count from.
            as_of: what was true at a moment in the past, of items, profile and relations.
            history: the last messages of the conversation.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: the query is empty, or a number is out of range.
            InvalidFilter: an unknown field or operator in `where`.
            ConfigError: the method or scoring profile is not configured.
        """
        scope = self._scopes.make(**keys)
        wanted = None if max_tokens is None else whole("max_tokens", max_tokens)
        budget = wanted or self._runtime.settings.retrieve.max_tokens
        known, edges = await asyncio.gather(
            self._known(scope, as_of), self._related(query, scope, as_of=as_of)
        )
        language = language_of(query)
        local = zone(self._runtime.settings.timezone_of(scope.user))
        texts = tuple(relation_text(edge, language, local) for edge in edges)
        about = written_profile(known, language, max_tokens=int(budget * PROFILE_SHARE))
        around = written_relations(texts, language, max_tokens=int(budget * RELATIONS_SHARE))
        extra = "\n\n".join(part for part in (about, around) if part)
        room = budget - (count_tokens(f"{extra}\n\n") if extra else 0)
        found = await self.retrieve(
            query,
            method=method,
            where=where,
            top_k=top_k,
            min_score=min_score,
            max_tokens=max(1, room),
            profile=profile,
            now=now,
            as_of=as_of,
            history=history,
            **keys,
        )
        scope = await to_read(self._runtime, scope)
        places = await places_of(self._runtime.store, scope, [hit.record for hit in found.items])
        merged = tuple(Recalled(hit=hit, places=tuple(places[hit.record.id])) for hit in found.items)
        return Recollection(
            merged=merged,
            insights=tuple(one for one in merged if one.hit.record.type == INSIGHT),
            snippets=found.passages,
            profile=known,
            relations=texts,
            graph=edges,
            context="\n\n".join(part for part in (extra, found.context) if part),
            run_id=found.trace.run_id,
        )

    async def _known(self, scope: Scope, as_of: datetime | None) -> PersonProfile:
        return await Profiles(self._runtime, self._scopes.bind(scope)).get(as_of=as_of)

    async def _related(self, query: str, scope: Scope, *, as_of: datetime | None) -> tuple[Relation, ...]:
        """Return relations within two hops of the names in a question, the nearest and surest first."""
        scope = await to_read(self._runtime, scope)
        keys = keys_in(query)
        if scope.user and speaks_of_self(query):
            keys.append(entity_key(scope.user))
        seen = await self._runtime.resources(scope).reads.sight(scope, keys, as_of)
        edges = Edges(as_of=as_of)
        graph = self._runtime.store.graph
        near = [
            await graph.neighbors(scope, name, hops=HOPS, edges=edges, limit=MOST_RELATIONS)
            for name in seen.seeds
        ]
        by_id: dict[str, Relation] = {}
        for one in sorted((one for names in near for one in names), key=lambda one: one.hops):
            by_id.update({edge.id: edge for edge in one.relations})
        return tuple(by_id.values())[:MOST_RELATIONS]
