"""The situation that a prediction starts from: what is said, and what else is known of it."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from memu_py._core import normalize_text
from memu_py.errors import InvalidInput
from memu_py.records.item import Item
from memu_py.records.record import Record

MESSAGES = "messages"
LAST_TURNS = 10
"""Turns of a conversation that a prediction looks at."""

Context = str | Mapping[str, Any] | Sequence[Mapping[str, Any] | str]
"""A text, messages, or a mapping of anything that is known, which may hold `messages`."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Situation(Record):
    """What a prediction starts from.

    Attributes:
        turns: the last turns, in order, each behind its speaker.
        said: the texts of the turns, normalised.
        facts: what else is known, by name.
    """

    turns: tuple[str, ...] = ()
    said: frozenset[str] = frozenset()
    facts: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def text(self) -> str:
        """All of it as one text."""
        return "\n".join([*(f"{name}: {fact}" for name, fact in self.facts.items()), *self.turns])

    @property
    def queries(self) -> tuple[str, ...]:
        """What to look for in memory: the last turn, all turns together, and each fact; none when nothing is known."""
        found = [*self.turns[-1:], "\n".join(self.turns), *self.facts.values()]
        return tuple(dict.fromkeys(one for one in found if one.strip()))

    def repeats(self, item: Item) -> bool:
        """Whether an item only says what is being said: it tells nothing of what comes next."""
        return normalize_text(item.text) in self.said


def situation_of(context: Context) -> Situation:
    """Read a context.

    Raises:
        InvalidInput: it is none of what a context can be.
    """
    if isinstance(context, str):
        return Situation(**_turns([context]))
    if isinstance(context, Mapping):
        facts = {str(name): _fact(value) for name, value in context.items() if name != MESSAGES}
        named = {name: fact for name, fact in facts.items() if fact}
        return Situation(facts=named, **_turns(context.get(MESSAGES) or ()))
    return Situation(**_turns(context))


def _turns(messages: Any) -> dict[str, Any]:
    if isinstance(messages, str) or not isinstance(messages, Sequence):
        raise _unusable(messages)
    read = [(speaker, text) for speaker, text in map(_turn, messages) if text][-LAST_TURNS:]
    lines = tuple(f"{speaker}: {text}" if speaker else text for speaker, text in read)
    return {"turns": lines, "said": frozenset(normalize_text(text) for _, text in read)}


def _turn(message: Any) -> tuple[str, str]:
    """Return who says what."""
    if isinstance(message, str):
        return "", message.strip()
    if not isinstance(message, Mapping):
        raise _unusable(message)
    return str(message.get("name") or message.get("role") or ""), _said(message.get("content")).strip()


def _said(content: Any) -> str:
    """Return the text of a message, also where the chat APIs cut it into parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        parts = (one.get("text") for one in content if isinstance(one, Mapping))
        return " ".join(one for one in parts if isinstance(one, str))
    return ""


def _fact(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_fact(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_fact, value))
    return "" if value is None else str(value).strip()


def _unusable(value: Any) -> InvalidInput:
    msg = f"a context is a text, messages, or a mapping of what is known, not {type(value).__name__}"
    return InvalidInput(
        msg, hint='such as {"messages": [{"role": "user", "content": "…"}], "place": "office"}'
    )
