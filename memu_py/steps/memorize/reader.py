"""Extraction by a model: windows of segments are read side by side, each in one call."""

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo

from memu_py.errors import AnswerError, ModelError
from memu_py.language.judgements import inferred
from memu_py.llm.chat import CUT, ChatModel
from memu_py.llm.provider_error import ProviderError
from memu_py.prompts.prompt import Prompt
from memu_py.records.item import ItemDraft
from memu_py.records.resource import Segment
from memu_py.records.taken import taken
from memu_py.steps.memorize.extraction import (
    ExtractedItem,
    Extraction,
    cited,
    draft_of,
    happened,
    sources,
    turn_id,
)
from memu_py.steps.memorize.intake import CONTEXT, Intake
from memu_py.steps.memorize.unjudged import Rules
from memu_py.steps.memorize.verbatim import ItemTypes
from memu_py.steps.memorize.windows import Window
from memu_py.steps.side_by_side import side_by_side

STAMP = "%Y-%m-%d %H:%M"
WORK_CHARS = 2000
"""So much of a call of a tool, or of its result, is shown."""
AGENTS = ("assistant", "tool")
NOTHING_FOUND = "nothing to remember"
NOTHING_CITES_IT = "no memory cites it; memories that cite no turn and were thrown away:"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """What became of some windows.

    Attributes:
        drafts: items found.
        failed: why segments could not be read, by ordinal.
        unsourced: items thrown away since they cite no turn that was given.
        inferred: items thrown away since they judge a person in words that nobody said.
        dropped: items thrown away since they do not fit the form.
        topics: name of the topic of a draft, by its id.
        proposed: descriptions of topics that there are not yet, by name.
    """

    drafts: tuple[ItemDraft, ...] = ()
    failed: Mapping[int, str] = dataclasses.field(default_factory=dict)
    unsourced: int = 0
    inferred: int = 0
    dropped: int = 0
    topics: Mapping[str, str] = dataclasses.field(default_factory=dict)
    proposed: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def joined(self, other: "Read") -> "Read":
        """Return both together."""
        return Read(
            drafts=(*self.drafts, *other.drafts),
            failed={**self.failed, **other.failed},
            unsourced=self.unsourced + other.unsourced,
            inferred=self.inferred + other.inferred,
            dropped=self.dropped + other.dropped,
            topics={**self.topics, **other.topics},
            proposed={**other.proposed, **self.proposed},
        )


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """Has a model read windows.

    Attributes:
        model: the model.
        prompt: what it is told.
        context: blocks that are the same for all windows: `types`, `topics`, `room`, `known`, `summary`.
        intake: what the segments belong to.
        session: that of the call.
        types: what items are that the model gives no known type.
        known_types: types that items may have.
        zone: of times that carry none, and in which times are shown.
        done: called after each window.
        rules: judge what the model left out.
        infers: keep what judges a person in words that nobody said.
    """

    model: ChatModel
    prompt: Prompt
    context: Mapping[str, str]
    intake: Intake
    session: str | None
    types: ItemTypes
    known_types: Sequence[str]
    zone: tzinfo
    done: Callable[[], None]
    rules: Rules = dataclasses.field(default_factory=Rules)
    infers: bool = False

    def line(self, segment: Segment) -> str:
        """Return how a segment is shown: its id, when it was said, who said it, what."""
        when = self.intake.anchor(segment).astimezone(self.zone).strftime(STAMP)
        who = segment.speaker or segment.role or ""
        text = f"{segment.text[:WORK_CHARS]}…" if _is_long(segment) else segment.text
        # Lines below the first are set in, so that none of them passes for a turn.
        inside = "\n    ".join(text.splitlines())
        return f"[{turn_id(segment)}] {when} {f'{who}: ' if who else ''}{inside}"

    async def read(self, windows: Sequence[Window]) -> Read:
        """Read windows side by side; the profile says how many at a time.

        Raises:
            BudgetExceeded: the calls would cost more than is left.
            MissingKey: the model needs a key that is not set.
        """
        found = await side_by_side(map(self._one, windows))
        return functools.reduce(Read.joined, found, Read())

    async def _one(self, window: Window) -> Read:
        found = await self._read(window)
        self.done()
        return found

    async def _read(self, window: Window) -> Read:
        """Read a window; its halves where the answer is cut off, or the window is more than the model takes."""
        blocks = {
            **self.context,
            "before": "\n".join(map(self.line, window.before)),
            "turns": "\n".join(map(self.line, window.own)),
        }
        try:
            answer = await self.model.chat(self.prompt.messages(blocks), Extraction)
        except ModelError as error:
            if _is_too_much(error) and len(window.own) > 1:
                return await self._halved(window)
            return Read(failed={segment.ordinal: str(error) for segment in window.own})
        if answer.cut and len(window.own) > 1:
            return await self._halved(window)
        found = self._drafts(answer.value.items, window)
        return dataclasses.replace(found, dropped=answer.dropped)

    async def _halved(self, window: Window) -> Read:
        first, second = halves(window)
        return (await self._read(first)).joined(await self._read(second))

    def _drafts(self, items: Sequence[ExtractedItem], window: Window) -> Read:
        turns = {turn_id(segment): segment for segment in window.own}
        drafts = []
        topics: dict[str, str] = {}
        proposed: dict[str, str] = {}
        judging = 0
        for item in items:
            segments = cited(item, turns)
            if not segments:
                continue
            if not self.infers and inferred(item.text, (one.text for one in segments)):
                judging += 1
                continue
            drafts.append(self._draft(item, segments))
            if item.topic and item.topic.strip():
                topics[drafts[-1].id] = item.topic.strip()
                if item.new_topic is not None:
                    proposed.setdefault(item.topic.strip(), item.new_topic.strip())
        return Read(
            drafts=tuple(drafts),
            unsourced=len(items) - len(drafts) - judging,
            inferred=judging,
            topics=topics,
            proposed=proposed,
        )

    def _draft(self, item: ExtractedItem, segments: list[Segment]) -> ItemDraft:
        anchor = self.intake.anchor(segments[0])
        span = happened(item, anchor=anchor, zone=self.zone) or taken(segments[0])
        named = item.type.strip().casefold()
        usual = self.types.of(segments[0], dated=span is not None)
        draft = draft_of(
            item,
            segments,
            found=sources(segments, resource_id=self.intake.resource.id, session=self.session),
            span=span,
            type_=named if named in self.known_types else usual,
            metadata=self.intake.resource.metadata,
        )
        return self.rules.weighed(draft)


def halves(window: Window) -> tuple[Window, Window]:
    """Return a window cut in two; the second sees the end of the first."""
    middle = len(window.own) // 2
    first, second = window.own[:middle], window.own[middle:]
    overlap = max(len(window.before), 1)
    return Window(before=window.before, own=first), Window(before=first[-overlap:], own=second)


def _is_too_much(error: ModelError) -> bool:
    """Tell whether less text would help."""
    if isinstance(error, AnswerError):
        return error.finish == CUT
    return isinstance(error, ProviderError) and error.too_long


def _is_long(segment: Segment) -> bool:
    return segment.kind == "context" and len(segment.text) > WORK_CHARS


def judged(segments: Sequence[Segment], found: Read) -> list[Segment]:
    """Give segments that were read and made no item their outcome: failed, or skipped since nothing is in them."""
    told = {source.ordinal for draft in found.drafts for source in draft.sources}
    nothing = f"{NOTHING_CITES_IT} {found.unsourced}" if found.unsourced else NOTHING_FOUND
    return [_judged(segment, told, found.failed, nothing) for segment in segments]


def is_agents_work(segment: Segment) -> bool:
    """Tell whether a segment is a call of a tool or its result: no turn, but a model may learn from it."""
    return segment.kind == "context" and segment.role in AGENTS


def _judged(segment: Segment, told: set[int], failed: Mapping[int, str], nothing: str) -> Segment:
    if segment.outcome != "pending" or segment.ordinal in told:
        return segment
    if is_agents_work(segment):
        return segment.evolve(outcome="skipped", reason=CONTEXT)
    if segment.ordinal in failed:
        return segment.evolve(outcome="failed", reason=failed[segment.ordinal])
    return segment.evolve(outcome="skipped", reason=nothing)
