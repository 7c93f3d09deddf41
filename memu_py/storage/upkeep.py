"""Work on a whole database, across scopes."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Protocol

from memu_py.records.batch import StoredItem, Vector
from memu_py.records.item import Item
from memu_py.records.scope import Scope
from memu_py.storage.vector_scan import Place, VectorPage


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Fingerprint:
    """What filled the indexes of a database; another one needs `memu reindex`.

    Attributes:
        embedder: the embedder's id.
        dimension: length of its vectors.
        tokenizer: the tokeniser's id.
    """

    embedder: str
    dimension: int
    tokenizer: str


class Maintenance(Protocol):
    """Work on the whole database, across scopes; for operators, never for answers."""

    async def fingerprint(self) -> Fingerprint | None:
        """What filled the indexes; None for a database with no vectors yet."""
        ...

    async def set_fingerprint(self, fingerprint: Fingerprint) -> None:
        """Record what fills the indexes; the same one again is a no-op.

        Raises:
            EmbedderMismatch: another one is recorded.
        """
        ...

    async def scan_items(self, after: str | None, limit: int) -> list[Item]:
        """Return up to `limit` items of all partitions with ids beyond `after`, in order of id."""
        ...

    async def scan_vectors(
        self, scopes: Sequence[Scope] | None, after: Place | None, limit: int, *, users_only: bool = False
    ) -> VectorPage:
        """Return up to `limit` live items with their vectors, beyond a place, in order of id.

        Args:
            scopes: only what lies in one of them, at least one; None for all partitions.
            after: where the page before ended; None for the first.
            limit: items a page.
            users_only: leave out what an agent or a session owns without a user.

        Raises:
            EmbedderMismatch: vectors differ in length.
        """
        ...

    async def owners(self) -> list[Scope]:
        """Return the partitions that have a live item."""
        ...

    async def dated_owners(self) -> list[Scope]:
        """Return the partitions that have a live item with a date."""
        ...

    async def replace_vectors(
        self, rows: Sequence[StoredItem], *, entity_vectors: Mapping[str, Vector] | None = None
    ) -> None:
        """Write new vectors and tokens for existing items, and vectors by `entity_key`, in one transaction.

        The items' links to entities are made anew, so that what they name and what they are linked to agree.
        """
        ...

    async def begin_reindex(self, fingerprint: Fingerprint) -> None:
        """Record that the indexes are being filled anew, so that nobody works on a mixture if that is cut off."""
        ...

    async def finish_reindex(self, fingerprint: Fingerprint) -> None:
        """Record the new fingerprint, drop cached embeddings and have every process reload its indexes."""
        ...

    async def prune_changes(self) -> int:
        """Drop rows of the change log that are older than the configured retention. Returns how many went.

        The newest row of each partition stays, without content, so that readers keep their place.
        """
        ...

    async def prune_answers(self) -> int:
        """Drop kept answers that are older than configured. Returns how many went."""
        ...

    async def blob_keys(self) -> set[str]:
        """Return the keys of all blobs that a resource uses."""
        ...

    async def integrity(self) -> list[str]:
        """Return one line for each thing that is wrong: orphans, counts, vectors; empty when sound."""
        ...

    async def ready(self) -> None:
        """Ask the database whether it is there, and of the version that this code works with.

        Raises:
            SchemaMismatch: somebody has changed it meanwhile.
            StoreError: it cannot be read.
        """
        ...

    async def jobs_by_status(self) -> dict[str, int]:
        """Return how many jobs there are of each status that there is."""
        ...

    async def stats(self) -> dict[str, int]:
        """Return row counts by table, and the size in bytes where it is known (`bytes`)."""
        ...
