"""A model judges what new memories do to known ones."""

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from memu_py.errors import ModelError
from memu_py.language.budget import count_tokens
from memu_py.llm.chat import ChatModel
from memu_py.llm.sifting import SIFTED
from memu_py.prompts.ids import bare_id
from memu_py.prompts.prompt import Prompt
from memu_py.records.item import Item, ItemDraft
from memu_py.steps.memorize.conflicts import Operation, Verdict
from memu_py.steps.memorize.resolver import Compared
from memu_py.steps.side_by_side import side_by_side
from memu_py.steps.spoken import day_of, spoken


def _lowered(value: Any) -> Any:
    return value.strip().casefold() if isinstance(value, str) else value


class Judgement(BaseModel):
    """What a model says of one new memory."""

    new: str = Field(description="id of the new memory, such as n2")
    operation: Annotated[Operation, BeforeValidator(_lowered)]
    target: str | None = Field(default=None, description="id of the memory that it is about, such as k5")
    text: str = ""
    reason: str = ""


class Judgements(BaseModel):
    """All of them."""

    decisions: Annotated[list[Judgement], SIFTED]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """What came of asking a model.

    Attributes:
        verdicts: those that are usable.
        strangers: those that name a memory which was not shown, or one that came later.
        dropped: those that do not fit the form.
        failed: why parts could not be judged; their memories stand beside the known ones.
    """

    verdicts: tuple[Verdict, ...] = ()
    strangers: int = 0
    dropped: int = 0
    failed: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Reconciler:
    """Asks a model.

    Attributes:
        model: the model.
        prompt: what it is told.
        tokens: what new and known memories of one call may cost.
        zone: in which days are shown.
    """

    model: ChatModel
    prompt: Prompt
    tokens: int
    zone: tzinfo

    async def judge(self, compared: Compared) -> Judged:
        """Judge all drafts that have something near them, as many in one call as fit.

        Raises:
            BudgetExceeded: the calls would cost more than is left.
        """
        found = await side_by_side(self._one(part, compared) for part in self._parts(compared))
        return Judged(
            verdicts=tuple(verdict for one in found for verdict in one.verdicts),
            strangers=sum(one.strangers for one in found),
            dropped=sum(one.dropped for one in found),
            failed=tuple(why for one in found for why in one.failed),
        )

    def _parts(self, compared: Compared) -> list[list[ItemDraft]]:
        """Return the drafts of each call; none where nothing is near any of them."""
        if not any(compared.near.get(draft.id) for draft in compared.drafts) and len(compared.drafts) < 2:
            return []
        parts: list[list[ItemDraft]] = []
        spent = self.tokens
        for draft in compared.drafts:
            known = [one.item for one in compared.near.get(draft.id, ())]
            cost = sum(count_tokens(self._line(one)) for one in (draft, *known))
            if spent + cost > self.tokens:
                parts.append([])
                spent = 0
            parts[-1].append(draft)
            spent += cost
        return [part for part in parts if len(part) > 1 or compared.near.get(part[0].id)]

    async def _one(self, part: Sequence[ItemDraft], compared: Compared) -> Judged:
        new = {f"n{number}": draft for number, draft in enumerate(part, 1)}
        near = {one.item.id: one.item for draft in part for one in compared.near.get(draft.id, ())}
        known = {f"k{number}": item for number, item in enumerate(near.values(), 1)}
        blocks = {"known": self._lines(known), "new": self._lines(new)}
        try:
            answer = await self.model.chat(self.prompt.messages(blocks), Judgements)
        except ModelError as error:
            return Judged(failed=(str(error),))
        return _read(answer.value.decisions, new, known, answer.dropped)

    def _lines(self, shown: Mapping[str, ItemDraft]) -> str:
        return "\n".join(f"[{name}] {self._line(one)}" for name, one in shown.items())

    def _line(self, draft: ItemDraft) -> str:
        moment = draft.said_at or (draft.created_at if isinstance(draft, Item) else None)
        return f"({day_of(moment, self.zone)}) {spoken(draft)}" if moment else spoken(draft)


def _read(
    judgements: Sequence[Judgement],
    new: Mapping[str, ItemDraft],
    known: Mapping[str, ItemDraft],
    dropped: int,
) -> Judged:
    order = {name: place for place, name in enumerate(new)}
    verdicts: list[Verdict] = []
    strangers = 0
    for one in judgements:
        name, target = bare_id(one.new), bare_id(one.target or "")
        if name not in new:
            strangers += 1
        elif one.operation == "add":
            continue
        elif target in known or order.get(target, len(new)) < order[name]:
            aim = known.get(target) or new[target]
            verdicts.append(
                Verdict(
                    draft_id=new[name].id,
                    operation=one.operation,
                    target_id=aim.id,
                    text=one.text,
                    reason=one.reason.strip(),
                )
            )
        else:
            strangers += 1
    return Judged(verdicts=tuple(verdicts), strangers=strangers, dropped=dropped)
