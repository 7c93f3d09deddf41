"""The service's word on what comes next."""

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Unpack

from memu_py.errors import ModelError
from memu_py.language.zones import zone
from memu_py.records.intent import Intent, Need
from memu_py.records.item import Item
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.records.usage import Usage
from memu_py.service.arguments import checks_arguments
from memu_py.service.granting import to_read
from memu_py.service.results import RetrieveResult
from memu_py.service.retrieve import RetrieveMixin, whole
from memu_py.service.scopes import ScopeKeys
from memu_py.steps.proactive.ask import ask_intent
from memu_py.steps.proactive.guess import needs_of, sentence_of
from memu_py.steps.proactive.habit import likely_topics
from memu_py.steps.proactive.situation import Context, Situation, situation_of
from memu_py.steps.resources import MemoryResources

SAID = 5000
"""The newest times that something was said, of which the statistic is made."""
TOPICS = 8
"""Topics that a model is told of."""
SHOWN = 30
"""Items that a model may rest a need on, at most."""
MAX_NEEDS = 20
RAG = "rag"


@checks_arguments
class PredictMixin(RetrieveMixin):
    """Tell what is likely to be wanted next."""

    async def predict_intent(
        self,
        context: Context = (),
        *,
        top_k: int = 3,
        max_tokens: int | None = None,
        now: datetime | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Intent:
        """Tell what a user is likely to need next, what that rests on, and prepare what answers it.

        With `llm.default` a model is asked, once; without one, and where it fails, it is a statistic over topics,
        recency and habit, whose formula stands in `memu_py/steps/proactive/habit.py` and in docs/proactive.md.

        Args:
            context: what is going on: a text, messages as of the chat APIs, or a mapping of what is known, such as
                `{"messages": […], "place": "office"}`; left out, habit alone tells.
            top_k: needs at most.
            max_tokens: budget of the prepared prompt block; the configured one by default.
            now: the moment of the prediction; the clock's by default.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Returns:
            The intent; its `str()` is the sentence, and it is falsy when nothing can be told.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: the context or a number is not usable.
            BudgetExceeded: the model's call would cost more than is left.
        """
        scope = self._scopes.make(**keys)
        situation = situation_of(context)
        # What is only foreseen asks no model beside the one that foresees.
        asked = self._request(
            queries=situation.queries,
            where=None,
            top_k=None,
            min_score=None,
            layers=["item"],
            profile=None,
            recall=None,
            max_tokens=max_tokens,
            now=now,
            ask_model=False,
        )
        wanted = whole("top_k", top_k, MAX_NEEDS)
        scope = await to_read(self._runtime, scope)
        found = await self._retrieve(RAG, asked, scope, None, count=False) if asked.queries else None
        resources = self._runtime.resources(scope)
        try:
            intent = await self._predict(situation, found, asked.now, wanted, scope, resources)
        finally:
            await self._runtime.settle(resources)
        usage = resources.usage() + (found.usage if found else Usage())
        return await self._prefetched(intent.evolve(usage=usage), asked, scope)

    async def _predict(
        self,
        situation: Situation,
        found: RetrieveResult | None,
        now: datetime,
        top_k: int,
        scope: Scope,
        resources: MemoryResources,
    ) -> Intent:
        store, local = self._runtime.store, self._zone(scope)
        hits = [hit for hit in found or () if not situation.repeats(hit.record)]
        relevance = {hit.record.id: hit.score for hit in hits}
        said = await store.foresight.said(scope, SAID)
        topics = likely_topics(said, relevance, now=now, zone=local)
        items = {hit.record.id: hit.record for hit in hits}
        habitual = [one for topic in topics for one in topic.item_ids[:top_k] if one not in items]
        known = await store.items.get(scope, habitual[:SHOWN])
        items |= {item_id: item for item_id, item in known.items() if not situation.repeats(item)}
        categories = {one.id: one for one in await resources.reads.categories(scope)}
        needs = needs_of(topics, categories, items, top_k=top_k)
        guess = Intent(sentence=sentence_of(needs), needs=needs, items=_rested_on(needs, items))
        if not items or not resources.has_model():
            return guess
        names = {
            categories[topic.id].name: topic.confidence for topic in topics[:TOPICS] if topic.id in categories
        }
        try:
            told = await ask_intent(
                situation, list(items.values())[:SHOWN], names, now=now, zone=local, resources=resources
            )
        except ModelError as error:
            return guess.evolve(failure=str(error))
        needs = told.needs[:top_k]
        return Intent(
            sentence=told.sentence,
            needs=needs,
            items=_rested_on(needs, items),
            by="model",
            dropped=told.dropped,
        )

    async def _prefetched(self, intent: Intent, asked: RetrieveRequest, scope: Scope) -> Intent:
        """Add what answers the needs."""
        if not intent.needs:
            return intent
        request = asked.evolve(queries=tuple(dict.fromkeys(need.text for need in intent.needs)))
        found = await self._retrieve(RAG, request, scope, None, count=False)
        return intent.evolve(context=found.context, usage=intent.usage + found.usage)

    def _zone(self, scope: Scope) -> tzinfo:
        return zone(self._runtime.settings.timezone_of(scope.user))


def _rested_on(needs: Sequence[Need], items: Mapping[str, Item]) -> tuple[Item, ...]:
    ids = dict.fromkeys(item_id for need in needs for item_id in need.item_ids)
    return tuple(items[item_id] for item_id in ids)
