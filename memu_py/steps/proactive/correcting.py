"""Asking a chat model which memory a correction means, and what is right."""

import dataclasses
from collections.abc import Sequence
from datetime import datetime, tzinfo

from pydantic import BaseModel, Field

from memu_py.prompts.ids import bare_id
from memu_py.records.item import Item
from memu_py.records.record import Record
from memu_py.steps.resources import MemoryResources
from memu_py.steps.retrieve.route_query import NOW
from memu_py.steps.spoken import day_of, spoken

TASK = "correct"


class Meant(BaseModel):
    """What a model answers."""

    target: str | None = Field(default=None, description="id of the memory that is meant, such as k3")
    text: str = ""
    reason: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Told(Record):
    """What came of it.

    Attributes:
        item: the memory that is meant.
        text: what it says from now on; empty when it only ends.
        reason: why.
    """

    item: Item
    text: str
    reason: str


async def ask_meant(
    words: str,
    items: Sequence[Item],
    *,
    now: datetime,
    zone: tzinfo,
    profile: str,
    resources: MemoryResources,
) -> Told | None:
    """Ask a model, in one call; None when it cannot tell, or names what it was not shown.

    Args:
        words: the correction.
        items: what may be meant, at least one.
        now: the present moment.
        zone: the user's.
        profile: of the model.
        resources: what the call works with.

    Raises:
        ModelError: the model failed, or its answer cannot be used.
        BudgetExceeded: the call would cost more than is left.
    """
    known = {f"k{number}": item for number, item in enumerate(items, 1)}
    data = {
        "now": now.astimezone(zone).strftime(NOW),
        "known": "\n".join(f"[{name}] {_line(item, zone)}" for name, item in known.items()),
        "words": words,
    }
    prompt = resources.prompt(TASK, words)
    answer = await resources.chat(profile, purpose=TASK).chat(prompt.messages(data), Meant)
    item = known.get(bare_id(answer.value.target or ""))
    if item is None:
        return None
    return Told(item=item, text=answer.value.text.strip(), reason=answer.value.reason.strip())


def _line(item: Item, zone: tzinfo) -> str:
    return f"({day_of(item.said_at or item.created_at, zone)}) {spoken(item)}"
