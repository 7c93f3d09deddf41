"""The store's contract.

Every method names a scope (but for `open`, `close` and `maintenance`, which serve the whole database), is one
unit of work, and is atomic. The scope's partition is never crossed; its attributes narrow reads. Records are
values: what comes back is a snapshot.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memu_py.records.audit import Erased
from memu_py.records.batch import Batch, Committed, StoredItem, Vector
from memu_py.records.category import Category
from memu_py.records.change import Change
from memu_py.records.entity import Entity
from memu_py.records.item import Item
from memu_py.records.link import Link
from memu_py.records.page import Direction
from memu_py.records.presented import Presented
from memu_py.records.resource import Resource, Segment
from memu_py.records.scope import Scope
from memu_py.storage.index_rows import IndexRows
from memu_py.storage.parts import Parts

Recheck = Callable[[Batch, Sequence[StoredItem]], Batch]
"""Called inside the write transaction with the batch and the live items of the same user and agent that were
created since `Batch.read_seq`; returns the batch to write. Pure and quick: it holds the write lock."""


class Store(Parts, Protocol):
    """A database of memories."""

    async def open(self) -> None:
        """Connect; set up an empty database.

        Raises:
            SchemaMismatch: it was made by another version.
            StoreError: it cannot be opened.
        """
        ...

    async def close(self) -> None:
        """Let go of everything; idempotent."""
        ...

    def stamp(self) -> int | None:
        """Return a number that is another one after a commit of anybody; None when only a question can tell.

        While it stays the same, nothing that was read before has changed. Quick enough to be asked on the event loop.
        """
        ...

    # Memorize

    async def seq(self, scope: Scope) -> int:
        """Return the change log's last position in the partition, 0 when it is empty."""
        ...

    async def find_resource(
        self, scope: Scope, *, url: str | None = None, content_hash: str | None = None
    ) -> Resource | None:
        """Find the resource with this address, or (without one) with this content and no address.

        The scope's attributes must be equal, not just narrower, for a content match. An address is unique for an agent
        and its custom keys, in whatever session: where the scope names them, it is theirs; where it does not, it is
        nobody's, else the only one there. Of several others' none is found.
        """
        ...

    async def find_conversation(
        self, scope: Scope, hashes: Sequence[str], *, modality: str = "conversation"
    ) -> Resource | None:
        """Find the conversation without an address that shares the longest run of message hashes.

        Only those of the modality and of exactly the same attributes count. The run must begin at the first of
        `hashes`, and be as long as the shorter of both conversations, or at least two messages.
        """
        ...

    async def segments(self, scope: Scope, resource_id: str) -> list[Segment]:
        """Return a resource's segments in order; empty when it is not in the scope."""
        ...

    async def passage(self, scope: Scope, resource_id: str, first: int, last: int) -> list[Segment]:
        """Return a resource's segments from one ordinal to another, in order.

        Without context such as system messages, and without those whose items are deleted or hold no longer; empty when
        the resource is not in the scope.
        """
        ...

    async def find_run(self, scope: Scope, run_id: str) -> Mapping[str, Any] | None:
        """Return the summary kept with a finished run (and its `resource_id`); None for an unknown one."""
        ...

    async def live_identities(self, scope: Scope, identities: Sequence[str]) -> dict[str, Item]:
        """Return the live items of the partition with these identity hashes, by hash."""
        ...

    async def commit(self, scope: Scope, batch: Batch, *, recheck: Recheck | None = None) -> Committed:
        """Write a batch in one transaction.

        A new item whose identity a live item already has becomes a reinforcement of that one. Categories that
        links of the batch, or changed items, touch are marked stale in the same transaction.

        Raises:
            Conflict: the resource was changed or created by somebody else since it was read; read again and
                retry.
        """
        ...

    # Categories

    async def add_categories(self, scope: Scope, categories: Sequence[Category]) -> list[Category]:
        """Store categories; one whose name exists (case folded) comes back as it is stored."""
        ...

    async def category_items(
        self, scope: Scope, category_id: str, *, untold: bool = False
    ) -> list[StoredItem]:
        """Return a category's live items with vectors, newest first.

        With `untold`, only those that its summary does not tell of.
        """
        ...

    async def summarize(
        self, scope: Scope, category: Category, summary: str, *, told: Mapping[str, int] | None = None
    ) -> Category:
        """Set a summary, and clear `stale` where it tells of all that is in the category.

        Args:
            scope: whose.
            category: as it was read.
            summary: the new text.
            told: what it tells of beside what it told of before: versions of items as they were read, by id. It is a
                swap on the summary then: items that came meanwhile are still to be told of. None is for a summary that
                was drawn from all items at once and keeps no account of them, a swap on the category's version.

        Raises:
            Conflict: it changed; read again and retry.
        """
        ...

    # Records by hand

    async def update_item(
        self,
        scope: Scope,
        item: Item,
        *,
        reindex: StoredItem | None = None,
        entity_vectors: Mapping[str, Vector] | None = None,
        actor: str = "api",
    ) -> Item:
        """Write the changed fields of an item (compare-and-swap on version); `reindex` when its text changed.

        Its links follow its entities; `entity_vectors` are as in `Batch`.

        Raises:
            NotFound: it is not in the scope.
            Conflict: it changed since it was read, or a live item has its new identity.
        """
        ...

    async def update_category(self, scope: Scope, category: Category, *, actor: str = "api") -> Category:
        """Write the changed fields of a category (compare-and-swap on its version).

        Raises:
            NotFound: it is not in the scope.
            Conflict: it changed since it was read, or its new name is taken.
        """
        ...

    async def update_resource(self, scope: Scope, resource: Resource, *, actor: str = "api") -> Resource:
        """Write a resource's changed title, url, metadata (compare-and-swap on its version).

        Raises:
            NotFound: it is not in the scope.
            Conflict: it changed since it was read, or its new address is taken.
        """
        ...

    async def delete_items(self, scope: Scope, ids: Sequence[str], *, actor: str = "api") -> int:
        """Delete items with vectors and links; their categories become stale. Returns how many there were."""
        ...

    async def delete_categories(self, scope: Scope, ids: Sequence[str], *, actor: str = "api") -> int:
        """Delete categories and links to them; the items stay. Returns how many there were."""
        ...

    async def delete_resources(self, scope: Scope, ids: Sequence[str], *, actor: str = "api") -> list[str]:
        """Delete resources, their segments, and items found nowhere else.

        Returns:
            Keys of blobs that no resource of the partition uses any more.
        """
        ...

    async def forget_source(self, scope: Scope, resource_id: str, *, title: str, reason: str) -> list[str]:
        """Drop what a resource says: its original, its segments, its address, and what its history holds.

        Items that were found in it stay, and so does the resource, as `gone`: that is where they were found. One in
        which nothing was found is deleted. A no-op for one that is not in the scope, or gone.

        Args:
            scope: whose.
            resource_id: the resource.
            title: to show instead of its own.
            reason: why it is gone.

        Returns:
            Keys of blobs that no resource of the partition uses any more.
        """
        ...

    async def link(self, scope: Scope, links: Sequence[Link], *, actor: str = "api") -> None:
        """Add links; one that exists gets the new score.

        Raises:
            NotFound: an end of a link is not in the scope.
        """
        ...

    async def unlink(self, scope: Scope, links: Sequence[Link], *, actor: str = "api") -> int:
        """Remove links (scores do not matter). Returns how many there were."""
        ...

    async def links(
        self, scope: Scope, ids: Sequence[str], *, kind: str | None = None, direction: Direction = "out"
    ) -> list[Link]:
        """Return the links from these records (`out`) or to them (`in`)."""
        ...

    async def clear(self, scope: Scope, *, actor: str = "api") -> list[str]:
        """Delete all that the scope holds; with attributes only what has exactly these.

        A whole partition goes with its cache, runs, categories, the content of its history, and the keys to the
        server that open nothing else. The service can memorize into it again at once.

        Returns:
            Keys of blobs that no resource uses any more.
        """
        ...

    async def forget(self, scope: Scope, *, actor: str = "api") -> Erased:
        """Erase a whole partition, as `clear` does, and the keys to the server that open nothing but it.

        One line is kept of it, also where there was nothing; see `Rights.audit`.

        Raises:
            InvalidScope: the scope names only a part of somebody's memory.
        """
        ...

    # The change log and the indexes

    async def history(self, scope: Scope, record_id: str) -> list[Change]:
        """Return what happened to one record, oldest first, also after its deletion."""
        ...

    async def mark(self, scope: Scope, seq: int) -> str | None:
        """Return what is at a position of the partition's log, as a text that no other change has.

        What was kept outside of the database tells by it whether this is still the database it came from, or one that
        was put back from a copy.

        Returns:
            None when nothing is there, or no longer.
        """
        ...

    def snapshot(self, scope: Scope) -> Path | None:
        """Return the file in which an index of the partition may be kept from one process to the next.

        `clear` removes it, and all files whose names begin with its stem.

        Returns:
            None for a store that leaves nothing behind.
        """
        ...

    async def changed_items(self, scope: Scope, after: int) -> tuple[list[str], int] | None:
        """Return ids of items that changed after a position of the log, and the new position.

        Returns:
            None when the log no longer reaches back that far, or asks for a reload: read everything again.
        """
        ...

    async def index_rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[IndexRows]:
        """Return what an index needs of the partition's items (all, or these), superseded ones included.

        The scope's attributes are ignored: an index holds a partition.

        Returns:
            Parts of a few thousand rows each, all in order of id.

        Raises:
            EmbedderMismatch: vectors differ in length.
        """
        ...

    async def vectors(self, scope: Scope, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vectors of these items by id."""
        ...

    async def entities(self, scope: Scope, keys: Sequence[str] | None = None) -> list[Entity]:
        """Return the entities that items of the scope name (all, or those with these keys), in order of key."""
        ...

    async def entity_links(
        self, scope: Scope, item_ids: Sequence[str] | None = None
    ) -> list[tuple[str, str]]:
        """Return which items name what: pairs of an item's id and an entity's key, of the whole partition or of these.

        Superseded items are included and the scope's attributes are ignored, as in `index_rows`.
        """
        ...

    async def touch(self, scope: Scope, reads: Mapping[str, Sequence[datetime]]) -> None:
        """Note when items were read; not a change of the record, and not in the log."""
        ...

    async def presented(self, scope: Scope, ids: Sequence[str]) -> dict[str, Presented]:
        """Return when these items of the scope were said and retrieved, by id."""
        ...
