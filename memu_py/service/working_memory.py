"""Working memory: what a prompt needs of a conversation, however long it has become."""

from collections.abc import Sequence
from datetime import UTC
from typing import Annotated, NamedTuple

from pydantic import BaseModel, Field

from memu_py.errors import BudgetExceeded, ModelError
from memu_py.features.condense import WORTHWHILE, condense, said
from memu_py.language.budget import chars_within, count_tokens
from memu_py.language.tongue import language_of
from memu_py.llm.sifting import SIFTED
from memu_py.modality.chat import read_entry
from memu_py.records.conversation import (
    ConversationContext,
    KeptMessage,
    Line,
    RunningSummary,
    WholeConversation,
)
from memu_py.service.runtime import Runtime
from memu_py.steps.memorize.kept import kept_of
from memu_py.steps.resources import MemoryResources

TASK = "condense"
PURPOSE = "working_memory"
EXTRACT = "extract"
SUMMARY_SHARE = 0.5
"""Of a budget that is too small for all, so much is the summary's at most."""
READ_TOKENS = 6000
"""Tokens of messages that a model is shown in one call."""

WORDS = {
    "en": ("Earlier in this conversation (numbers of messages in brackets):", "The latest messages:"),
    "zh": ("此前的对话（方括号内为消息编号）：", "最近的消息："),
}


class LineAnswer(BaseModel):
    """One line, as a model tells it."""

    text: str = Field(min_length=1)
    refs: list[int]


class LinesAnswer(BaseModel):
    """What a model answers."""

    lines: Annotated[list[LineAnswer], SIFTED]


class Turn(NamedTuple):
    """A message as it stands in a prompt; one that only holds tool calls, or tells a model what to do, has none."""

    ordinal: int
    speaker: str
    text: str

    def __str__(self) -> str:
        return f"{self.speaker}: {self.text}"


def turns_of(messages: Sequence[KeptMessage]) -> list[Turn]:
    """Return what was said in messages."""
    return [
        Turn(message.ordinal, one.speaker or one.role, one.text)
        for message in messages
        for one in read_entry(message.entry, message.ordinal + 1, UTC).messages
        if not one.context
    ]


async def context_of(
    runtime: Runtime, whole: WholeConversation, known: RunningSummary | None, max_tokens: int | None
) -> ConversationContext:
    """Return what a prompt needs, and bring the running summary up to date where messages leave the prompt.

    Args:
        runtime: what the service runs on.
        whole: the conversation, with its messages from where the summary ends.
        known: the summary so far.
        max_tokens: of the block; None for all that is kept.
    """
    wanted = runtime.settings.conversations.working_memory
    turns = turns_of(whole.messages)
    beyond = turns[: max(0, len(turns) - wanted.keep_messages)]
    if sum(count_tokens(f"{one}\n") for one in beyond) > wanted.max_tokens:
        known = await _summed_up(runtime, whole, known, beyond)
        turns = turns[len(beyond) :]
    return _written(known, turns, max_tokens)


async def _summed_up(
    runtime: Runtime, whole: WholeConversation, known: RunningSummary | None, beyond: Sequence[Turn]
) -> RunningSummary:
    scope = whole.conversation.scope
    wanted = runtime.settings.conversations.working_memory
    before = known.lines if known else ()
    resources = runtime.resources(scope)
    by, lines = EXTRACT, None
    if resources.has_model(wanted.profile):
        try:
            lines = await _told(resources, before, beyond, wanted.profile)
            by = wanted.profile
        except (ModelError, BudgetExceeded):
            # A prompt is wanted now: what a model would say better is said by the messages themselves.
            lines = None
        finally:
            await runtime.settle(resources)
    if lines is None:
        lines = [*before, *(line for one in beyond for line in said(*one))]
        by = EXTRACT
    summary = RunningSummary(
        lines=condense(lines, max_tokens=wanted.summary_tokens, least=WORTHWHILE if by == EXTRACT else 0.0),
        through=beyond[-1].ordinal + 1,
        version=whole.conversation.version,
        by=by,
        made_at=runtime.clock(),
    )
    await runtime.conversations.keep_summary(scope.owner, kept_of(whole.conversation), summary)
    return summary


async def _told(
    resources: MemoryResources, before: Sequence[Line], beyond: Sequence[Turn], profile: str
) -> list[Line] | None:
    """Have a model sum up, in as many calls as the messages need; None where what it says rests on nothing.

    Raises:
        ModelError: it failed.
    """
    prompt = resources.prompt(TASK, "\n".join(one.text for one in beyond))
    lines = list(before)
    for part in _parts(beyond):
        shown = "\n".join(f"[{one.ordinal}] {one}" for one in part)
        data = {"summary": "\n".join(map(str, lines)), "messages": shown}
        answer = await resources.chat(profile, purpose=PURPOSE).chat(prompt.messages(data), LinesAnswer)
        known = {number for one in lines for number in one.ordinals} | {one.ordinal for one in part}
        found = [
            Line(ordinals=tuple(sorted(refs)), speaker="", text=" ".join(one.text.split()))
            for one in answer.value.lines
            if (refs := known & set(one.refs))
        ]
        if not found:
            return None
        lines = found
    return lines


def _parts(turns: Sequence[Turn]) -> list[list[Turn]]:
    parts: list[list[Turn]] = [[]]
    room = READ_TOKENS
    for one in turns:
        cost = count_tokens(str(one))
        if parts[-1] and cost > room:
            parts.append([])
            room = READ_TOKENS
        parts[-1].append(one)
        room -= cost
    return parts


def _written(
    known: RunningSummary | None, turns: Sequence[Turn], max_tokens: int | None
) -> ConversationContext:
    """Write the block: the summary in the room that is its, then the newest messages that fit."""
    lines = known.lines if known else ()
    end = turns[-1].ordinal + 1 if turns else (known.through if known else 0)
    earlier, latest = WORDS.get(
        language_of("\n".join([*(one.text for one in lines), *(one.text for one in turns)])), WORDS["en"]
    )
    said_now = [str(one) for one in turns]
    if max_tokens is not None:
        room = max_tokens - count_tokens(f"{latest}\n")
        rest = sum(count_tokens(f"{one}\n") for one in said_now)
        heading = count_tokens(f"{earlier}\n")
        lines = _fitting(lines, max(int(room * SUMMARY_SHARE), room - rest) - heading)
        if lines:
            room -= heading + sum(count_tokens(f"{one}\n") for one in lines)
        said_now = _newest(said_now, room)
    kept = turns[len(turns) - len(said_now) :]
    parts = [earlier, *map(str, lines)] if lines else []
    parts += [latest, *said_now] if said_now else []
    text = "\n".join(parts)
    return ConversationContext(
        text=text,
        summary=tuple(lines),
        first=kept[0].ordinal if kept else end,
        tokens=count_tokens(text),
        by=known.by if known and lines else "",
    )


def _fitting(lines: Sequence[Line], room: int) -> tuple[Line, ...]:
    """Return the lines that tell most within the room; none where there is no room for one."""
    if sum(count_tokens(f"{one}\n") for one in lines) <= room:
        return tuple(lines)
    short = [one for one in lines if count_tokens(f"{one}\n") <= room]
    return condense(short, max_tokens=room) if short else ()


def _newest(said_now: Sequence[str], room: int) -> list[str]:
    """Return the newest messages that fit; of one that does not fit alone, its end."""
    kept: list[str] = []
    for one in reversed(said_now):
        cost = count_tokens(f"{one}\n")
        if cost > room:
            break
        kept.insert(0, one)
        room -= cost
    if not kept and said_now and room > 1:
        kept = [said_now[-1][-chars_within(said_now[-1], room - 1) :]]
    return kept
