"""What new memories do to those that they speak of, once somebody has judged. Pure."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal

from memu_py.language.agreement import fuller
from memu_py.language.corrections import Correction, corrections, takes_back
from memu_py.records.batch import Reinforcement, Supersession, Vector
from memu_py.records.identity import DATED_TYPES
from memu_py.records.item import Item, ItemDraft
from memu_py.records.link import REVISES, Link
from memu_py.records.record import Record
from memu_py.steps.memorize.duplicates import Holders, follow, join, reworded, say_again
from memu_py.steps.memorize.resolver import Compared

Operation = Literal["add", "update", "supersede", "delete", "none"]
"""What a new memory does: stand beside what is known, make it fuller, take its place, end it, or nothing at all."""

BY_RULE = "a later memory says that it holds no longer"
HELD: tuple[Operation, ...] = ("update", "none")
"""A draft of which this is said is not stored: another one holds it."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Verdict(Record):
    """What one draft does to one other memory.

    Attributes:
        draft_id: the draft.
        operation: what it does.
        target_id: a live item, or an earlier draft.
        text: for `update`, what the target says from now on; the fuller of both texts if empty.
        reason: why, for the target's history.
    """

    draft_id: str
    operation: Operation
    target_id: str
    text: str = ""
    reason: str = ""


def ruled(compared: Compared) -> list[Verdict]:
    """Judge by rules: a draft takes the place only of what it says itself to hold no longer.

    What happened once is not ended by what came after it; what somebody says of himself takes back only his own words,
    and nobody takes back what is said only later.
    """
    verdicts: list[Verdict] = []
    for place, draft in enumerate(compared.drafts):
        said = corrections(draft.text)
        others = (
            [one.item for one in compared.near.get(draft.id, ())] + compared.drafts[:place] if said else []
        )
        verdicts += [
            Verdict(draft_id=draft.id, operation="supersede", target_id=other.id, reason=BY_RULE)
            for other in others
            if any(_takes_back(one, draft, other) for one in said)
        ]
    return verdicts


def _takes_back(correction: Correction, draft: ItemDraft, other: ItemDraft) -> bool:
    if (
        other.type in DATED_TYPES
        or is_later(other, draft)
        or (correction.own and _name(draft) != _name(other))
    ):
        return False
    return takes_back(correction, other.text)


def _name(draft: ItemDraft) -> str | None:
    return draft.speaker.casefold() if draft.speaker else None


def is_later(item: ItemDraft, draft: ItemDraft) -> bool:
    """Tell whether a memory was said after a draft: a conversation may be taken in long after it was."""
    said = [source.said_at for source in item.sources if source.said_at]
    said += [moment for moment in (item.said_at,) if moment]
    if not said and isinstance(item, Item):
        said = [item.created_at]
    return draft.said_at is not None and bool(said) and max(said) > draft.said_at


def revisions(verdicts: Sequence[Verdict]) -> list[Link]:
    """Return links from drafts to what they would take the place of, where both live on."""
    return [
        Link(source_id=one.draft_id, target_id=one.target_id, kind=REVISES)
        for one in verdicts
        if one.operation in ("supersede", "delete")
    ]


@dataclasses.dataclass(kw_only=True, slots=True)
class Reconciliation:
    """Drafts and items as verdicts leave them.

    Attributes:
        at: now, UTC.
        drafts: those that will be stored, by id, in order.
        items: live items that may be meant, by id.
        reinforcements: of stored items.
        holders: id of a draft that is not stored → id of the draft or item that holds it.
        supersessions: of items and drafts.
        reworded: items and drafts that have a new text: a second one would take the first one's words away.
    """

    at: datetime
    drafts: dict[str, ItemDraft]
    items: Mapping[str, Item]
    reinforcements: list[Reinforcement] = dataclasses.field(default_factory=list)
    holders: Holders = dataclasses.field(default_factory=dict)
    supersessions: list[Supersession] = dataclasses.field(default_factory=list)
    reworded: set[str] = dataclasses.field(default_factory=set)

    @classmethod
    def of(cls, compared: Compared, at: datetime) -> "Reconciliation":
        """Begin with what is new."""
        items = {one.item.id: one.item for near in compared.near.values() for one in near}
        return cls(
            at=at,
            drafts={draft.id: draft for draft in compared.drafts},
            items=items,
            reworded={one.item_id for one in compared.reinforcements if one.replacement},
        )

    def rewordings(self, verdicts: Sequence[Verdict]) -> list[str]:
        """Return the texts that stored items may come to have, each once; they must be embedded first."""
        meant = ((one, self.items.get(one.target_id)) for one in self._holding(verdicts))
        return list(dict.fromkeys(self._text(one, item) for one, item in meant if item is not None))

    def apply(self, verdicts: Sequence[Verdict], vectors: Mapping[str, Vector]) -> None:
        """Do what verdicts say.

        Args:
            verdicts: of drafts and targets that there are.
            vectors: by text, of `rewordings`.
        """
        originals = dict(self.drafts)
        for one in self._holding(verdicts):
            self._hold(one, vectors)
        for one in verdicts:
            if one.operation in ("supersede", "delete"):
                self._end(one, originals[one.draft_id])

    def _holding(self, verdicts: Sequence[Verdict]) -> Iterator[Verdict]:
        """Return the first verdict of each draft by which another memory holds it."""
        seen: set[str] = set()
        for one in verdicts:
            if one.operation in HELD and one.draft_id not in seen:
                seen.add(one.draft_id)
                yield one

    def _text(self, verdict: Verdict, target: ItemDraft) -> str:
        if verdict.operation == "none":
            return target.text
        return verdict.text.strip() or fuller(target.text, self.drafts[verdict.draft_id].text)

    def _hold(self, verdict: Verdict, vectors: Mapping[str, Vector]) -> None:
        """Have another memory hold a draft; one whose words would be lost by that stays a memory of its own."""
        target_id = follow(verdict.target_id, self.holders)
        draft, item = self.drafts[verdict.draft_id], self.items.get(target_id)
        target = item or self.drafts.get(target_id)
        if target is None or target_id == draft.id or draft.id in self.reworded:
            return
        text = self._text(verdict, target)
        changed = text != target.text
        if changed and (target_id in self.reworded or (item is not None and text not in vectors)):
            return
        if item is not None:
            again = say_again(item, draft, self.at, reason=verdict.reason or None)
            if changed:
                fuller_item = reworded(item, draft.evolve(text=text), vectors[text])
                again = again.evolve(replacement=fuller_item, over=item.text)
            self.reinforcements.append(again)
        else:
            self.drafts[target_id] = join(target, draft).evolve(text=text)
        if changed:
            self.reworded.add(target_id)
        del self.drafts[draft.id]
        self.holders[draft.id] = target_id

    def _end(self, verdict: Verdict, draft: ItemDraft) -> None:
        by, target = follow(draft.id, self.holders), follow(verdict.target_id, self.holders)
        known = self.items.get(target) or self.drafts.get(target)
        if target == by or (known is not None and is_later(known, draft)):
            return
        end = Supersession(
            item_id=target,
            at=end_of(draft, self.at),
            by=by if verdict.operation == "supersede" else None,
            reason=verdict.reason or None,
        )
        self.supersessions.append(end)


def end_of(draft: ItemDraft, now: datetime) -> datetime:
    """Return when what a draft takes back ended: when it says, if that is past; else when it was said; else now."""
    said = draft.said_at or now
    if draft.happened is not None and draft.happened.start <= said:
        return draft.happened.start
    return min(said, now)
