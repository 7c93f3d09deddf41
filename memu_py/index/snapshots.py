"""Indexes that outlive their process, in files beside the database."""

import asyncio
import dataclasses
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memu_py import _core
from memu_py.index.image_file import read_image, write_image
from memu_py.index.partition import PartitionIndex
from memu_py.records.scope import Scope
from memu_py.storage.store import Store

logger = logging.getLogger(__name__)


class Snapshots:
    """Writes indexes of large partitions to files, and maps them back.

    A file counts only for the database, the position of its change log and the embedder that it was made from. It is
    never needed: what cannot be read or written is left, and the index is made from the database.
    """

    def __init__(self, store: Store, *, neighbours: Sequence[float], least: int | None) -> None:
        """Make one.

        Args:
            store: where the items are; it says where the files lie.
            neighbours: with what weight the items around an item count, nearest first.
            least: items from which on a partition's index is written; None never writes.
        """
        self._store = store
        self._neighbours = tuple(neighbours)
        self._least = least

    async def load(self, owner: Scope) -> tuple[PartitionIndex, int] | None:
        """Return a partition's index as it was, with its position in the change log; None when there is none."""
        path = self._path(owner)
        found = None if path is None else await asyncio.to_thread(read_image, path)
        if found is None:
            return None
        image, about = found
        seq = int(about["seq"])
        if about != await self._about(owner, seq):
            return None
        try:
            index = await asyncio.to_thread(PartitionIndex.of_image, image, neighbours=self._neighbours)
        except (KeyError, ValueError):
            return None
        return index, seq

    async def save(self, owner: Scope, index: PartitionIndex, seq: int) -> bool:
        """Write a partition's index; false when it is too small, or was not written.

        Args:
            owner: the partition.
            index: it may not change meanwhile.
            seq: its position in the change log.
        """
        path = self._path(owner)
        if path is None or self._least is None or len(index) < self._least:
            return False
        about = await self._about(owner, seq)
        try:
            await asyncio.to_thread(_write, path, index, about)
        except OSError as error:
            logger.warning("the index of a partition cannot be kept in %s: %s", path, error.strerror)
            return False
        # An erasure may have looked for the file before it was there: what changed meanwhile is not kept.
        changed = await self._store.changed_items(owner, seq)
        if changed is None or changed[0] or await self._about(owner, seq) != about:
            path.unlink(missing_ok=True)
            return False
        return True

    def _path(self, owner: Scope) -> Path | None:
        return self._store.snapshot(owner)

    async def _about(self, owner: Scope, seq: int) -> dict[str, Any]:
        fingerprint = await self._store.maintenance.fingerprint()
        return {
            "seq": seq,
            "mark": await self._store.mark(owner, seq),
            "partition": owner.partition_hash.hex(),
            "neighbours": list(self._neighbours),
            "tokenizer": _core.TOKENIZER_ID,
            "fingerprint": None if fingerprint is None else dataclasses.asdict(fingerprint),
        }


def _write(path: Path, index: PartitionIndex, about: Mapping[str, Any]) -> None:
    write_image(path, index.image(), about)
