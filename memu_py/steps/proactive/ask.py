"""Asking a chat model what is likely to be needed next."""

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Annotated

from pydantic import BaseModel, Field

from memu_py.language.budget import count_tokens
from memu_py.llm.sifting import SIFTED
from memu_py.prompts.ids import bare_id
from memu_py.records.intent import Need
from memu_py.records.item import Item
from memu_py.records.record import Record
from memu_py.steps.proactive.situation import Situation
from memu_py.steps.resources import MemoryResources
from memu_py.steps.retrieve.prompt import show_span
from memu_py.steps.retrieve.route_query import NOW
from memu_py.steps.spoken import day_of, spoken

TASK = "predict"
PURPOSE = "predict_intent"
RECORD_TOKENS = 2000
"""Tokens of memories that the model is shown at most."""

TURN_TOKENS = 2000
"""The same of turns."""


class NeedAnswer(BaseModel):
    """One need, as a model tells it."""

    text: str = Field(min_length=1)
    confidence: float = Field(ge=0, le=1)
    evidence: list[str]


class IntentAnswer(BaseModel):
    """What a model answers."""

    intent: str = ""
    needs: Annotated[list[NeedAnswer], SIFTED]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Predicted(Record):
    """What came of it.

    Attributes:
        sentence: the intent.
        needs: those that rest on items that were shown, the likeliest first.
        dropped: how many did not, or did not fit.
    """

    sentence: str
    needs: tuple[Need, ...]
    dropped: int


async def ask_intent(
    situation: Situation,
    items: Sequence[Item],
    topics: Mapping[str, float],
    *,
    now: datetime,
    zone: tzinfo,
    resources: MemoryResources,
) -> Predicted:
    """Ask the default model, in one call.

    Args:
        situation: what is going on.
        items: what may be rested on, the most important first; shown within a budget.
        topics: how likely the statistic holds them, by name.
        now: the present moment.
        zone: the user's.
        resources: what the run works with.

    Raises:
        ModelError: the model failed, or its answer cannot be used.
        BudgetExceeded: the call would cost more than is left.
    """
    shown = _shown(items, zone)
    data = {
        "now": now.astimezone(zone).strftime(NOW),
        "situation": "\n".join(f"{name}: {fact}" for name, fact in situation.facts.items()),
        "turns": "\n".join(_recent(situation.turns)),
        "topics": "\n".join(f"{name}: {likely:.2f}" for name, likely in topics.items()),
        "records": "\n".join(f"[{name}] {_line(item, zone)}" for name, item in shown.items()),
    }
    prompt = resources.prompt(TASK, situation.text or (items[0].text if items else ""))
    answer = await resources.chat(purpose=PURPOSE).chat(prompt.messages(data), IntentAnswer)
    needs = [_need(one, shown) for one in answer.value.needs]
    kept = sorted((one for one in needs if one.item_ids), key=lambda one: -one.confidence)
    lost = len(needs) - len(kept)
    sentence = answer.value.intent.strip() or (kept[0].text if kept else "")
    return Predicted(sentence=sentence if kept else "", needs=tuple(kept), dropped=lost + answer.dropped)


def _recent(turns: Sequence[str]) -> list[str]:
    """Return the last turns that fit; of a last one that does not fit alone, its end."""
    room, kept = TURN_TOKENS, list[str]()
    for turn in reversed(turns):
        room -= count_tokens(turn)
        if room < 0:
            break
        kept.insert(0, turn)
    return kept or [turn[-TURN_TOKENS:] for turn in turns[-1:]]


def _shown(items: Sequence[Item], zone: tzinfo) -> dict[str, Item]:
    room, shown = RECORD_TOKENS, dict[str, Item]()
    for number, item in enumerate(items, 1):
        room -= count_tokens(_line(item, zone))
        if room < 0 and shown:
            break
        shown[f"i{number}"] = item
    return shown


def _line(item: Item, zone: tzinfo) -> str:
    when = item.happened and f"({show_span(item.happened, zone)}) "
    said = f"[{day_of(item.said_at, zone)}] " if item.said_at else ""
    return f"{said}{when or ''}{spoken(item)}"


def _need(one: NeedAnswer, shown: Mapping[str, Item]) -> Need:
    names = map(bare_id, one.evidence)
    known = dict.fromkeys(shown[name].id for name in names if name in shown)
    return Need(text=one.text.strip(), confidence=one.confidence, item_ids=tuple(known))
