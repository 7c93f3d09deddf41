"""What a batch does to items, worked out before anything is written.

Ends come first: an item that the batch ends frees its identity. Then texts that are replaced, then new items:
one whose identity a live item has becomes a reinforcement of it, so that two writers at once make one memory.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from memu_py.errors import Conflict
from memu_py.records.batch import Archival, Batch, Reinforcement, StoredItem, Supersession
from memu_py.records.item import Item, Source
from memu_py.records.resource import Segment
from memu_py.records.tool import ToolUse, with_uses
from memu_py.storage.item_rows import load_items, storable_source
from memu_py.storage.item_writes import live_identities, storable
from memu_py.storage.plain import clean_text, to_micros
from memu_py.storage.realignment import NOWHERE, Realignment, realign
from memu_py.storage.unit import Unit

REPLACEABLE = (
    "type",
    "text",
    "speaker",
    "happened",
    "entities",
    "relations",
    "attribution",
    "importance",
    "emotion",
    "metadata",
    "identity",
)
"""What a fuller text brings along; counters, sources and times stay the stored item's own."""


class Resolution:
    """The items of one batch as they are, and as they shall be.

    Attributes:
        before: existing items by id, as stored.
        after: the same, changed; a subset.
        told: ids of those that changed in what they say, or that were said again, not only in where it was found.
        reworded: ids of those whose text is another one.
        reasons: why they changed, where the batch says so.
        reinforced: ids of those that were said again, in order.
        added: new items by id.
        vectors: new vectors and tokens of existing items.
        replaced: id of a new item that was not needed -> id of the live one.
    """

    def __init__(self, unit: Unit, batch: Batch) -> None:
        self._unit = unit
        self.after: dict[str, Item] = {}
        self.told: set[str] = set()
        self.reworded: set[str] = set()
        self.reasons: dict[str, str] = {}
        self.reinforced: list[str] = []
        self.added: dict[str, StoredItem] = {}
        self.vectors: dict[str, StoredItem] = {}
        self.replaced = dict(batch.replaced)
        self._new = [storable(one, unit.scope) for one in batch.items]
        self._said_again = [_storable_reinforcement(one, unit) for one in batch.reinforcements]
        named = [one.item_id for one in batch.reinforcements] + [one.item_id for one in batch.supersessions]
        named += [one.item_id for one in batch.archivals]
        self.before = load_items(unit.connection, unit.scope, named, attributes=False, lock=True)
        self._claimed = self._claims(batch)
        self._realign(realign(unit, batch))
        self._resolve(batch)

    def _claims(self, batch: Batch) -> dict[str, str]:
        replacing = [one.replacement.item for one in self._said_again if one.replacement]
        wanted = {item.identity for item in replacing} | {one.item.identity for one in self._new}
        holders = live_identities(self._unit.connection, self._unit.scope, wanted)
        ended = {one.item_id for one in batch.supersessions if self._successor(one) != one.item_id}
        self.before |= {item.id: item for item in holders.values()}
        return {identity: item.id for identity, item in holders.items() if item.id not in ended}

    def _successor(self, end: Supersession) -> str | None:
        return self.replaced.get(end.by, end.by) if end.by else None

    def _realign(self, realignment: Realignment | None) -> None:
        if realignment is None:
            return
        found = realignment.items(self._unit)
        self.before |= found
        for item in found.values():
            places = realignment.sources(item.sources)
            if places != item.sources:
                self._change(item, sources=places, metadata=realignment.metadata(item))

    def _resolve(self, batch: Batch) -> None:
        for one in self._said_again:
            self._reinforce(one)
        for new in self._new:
            self._add(new)
        for end in batch.supersessions:
            self._end(end)
        for away in batch.archivals:
            self._put_away(away)

    def _put_away(self, one: Archival) -> None:
        item = self.before.get(one.item_id)
        if item is None or item.version != one.version:
            msg = f"item {one.item_id} was changed or deleted since it was read; read again and retry"
            raise Conflict(msg)
        to_micros(one.at, where="archival.at")
        self.told.add(item.id)
        self._explain(item.id, one.because)
        self._change(item, archived_at=one.at, archived_because=clean_text(one.because))

    def _reinforce(self, one: Reinforcement) -> None:
        item = self.before.get(one.item_id)
        if item is None or item.ended:
            msg = f"item {one.item_id} was deleted or superseded since it was read; read again and retry"
            raise Conflict(msg)
        self._say_again(item.id, at=one.at, count=one.count, found=one.sources)
        self._explain(item.id, one.reason)
        if one.replacement is not None:
            self._replace_text(item.id, one.replacement, one.over)
        self._use_again(item.id, one.use)

    def _use_again(self, item_id: str, use: ToolUse | None) -> None:
        if use is not None:
            item = self._current(item_id)
            self._change(item, metadata=with_uses(item.metadata, use))

    def _say_again(self, item_id: str, *, at: datetime, count: int, found: Iterable[Source]) -> None:
        item = self._current(item_id)
        self.told.add(item_id)
        last = item.last_reinforced_at
        self._change(
            item,
            **self._back(item),
            mentions=item.mentions + count,
            last_reinforced_at=at if last is None else max(last, at),
            sources=merged_sources(item.sources, found),
        )
        if item_id not in self.reinforced:
            self.reinforced.append(item_id)

    def _back(self, item: Item) -> dict[str, object]:
        """Return what brings an item back that was put away or has expired: it was said again."""
        if not item.away(self._unit.now):
            return {}
        expired = item.expires_at is not None and item.expires_at <= self._unit.now
        lasting = {"expires_at": None} if expired else {}
        return {"archived_at": None, "archived_because": None, **lasting}

    def _replace_text(self, item_id: str, replacement: StoredItem, over: str | None) -> None:
        fuller = replacement.item
        if over is not None and self._current(item_id).text != over:
            msg = f"item {item_id} has another text since it was read; read again and retry"
            raise Conflict(msg)
        # Another live item says exactly this already: nothing is lost by keeping the text.
        if self._claimed.get(fuller.identity, item_id) != item_id:
            return
        item = self._current(item_id)
        self._claimed[fuller.identity] = item_id
        self.reworded.add(item_id)
        changed = self._change(item, **{name: getattr(fuller, name) for name in REPLACEABLE})
        self.vectors[item_id] = replacement.evolve(item=changed)

    def _add(self, new: StoredItem) -> None:
        item = new.item
        holder = None if item.ended else self._claimed.get(item.identity)
        if holder is None:
            self.added[item.id] = new
            if not item.ended:
                self._claimed[item.identity] = item.id
            return
        self.replaced[item.id] = holder
        first = self.added.get(holder)
        if first is None:
            self._say_again(holder, at=item.created_at, count=item.mentions, found=item.sources)
            self._keep_until(holder, item)
            self._use_again(holder, ToolUse.of(item.metadata))
            return
        twice = first.item.evolve(
            mentions=first.item.mentions + item.mentions,
            metadata=with_uses(first.item.metadata, ToolUse.of(item.metadata)),
            sources=merged_sources(first.item.sources, item.sources),
        )
        self.added[holder] = first.evolve(item=twice)

    def _keep_until(self, holder: str, said: Item) -> None:
        """Keep what is said again until the later of two moments."""
        before = self.before[holder].expires_at
        if said.expires_at is not None and before is not None:
            self._change(self._current(holder), expires_at=max(before, said.expires_at))

    def _end(self, end: Supersession) -> None:
        item_id, by = self.replaced.get(end.item_id, end.item_id), self._successor(end)
        to_micros(end.at, where="supersession.at")
        # What was to be replaced by itself was said again, and goes on.
        if by == item_id:
            return
        if item_id in self.added:
            new = self.added[item_id]
            self.added[item_id] = new.evolve(item=new.item.evolve(valid_to=end.at, superseded_by=by))
        elif item_id in self.before:
            self._end_existing(self._current(item_id), end.at, by)
            self._explain(item_id, end.reason)

    def _explain(self, item_id: str, reason: str | None) -> None:
        if reason:
            known = self.reasons.get(item_id)
            self.reasons[item_id] = clean_text(f"{known}; {reason}" if known else reason)

    def _end_existing(self, item: Item, at: datetime, by: str | None) -> None:
        valid_to, successor = item.valid_to or at, item.superseded_by or by
        if (valid_to, successor) != (item.valid_to, item.superseded_by):
            self.told.add(item.id)
            self._change(item, valid_to=valid_to, superseded_by=successor)

    def _current(self, item_id: str) -> Item:
        return self.after.get(item_id) or self.before[item_id]

    def _change(self, item: Item, **fields: object) -> Item:
        version = self.before[item.id].version + 1
        changed = item.evolve(version=version, updated_at=self._unit.now, **fields)
        self.after[item.id] = changed
        return changed

    def successors(self) -> set[str]:
        """Return the ids of existing items that supersede others."""
        changed = (*self.after.values(), *(one.item for one in self.added.values()))
        return {item.superseded_by for item in changed if item.superseded_by} - self.added.keys()

    def outcomes(self, resource_id: str, given: Iterable[Segment]) -> list[Segment]:
        """Return segments with what became of them: one whose items were not needed is `reinforced`."""
        if not self.replaced:
            return list(given)
        made: defaultdict[int, list[str]] = defaultdict(list)
        for one in self._new:
            for ordinal in {s.ordinal for s in one.item.sources if s.resource_id == resource_id}:
                made[ordinal].append(one.item.id)
        return [self._outcome(segment, made[segment.ordinal]) for segment in given]

    def _outcome(self, segment: Segment, made: Sequence[str]) -> Segment:
        if segment.outcome not in ("stored", "reinforced"):
            return segment
        needed = [item_id for item_id in made if item_id not in self.replaced]
        named = segment.reason or next(iter(made), None)
        if named is None or named not in self.replaced:
            return segment
        if needed:
            return segment.evolve(reason=needed[0])
        return segment.evolve(outcome="reinforced", reason=self.replaced[named])


def merged_sources(known: tuple[Source, ...], more: Iterable[Source]) -> tuple[Source, ...]:
    """Return sources in order, each span of a segment once; those that are no more make room for others."""
    found: dict[tuple[str, int, int, int], Source] = {}
    given = (*known, *more)
    for source in [one for one in given if one.ordinal != NOWHERE] or given:
        found.setdefault((source.resource_id, source.ordinal, source.start, source.end), source)
    return tuple(found.values())


def _storable_reinforcement(one: Reinforcement, unit: Unit) -> Reinforcement:
    to_micros(one.at, where="reinforcement.at")
    replacement = storable(one.replacement, unit.scope) if one.replacement else None
    over = None if one.over is None else clean_text(one.over)
    return one.evolve(replacement=replacement, over=over, sources=tuple(map(storable_source, one.sources)))
