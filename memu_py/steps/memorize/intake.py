"""Intake: what came in, read, and compared with what is known of it."""

import asyncio
import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from memu_py import _core
from memu_py.features.masked_originals import MASKED_TYPE, is_masked, kept_text, masked_parsed, read_again
from memu_py.modality.alignment import Alignment, Pair, align
from memu_py.modality.conversation import CONVERSATION
from memu_py.modality.media import MediaParser, MediaTools
from memu_py.modality.messages import dump_messages
from memu_py.modality.parser import DEFAULT_GROUP_CHARS, DEFAULT_TURN_CHARS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.modality.transcript import TRANSCRIPT
from memu_py.records.batch import Move
from memu_py.records.ids import new_id
from memu_py.records.item import Item
from memu_py.records.record import Record
from memu_py.records.request import MemorizeRequest
from memu_py.records.resource import Resource, Segment
from memu_py.records.scope import Scope
from memu_py.records.taken import taken_at
from memu_py.steps.resources import MemoryResources
from memu_py.storage.plain import plain

NOTHING = -1
"""Ordinal in place of that of a segment which has no successor."""
CONTEXT = "context"
UNFINISHED = ("pending", "failed")
SPOKEN = (CONVERSATION, TRANSCRIPT)
"""Modalities whose resources are known again by how they begin."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Intake(Record):
    """One resource as it will be.

    Attributes:
        resource: new, or the known one with what changed; its blob is not written yet.
        content: the original bytes.
        read_seq: the change log's position when the store was read.
        unchanged: all of it is known and done.
        warnings: what could not be read as it was probably meant.
        moves: known segments that stand elsewhere now.
        ended: items whose segments were edited or removed → ordinal of the segment in its place, or `NOTHING`.
        came_in: when the segments of this run came in, which is where "yesterday" counts from in one without a date.
        kept: ordinals of those that came in earlier → when they were kept.
    """

    resource: Resource
    content: bytes
    read_seq: int
    unchanged: bool = False
    warnings: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()
    ended: Mapping[str, int] = dataclasses.field(default_factory=dict)
    came_in: datetime
    kept: Mapping[int, datetime] = dataclasses.field(default_factory=dict)

    def anchor(self, segment: Segment) -> datetime:
        """Return the moment that the relative dates of a segment count from."""
        known = segment.said_at or taken_at(segment.metadata)
        return known or self.kept.get(segment.ordinal, self.came_in)


class TakenIn(NamedTuple):
    """An intake and the segments that are to be worked on.

    Attributes:
        intake: the resource.
        segments: new, edited and unfinished ones, in order; context is skipped already.
    """

    intake: Intake
    segments: list[Segment]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Intaker:
    """Reads bytes and compares them with the store.

    Attributes:
        scope: whose they are.
        request: what the caller said of them.
        resources: what the run works with.
        now: UTC.
        group_chars: characters of a group of sentences.
        turn_chars: characters of a turn; a longer one is split between sentences.
        tools: what media are read with.
    """

    scope: Scope
    request: MemorizeRequest
    resources: MemoryResources
    now: datetime
    group_chars: int = DEFAULT_GROUP_CHARS
    turn_chars: int = DEFAULT_TURN_CHARS
    tools: MediaTools = dataclasses.field(default_factory=MediaTools)

    async def take_in(self, raw: Raw, modality: str) -> TakenIn:
        """Read bytes, find the resource that they are or continue, and tell what is new in them.

        Raises:
            InvalidInput: the bytes are damaged.
            ConfigError: what reads them is not installed or not configured.
            ModelError: a model that reads them failed.
        """
        read_seq = await self.resources.store.seq(self.scope)
        # Fifty megabytes take a moment: once, and not on the event loop.
        digest = await asyncio.to_thread(_core.bytes_hash, raw.data)
        known = await self._known(raw, digest)
        if known is not None and self.request.resource_id is not None and is_masked(known):
            # What is kept in its place has other bytes.
            digest = known.content_hash
        if known is not None and self._is_done(known, digest, modality):
            # Before they are read: a recording is not heard twice.
            return TakenIn(self._unchanged(known, raw, read_seq), [])
        raw, parsed = await self._read(raw, modality, known)
        if known is None and modality in SPOKEN and not self._is_named(raw):
            known = await self._begun(modality, parsed)
        if known is None:
            return self._new(raw, digest, modality, parsed, read_seq)
        return await self._continued(raw, digest, modality, parsed, known, read_seq)

    async def _read(self, raw: Raw, modality: str, known: Resource | None) -> tuple[Raw, Parsed]:
        """Read bytes, and take out what may not be stored: of what is no text, the text is kept in its place."""
        if known is not None and self.request.resource_id is not None and is_masked(known):
            old = await self.resources.store.segments(known.scope.owner, known.id)
            parsed = read_again(raw.data, known, old)
        else:
            parsed = await self._parse(raw, modality)
        safe, found = await asyncio.to_thread(masked_parsed, parsed, self.resources.masker)
        if not found:
            return raw, safe
        return raw.evolve(data=kept_text(safe)), safe.evolve(media_type=MASKED_TYPE)

    async def _parse(self, raw: Raw, modality: str) -> Parsed:
        local = self.resources.zone(self.scope, self.request.timezone)
        options = ParseOptions(zone=local, group_chars=self.group_chars, turn_chars=self.turn_chars)
        parser = self.resources.parsers[modality]
        if isinstance(parser, MediaParser):
            return await parser.read(raw, options=options, tools=self.tools)
        return await asyncio.to_thread(parser.parse, raw, options=options)

    def _is_named(self, raw: Raw) -> bool:
        return self.request.resource_id is not None or raw.url is not None

    def _is_done(self, known: Resource, digest: str, modality: str) -> bool:
        return _is_complete(known, digest) and (known.modality, known.read_with) == (
            modality,
            self._means(modality),
        )

    def _means(self, modality: str) -> str:
        parser = self.resources.parsers[modality]
        return parser.means(self.tools) if isinstance(parser, MediaParser) else ""

    async def _known(self, raw: Raw, digest: str) -> Resource | None:
        """Return the resource that is named, or has these very bytes."""
        store = self.resources.store
        if self.request.resource_id is not None:
            wanted = self.request.resource_id
            return (await store.resources.get(self.scope, [wanted])).get(wanted)
        if raw.url is not None:
            return await store.find_resource(self.scope, url=raw.url)
        return await store.find_resource(self.scope, content_hash=digest)

    async def _begun(self, modality: str, parsed: Parsed) -> Resource | None:
        """Return the conversation that these messages continue."""
        hashes = [one.hash for one in parsed.segments]
        return await self.resources.store.find_conversation(self.scope, hashes, modality=modality)

    def _new(self, raw: Raw, digest: str, modality: str, parsed: Parsed, read_seq: int) -> TakenIn:
        resource = Resource(
            id=new_id(),
            scope=self.scope,
            modality=modality,
            url=raw.url,
            title=parsed.title,
            content_hash=digest,
            blob="",
            size=len(raw.data),
            media_type=parsed.media_type,
            segment_count=len(parsed.segments),
            read_with=self._means(modality),
            created_at=self.now,
            updated_at=self.now,
            metadata={**raw.metadata, **self.request.metadata},
        )
        intake = Intake(
            resource=resource,
            content=raw.data,
            read_seq=read_seq,
            warnings=parsed.warnings,
            came_in=self.now,
        )
        return TakenIn(intake, [_ready(segment) for segment in parsed.segments])

    def _unchanged(self, known: Resource, raw: Raw, read_seq: int) -> Intake:
        return Intake(resource=known, content=raw.data, read_seq=read_seq, came_in=self.now, unchanged=True)

    async def _continued(
        self, raw: Raw, digest: str, modality: str, parsed: Parsed, known: Resource, read_seq: int
    ) -> TakenIn:
        old = await self.resources.store.segments(known.scope.owner, known.id)
        # Of the same bytes, read by other means, nothing goes: what was read before is there still.
        again = _is_complete(known, digest)
        growing = modality == CONVERSATION or again
        alignment = align(old, parsed.segments, growing=growing)
        if modality == TRANSCRIPT and raw.url is None and (alignment.changed or alignment.removed):
            # A part of a transcript, which cannot be joined with the rest, is a text of its own.
            return self._new(raw, digest, modality, parsed, read_seq)
        if modality == CONVERSATION:
            whole = await self._whole(parsed, known, old, alignment)
            if whole is not None:
                raw, digest = whole, _core.bytes_hash(whole.data)
                parsed = await self._parse(raw, modality)
                alignment = align(old, parsed.segments, growing=True)
        resource = known.evolve(
            modality=modality,
            # Where only the bytes are left, its name and its type are as they were.
            title=known.title if self.request.resource_id else parsed.title,
            content_hash=digest,
            size=len(raw.data),
            media_type=known.media_type if self.request.resource_id else parsed.media_type,
            segment_count=len(old) + len(alignment.added) if again else len(parsed.segments),
            read_with=self._means(modality),
            updated_at=self.now,
            metadata={**known.metadata, **raw.metadata, **self.request.metadata},
        )
        todo = _todo(alignment)
        same = _is_complete(known, digest) and resource.read_with == known.read_with
        intake = Intake(
            resource=known if same and not todo else resource,
            content=raw.data,
            read_seq=read_seq,
            unchanged=same and not todo,
            warnings=parsed.warnings,
            moves=_moves(alignment, growing=growing),
            ended=await self._ended(known, alignment),
            came_in=self.now,
            kept={pair.new.ordinal: known.updated_at for pair in _unfinished(alignment)},
        )
        return TakenIn(intake, todo)

    async def _whole(
        self, parsed: Parsed, known: Resource, old: Sequence[Segment], alignment: Alignment
    ) -> Raw | None:
        """Return a conversation of which only a part was sent, with the messages that were not; None if all were."""
        kept = Raw(data=await self.resources.original(known), url=known.url)
        before = await self._parse(kept, CONVERSATION)
        entries = _entries(before, parsed, alignment, len(old))
        if entries == parsed.messages:
            return None
        return kept.evolve(data=dump_messages(entries), messages=entries, name=self.request.name)

    async def _ended(self, known: Resource, alignment: Alignment) -> dict[str, int]:
        gone = {pair.old.ordinal: pair.new.ordinal for pair in alignment.changed}
        gone |= {segment.ordinal: NOTHING for segment in alignment.removed}
        if not gone:
            return {}
        ended: dict[str, int] = {}
        for item in await self._items_of(known):
            places = [source.ordinal for source in item.sources if source.resource_id == known.id]
            if len(places) == len(item.sources) and set(places) <= gone.keys():
                ended[item.id] = gone[places[0]]
        return ended

    async def _items_of(self, known: Resource) -> list[Item]:
        items, owner = self.resources.store.items, known.scope.owner
        found = await items.get(owner, await items.ids(owner, {"resource_id": known.id}))
        return [item for item in found.values() if item.valid_to is None]


def _is_complete(known: Resource, digest: str) -> bool:
    """Tell whether a resource has the bytes of this hash, and is done with them."""
    return known.status == "complete" and known.content_hash == digest


def _entries(before: Parsed, parsed: Parsed, alignment: Alignment, known: int) -> tuple[Any, ...]:
    """Return the messages of a grown conversation: the known ones, edited ones in their places, then the new ones."""
    owners = {one.start: owner for one, owner in zip(parsed.segments, parsed.owners, strict=True)}
    changed = {pair.old.ordinal: pair.new for pair in alignment.changed}
    places = [
        ("new", owners[changed[ordinal].start]) if ordinal in changed else ("old", before.owners[ordinal])
        for ordinal in range(min(known, len(before.owners)))
    ]
    places += [("new", owners[one.start]) for one in alignment.added]
    messages = {"new": parsed.messages, "old": before.messages}
    return tuple(messages[version][owner] for version, owner in dict.fromkeys(places))


def _todo(alignment: Alignment) -> list[Segment]:
    """Return what is new, edited, or was not finished, in order."""
    found = [*alignment.added, *(pair.new for pair in (*alignment.changed, *_unfinished(alignment)))]
    return [_ready(segment) for segment in sorted(found, key=lambda one: one.ordinal)]


def _unfinished(alignment: Alignment) -> list[Pair]:
    return [pair for pair in alignment.kept if pair.old.outcome in UNFINISHED]


def _moves(alignment: Alignment, *, growing: bool) -> tuple[Move, ...]:
    """Return the known segments that stand elsewhere now: at another place in the text, or on another page."""
    return tuple(move for pair in alignment.kept if (move := _move(pair, growing=growing)) is not None)


def _move(pair: Pair, *, growing: bool) -> Move | None:
    old, new = pair.old, pair.new
    # A part of a conversation may say less of a message than was said before.
    metadata = None if growing else plain(new.metadata, where="metadata")
    told = metadata if metadata != old.metadata else None
    if told is None and (old.ordinal, old.start, old.end) == (new.ordinal, new.start, new.end):
        return None
    return Move(old=old.ordinal, new=new.ordinal, start=new.start, end=new.end, metadata=told)


def _ready(segment: Segment) -> Segment:
    """Return a segment as the steps work on it: context is kept, and makes no item."""
    return segment.evolve(outcome="skipped", reason=CONTEXT) if segment.kind == "context" else segment
