"""What became of each segment."""

from collections.abc import Mapping, Sequence

from memu_py.records.batch import Committed, Reinforcement
from memu_py.records.item import ItemDraft
from memu_py.records.outcome import Outcome
from memu_py.records.resource import Segment
from memu_py.steps.memorize.duplicates import follow

DROPPED = "dropped by a step"
LINE = 120


def settle(
    segments: Sequence[Segment],
    drafts: Sequence[ItemDraft],
    reinforcements: Sequence[Reinforcement],
    *,
    holders: Mapping[str, str],
    citing: Mapping[str, Sequence[int]],
) -> list[Segment]:
    """Give every pending segment its outcome: stored, reinforced (the reason is the item's id), or skipped.

    Args:
        segments: those of the run.
        drafts: what will be stored.
        reinforcements: of stored items.
        holders: id of a draft that is not needed → id of the draft or item that holds it.
        citing: the segments that each draft came from before any were joined; those of others are their sources.
    """
    stored: dict[int, str] = {}
    again: dict[int, str] = {}
    for draft in drafts:
        own = citing.get(draft.id, [source.ordinal for source in draft.sources])
        stored |= {ordinal: draft.id for ordinal in own if ordinal not in stored}
    kept = {draft.id for draft in drafts} | {one.item_id for one in reinforcements}
    for draft_id, ordinals in citing.items():
        holder = follow(draft_id, holders)
        if draft_id in holders and holder in kept:
            again |= dict.fromkeys(ordinals, holder)
    again |= {source.ordinal: one.item_id for one in reinforcements for source in one.sources}
    return [_settle(segment, stored, again) for segment in segments]


def _settle(segment: Segment, stored: dict[int, str], again: dict[int, str]) -> Segment:
    if segment.outcome != "pending":
        return segment
    if segment.ordinal in stored:
        return segment.evolve(outcome="stored", reason=stored[segment.ordinal])
    if segment.ordinal in again:
        return segment.evolve(outcome="reinforced", reason=again[segment.ordinal])
    return segment.evolve(outcome="skipped", reason=DROPPED)


def outcomes(settled: Sequence[Segment], committed: Committed) -> tuple[Outcome, ...]:
    """Tell what became of each segment, as it was written: an item found to exist in the last moment is reinforced."""
    return tuple(_outcome(segment, committed) for segment in settled)


def _outcome(segment: Segment, committed: Committed) -> Outcome:
    line = " ".join(segment.text.split())[:LINE]
    if segment.outcome in ("stored", "reinforced") and segment.reason:
        status = "reinforced" if segment.reason in committed.replaced else segment.outcome
        item_id = committed.replaced.get(segment.reason, segment.reason)
        return Outcome(ordinal=segment.ordinal, status=status, text=line, item_id=item_id)
    return Outcome(ordinal=segment.ordinal, status=segment.outcome, text=line, reason=segment.reason)
