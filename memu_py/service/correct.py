"""Corrections: what was wrong is ended, and what is right takes its place."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Literal, Unpack

from memu_py.errors import InvalidInput, ModelError, NotFound
from memu_py.language.amend import Amendment, amended, content_of
from memu_py.language.dates import first_date
from memu_py.language.entities import entities
from memu_py.language.zones import zone
from memu_py.records.corrected import Corrected
from memu_py.records.hit import Hit
from memu_py.records.item import Item, ItemDraft
from memu_py.records.page import Query, Where
from memu_py.records.scope import Scope
from memu_py.service.arguments import checks_arguments
from memu_py.service.granting import item_to_write, to_write
from memu_py.service.items import ItemsMixin, renamed
from memu_py.service.profiling import began
from memu_py.service.replacing import Ended, replace
from memu_py.service.retrieve import RetrieveMixin
from memu_py.service.retry import settled
from memu_py.service.scopes import ScopeKeys
from memu_py.steps.proactive.correcting import Told, ask_meant

By = Literal["id", "rules", "model"]


@checks_arguments
class CorrectMixin(RetrieveMixin, ItemsMixin):
    """Correct what is remembered."""

    async def correct(
        self,
        words: str,
        *,
        item_id: str | None = None,
        run_id: str | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Corrected:
        """Correct a memory in words, such as "that is wrong, it was 2021", "not Porto but Lisbon", 不是上海，是杭州.

        The memory that was wrong is superseded by one that says what is right, as if that had been said in its place;
        "that is wrong" alone ends it. Without an id, it must be clear which memory is meant: the only one that fits the
        words, or the best by a margin; else the chat model is asked, where there is one; else nothing is done.

        Args:
            words: the correction, in English or Chinese.
            item_id: the memory that is meant.
            run_id: of the `memorize` whose memories may be meant; all of the scope without it.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Returns:
            What was done, with the memory before and after; or, with nothing done, which memories may be meant.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: the words are empty, or do not say how the memory that is named should read.
            NotFound: the item or the run is not in the scope.
            OutsideScope: the item is another agent's, which this one may only read.
            BudgetExceeded: the model's call would cost more than is left.
        """
        scope = self._scopes.make(**keys)
        words = self._runtime.masker.text(words)
        if not words.strip():
            msg = "a correction is text with something in it"
            raise InvalidInput(msg)
        scope = await to_write(self._runtime, scope)
        if item_id is not None:
            return await self._correct_one(scope, words, item_id)
        hits = await self._candidates(scope, words, run_id)
        clear = self._clear(scope, words, hits)
        if clear is not None:
            return await self._amend(scope, words, clear[0].id, clear[1], "rules")
        told = await self._ask(scope, words, [hit.record for hit in hits])
        if told is None:
            return Corrected(candidates=tuple(hits))
        return await self._amend(scope, words, told.item.id, self._as_told(scope, told), "model")

    async def _correct_one(self, scope: Scope, words: str, item_id: str) -> Corrected:
        await item_to_write(self._runtime, scope, item_id)
        item = await self._live(scope, item_id)
        change = self._amended(scope, item, words)
        if change is not None:
            return await self._amend(scope, words, item_id, change, "id")
        told = await self._ask(scope, words, [item])
        if told is None:
            msg = f"{words!r} does not say how the memory should read: {item.text!r}"
            hint = "say it whole, or as in “it was 2021”, “not Porto but Lisbon”, 不是上海，是杭州"
            raise InvalidInput(msg, hint=hint)
        return await self._amend(scope, words, item_id, self._as_told(scope, told), "model")

    async def _live(self, scope: Scope, item_id: str) -> Item:
        item = (await self._runtime.store.items.get(scope, [item_id])).get(item_id)
        if item is None:
            msg = f"no item {item_id!r} in this scope"
            raise NotFound(msg)
        if item.ended:
            msg = f"item {item_id} holds no longer"
            raise InvalidInput(msg, hint=f"correct {item.superseded_by}" if item.superseded_by else None)
        return item

    def _local(self, scope: Scope) -> tzinfo:
        return zone(self._runtime.settings.timezone_of(scope.user))

    def _amended(self, scope: Scope, item: Item, words: str) -> Amendment | None:
        return amended(
            item.text,
            words,
            happened=item.happened,
            said_at=item.said_at or item.created_at,
            now=self._runtime.clock(),
            zone=self._local(scope),
        )

    async def _candidates(self, scope: Scope, words: str, run_id: str | None) -> list[Hit[Item]]:
        """Return what may be meant: by the words that say something, and the newest where they say only a date."""
        settings = self._runtime.settings.correct
        where = None if run_id is None else await self._of_run(scope, run_id)
        asked = content_of(words)
        if asked:
            request = self._request(
                queries=(asked,),
                where=where,
                top_k=settings.candidates,
                min_score=0.0,
                layers=["item"],
                profile="similarity",
                recall=None,
                ask_model=False,
            )
            hits = list((await self._retrieve("rag", request, scope, None, count=False)).items)
            if any(hit.score >= settings.least_score for hit in hits):
                return hits
        query = Query(where=where, order="id", descending=True, limit=settings.candidates)
        newest = await self._runtime.store.items.page(scope, query)
        return [Hit(record=item, score=0.0, scores={}) for item in newest]

    async def _of_run(self, scope: Scope, run_id: str) -> Where:
        found = await self._runtime.store.find_run(scope, run_id)
        if found is None:
            msg = f"no run {run_id!r} in this scope"
            raise NotFound(msg)
        return {"resource_id": found["resource_id"]}

    def _clear(self, scope: Scope, words: str, hits: Sequence[Hit[Item]]) -> tuple[Item, Amendment] | None:
        """Return the one memory that is meant, and what it becomes; None where that is not clear.

        A piece that is wrong must be in it, and a date can be wrong only where there is one. A statement, or that
        something is wrong at all, may be meant of any: there, the best must be ahead.
        """
        settings = self._runtime.settings.correct
        fitting = [(hit, change) for hit in hits if (change := self._amended(scope, hit.record, words))]
        fitting = [one for one in fitting if one[1].how != "date" or one[0].record.happened]
        sure = [one for one in fitting if one[1].how in ("date", "piece")]
        if len(sure) == 1 and len(fitting) == 1:
            return sure[0][0].record, sure[0][1]
        ranked = sorted(fitting, key=lambda one: -one[0].score)
        if not ranked or ranked[0][0].score < settings.least_score:
            return None
        behind = ranked[1][0].score if len(ranked) > 1 else 0.0
        best = ranked[0]
        return (best[0].record, best[1]) if best[0].score - behind >= settings.margin else None

    async def _ask(self, scope: Scope, words: str, items: Sequence[Item]) -> Told | None:
        """Ask the model; None where there is none, or it fails or cannot tell."""
        profile = self._runtime.settings.correct.profile
        resources = self._runtime.resources(scope)
        if not items or not resources.has_model(profile):
            return None
        now, local = self._runtime.clock(), self._local(scope)
        try:
            return await ask_meant(words, items, now=now, zone=local, profile=profile, resources=resources)
        except ModelError:
            return None
        finally:
            await self._runtime.settle(resources)

    def _as_told(self, scope: Scope, told: Told) -> Amendment:
        if not told.text or told.text == told.item.text:
            return Amendment(how="end")
        said = told.item.said_at or told.item.created_at
        text = self._runtime.masker.text(told.text)
        happened = first_date(text, said_at=said, zone=self._local(scope))
        return Amendment(how="statement", text=text, happened=happened or told.item.happened)

    async def _amend(self, scope: Scope, words: str, item_id: str, change: Amendment, by: By) -> Corrected:
        """Do it: at once, or not at all."""
        if change.how == "end":
            before = await self._live(scope, item_id)
            ended = await self.update_item(
                item_id, {"valid_to": await began(self._runtime, before)}, **_keys(scope)
            )
            return Corrected(done=True, how="end", by=by, before=ended)

        async def write() -> Corrected:
            item = await self._live(scope, item_id)
            draft = _draft(item, change)
            # It never held: what was true at any time, as far as is known now, is what is right.
            at = await began(self._runtime, item)
            end = Ended(item=item, at=at, reason=f"corrected: {words.strip()}")
            after = await replace(self._runtime, item.scope, draft, [end])
            before = (await self._runtime.store.items.get(scope, [item_id]))[item_id]
            return Corrected(done=True, how=change.how, by=by, before=before, after=after)

        return await settled(write)


def _draft(item: Item, change: Amendment) -> ItemDraft:
    """Return what is right as a draft: found where the wrong one was found, and said when it was said."""
    draft = ItemDraft(
        type=item.type,
        text=change.text,
        speaker=item.speaker,
        said_at=item.said_at or item.created_at,
        happened=change.happened,
        importance=item.importance,
        emotion=item.emotion,
        attribution=item.attribution,
        sources=item.sources,
        metadata=item.metadata,
    )
    named = item.evolve(text=change.text)
    known = renamed(item, named) if item.entities else entities(change.text, speaker=item.speaker, names=())
    return draft.evolve(entities=known)


def _keys(scope: Scope) -> ScopeKeys:
    return ScopeKeys(user=scope.user, agent=scope.agent, session=scope.session, custom=dict(scope.custom))
