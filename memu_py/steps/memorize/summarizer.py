"""A model brings summaries up to date: all categories that changed in one call, as far as they fit."""

import dataclasses
from collections.abc import Callable, Sequence
from datetime import tzinfo

from memu_py.errors import AnswerError, Conflict, ModelError, NotFound
from memu_py.llm.chat import CUT, ChatModel
from memu_py.prompts.prompt import Prompt
from memu_py.records.category import Category
from memu_py.records.cited import citations
from memu_py.records.cited import written as written_lines
from memu_py.records.scope import Scope
from memu_py.steps.memorize.patching import Patched, Sheet, SummaryPatch, Topic
from memu_py.storage.store import Store

FEWEST_TOKENS = 200
"""Of fewer tokens of memories an answer is not cut off, but endless."""


@dataclasses.dataclass(kw_only=True, slots=True)
class Tally:
    """What it came to.

    Attributes:
        calls: of the model.
        strangers: citations of what was not shown.
        unsourced: lines that were left out, since they cite nothing that holds.
        trimmed: lines that did not fit.
        dropped: edits that do not fit the form.
        conflicts: summaries that were written meanwhile, and were made again.
        failed: why the model could not be asked; the categories stay stale.
    """

    calls: int = 0
    strangers: int = 0
    unsourced: int = 0
    trimmed: int = 0
    dropped: int = 0
    conflicts: int = 0
    failed: str = ""

    def take(self, patched: Patched) -> None:
        """Count one summary."""
        self.strangers += patched.strangers
        self.unsourced += patched.unsourced
        self.trimmed += patched.trimmed


@dataclasses.dataclass(kw_only=True, slots=True)
class Summarizer:
    """Writes summaries of one partition.

    Attributes:
        store: where they are.
        scope: the partition's.
        model: the model.
        prompt: what it is told.
        chars: length of a summary at most, citations apart.
        tokens: what topics of one call may cost.
        attempts: tries when others change the same category.
        zone: in which days are shown.
        check: called now and then; raises to stop.
        tally: counts.
    """

    store: Store
    scope: Scope
    model: ChatModel
    prompt: Prompt
    chars: int
    tokens: int
    attempts: int
    zone: tzinfo
    check: Callable[[], None]
    tally: Tally = dataclasses.field(default_factory=Tally)

    async def refresh(self, stale: Sequence[Category]) -> list[Category]:
        """Bring summaries up to date; those that a failure leaves behind stay stale.

        Returns:
            The categories that were written, as they are now.

        Raises:
            BudgetExceeded: a call would cost more than is left.
        """
        written: dict[str, Category] = {}
        waiting = list(stale)
        tries = dict.fromkeys((category.id for category in stale), self.attempts)
        while waiting and not self.tally.failed:
            self.check()
            live = await self._live(waiting)
            topics = [await self._topic(category, live) for category in waiting]
            sheet = Sheet.of(self._fitting([topic for topic in topics if not topic.settled]))
            patched = await self._patched(sheet) if sheet.topics else {}
            done = {
                topic.category.id: patched[name] for name, topic in sheet.topics.items() if name in patched
            }
            waiting = await self._write(topics, done, written, tries)
        return list(written.values())

    async def _live(self, categories: Sequence[Category]) -> set[str]:
        """Return which of the items that summaries cite still hold."""
        cited = {ref for category in categories for ref in citations(category.summary)}
        found = await self.store.items.get(self.scope, sorted(cited))
        return {item.id for item in found.values() if not item.ended}

    async def _topic(self, category: Category, live: set[str]) -> Topic:
        """Read what a summary does not tell of yet; one that cites nothing is made anew from all items."""
        anew = not citations(category.summary)
        items = await self.store.category_items(self.scope, category.id, untold=not anew)
        return Topic.of(category, items, live, self.tokens)

    def _fitting(self, topics: Sequence[Topic]) -> list[Topic]:
        """Return the topics of the next call: as many as fit, at least one."""
        room = self.tokens
        found: list[Topic] = []
        for topic in topics:
            room -= topic.tokens
            if found and room < 0:
                break
            found.append(topic)
        return found

    async def _patched(self, sheet: Sheet) -> dict[str, Patched]:
        messages = self.prompt.messages({"topics": sheet.text(chars=self.chars, zone=self.zone)})
        self.tally.calls += 1
        try:
            answer = await self.model.chat(messages, SummaryPatch)
        except ModelError as error:
            if not (isinstance(error, AnswerError) and error.finish == CUT and self._halve()):
                self.tally.failed = str(error)
            return {}
        if answer.cut and not self._halve():
            self.tally.failed = "the answer was cut off"
        self.tally.dropped += answer.dropped
        return sheet.patched(answer.value.edits, chars=self.chars, whole=not answer.cut)

    def _halve(self) -> bool:
        """Show less from now on, since the answer was cut off; tell whether there is less to show."""
        self.tokens //= 2
        return self.tokens >= FEWEST_TOKENS

    async def _write(
        self,
        topics: Sequence[Topic],
        patched: dict[str, Patched],
        written: dict[str, Category],
        tries: dict[str, int],
    ) -> list[Category]:
        """Write what is ready; returns what is to be done again, as it is now."""
        waiting: list[Category] = []
        for topic in topics:
            category = topic.category
            if topic.settled:
                now = await self._set(category, Patched(summary=written_lines(topic.lines)))
            elif category.id in patched:
                self.tally.take(patched[category.id])
                now = await self._set(category, patched[category.id])
            else:
                waiting.append(category)
                continue
            further = now is not None and category.id in patched and bool(patched[category.id].told)
            tries[category.id] -= not further
            if now is None:
                self.tally.conflicts += 1
                now = (await self.store.categories.get(self.scope, [category.id])).get(category.id)
            else:
                written[category.id] = now
            if now is not None and now.stale and tries[category.id] > 0:
                waiting.append(now)
        return waiting

    async def _set(self, category: Category, patched: Patched) -> Category | None:
        """Write a summary; None where the category was changed meanwhile, or is there no longer."""
        try:
            return await self.store.summarize(self.scope, category, patched.summary, told=patched.told)
        except (Conflict, NotFound):
            return None
