"""Saying in words what form an answer should have."""

import json
from collections.abc import Sequence

from pydantic import BaseModel

from memu_py.llm.chat import Message

FORM = (
    "Answer with one JSON object and nothing else: no prose, no code fence. It must fit this JSON schema:\n"
)
REPAIR = "That answer cannot be used:\n"
CUT_OFF = "- it was cut off: be shorter\n"
SHOWN_CHARS = 8000
"""So much of an answer is shown again to the model that should repair it."""

NOTHING = "(nothing)"


def form_of(schema: type[BaseModel]) -> str:
    """Return the words that ask for a schema."""
    return FORM + json.dumps(schema.model_json_schema(), ensure_ascii=False)


def instructed(messages: Sequence[Message], schema: type[BaseModel]) -> tuple[Message, ...]:
    """Return messages that also ask for a schema: in the system message, or in one of their own.

    Args:
        messages: as given.
        schema: the form of the answer.
    """
    form = form_of(schema)
    first = messages[0]
    if first.get("role") == "system" and isinstance(first.get("content"), str):
        return {**first, "content": f"{first['content']}\n\n{form}"}, *messages[1:]
    return {"role": "system", "content": form}, *messages


def repairing(
    messages: Sequence[Message], answer: str, faults: Sequence[str], schema: type[BaseModel], *, cut: bool
) -> tuple[Message, ...]:
    """Return messages that show a model its answer, and ask for a better one.

    Args:
        messages: what it was asked.
        answer: what it said.
        faults: what does not fit.
        schema: the form of the answer.
        cut: whether the answer was cut off.
    """
    listed = "".join(f"- {fault}\n" for fault in faults)
    return (
        *messages,
        {"role": "assistant", "content": answer[:SHOWN_CHARS] or NOTHING},
        {"role": "user", "content": f"{REPAIR}{listed}{CUT_OFF if cut else ''}{form_of(schema)}"},
    )
