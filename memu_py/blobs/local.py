"""Originals in a folder: `<root>/<partition>/<first two digits>/<BLAKE3 of the content>`.

A write goes into `<root>/.incoming` first and is moved to its place when it is safely on the disk, so that a
crash leaves a whole blob or none. Files are readable by their owner only.
"""

import asyncio
import contextlib
import os
import re
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from memu_py._core import bytes_hash
from memu_py.blobs.store import blob_key, is_blob_key, missing_blob
from memu_py.errors import StoreError

INCOMING = ".incoming"
FILE_MODE = 0o600
FOLDER_MODE = 0o700
MOVE_ATTEMPTS = 8
"""A folder may be removed, being empty, just before a file is moved into it."""

_LEFTOVER = re.compile(rf"{re.escape(INCOMING)}/[0-9a-f]{{32}}")


class LocalBlobs:
    """Keeps bytes in a folder of the local disk; many processes may share it."""

    def __init__(self, root: Path) -> None:
        self._root = Path(root)

    async def put(self, partition_hash: bytes, data: bytes) -> str:
        """Keep bytes; see `BlobStore.put`."""
        return await asyncio.to_thread(self._put, partition_hash, bytes(data))

    async def get(self, key: str) -> bytes:
        """Return the bytes, checked against the hash in their key; see `BlobStore.get`."""
        return await asyncio.to_thread(self._get, key)

    async def delete(self, keys: Iterable[str], *, written_before: datetime | None = None) -> int:
        """Delete blobs, and folders that become empty; see `BlobStore.delete`."""
        return await asyncio.to_thread(self._delete_all, list(keys), written_before)

    async def keys(self) -> list[str]:
        """Return the keys of all blobs, sorted, and of what broken writes left over."""
        return await asyncio.to_thread(lambda: sorted(self._keys()))

    async def close(self) -> None:
        """Nothing is held open."""

    def _put(self, partition_hash: bytes, data: bytes) -> str:
        key = blob_key(partition_hash, data)
        path = self._path(key)
        with _told(f"cannot write below {self._root}"):
            if not _refreshed(path, len(data)):
                self._write(path, data)
        return key

    def _write(self, path: Path, data: bytes) -> None:
        incoming = self._aside()
        try:
            with open(os.open(incoming, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE), "wb") as file:  # noqa: PTH123 - the mode counts from the first moment
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            self._move_in(incoming, path)
        finally:
            incoming.unlink(missing_ok=True)

    def _move_in(self, source: Path, path: Path) -> None:
        for attempt in range(MOVE_ATTEMPTS):
            try:
                self._make_folder(path.parent)
                source.replace(path)
            except FileNotFoundError:
                if attempt + 1 == MOVE_ATTEMPTS:
                    raise
            else:
                _sync_folder(path.parent)
                return

    def _make_folder(self, folder: Path) -> None:
        """Make a folder and those above it; `mkdir(parents=True)` would give only the last one our mode."""
        if not self._root.exists():
            self._root.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        inside = folder.relative_to(self._root).parts
        for depth in range(1, len(inside) + 1):
            self._root.joinpath(*inside[:depth]).mkdir(mode=FOLDER_MODE, exist_ok=True)

    def _get(self, key: str) -> bytes:
        path = self._path(key) if is_blob_key(key) else None
        if path is None or not path.is_file():
            raise missing_blob(key)
        with _told(f"cannot read the original {path}"):
            data = path.read_bytes()
        if bytes_hash(data) != path.name:
            msg = f"the original {path} is damaged: it is not what was written"
            raise StoreError(msg, hint="restore it from a backup, or memorize the resource again")
        return data

    def _path(self, key: str) -> Path:
        partition, digest = key.split("/")
        return self._root / partition / digest[:2] / digest

    def _delete_all(self, keys: list[str], written_before: datetime | None) -> int:
        with _told(f"cannot delete below {self._root}"):
            return sum(self._delete(key, written_before) for key in keys)

    def _delete(self, key: str, written_before: datetime | None) -> bool:
        if is_blob_key(key):
            path = self._path(key)
        elif _LEFTOVER.fullmatch(key):
            path = self._root / key
        else:
            return False
        gone = self._remove(path, written_before)
        self._drop_empty(path.parent)
        return gone

    def _remove(self, path: Path, written_before: datetime | None) -> bool:
        try:
            if written_before is None:
                path.unlink()
                return True
            return path.is_file() and self._remove_old(path, written_before)
        except FileNotFoundError:
            return False

    def _remove_old(self, path: Path, written_before: datetime) -> bool:
        """Take a file aside before looking at its time: a `put` in the same moment cannot be lost then."""
        aside = self._aside()
        path.replace(aside)
        if _written(aside) >= written_before:
            self._move_in(aside, path)
            return False
        aside.unlink()
        return True

    def _aside(self) -> Path:
        folder = self._root / INCOMING
        self._make_folder(folder)
        return folder / uuid.uuid4().hex

    def _drop_empty(self, folder: Path) -> None:
        while folder != self._root and folder.is_relative_to(self._root):
            try:
                folder.rmdir()
            except OSError:
                return
            folder = folder.parent

    def _keys(self) -> Iterator[str]:
        with _told(f"cannot list {self._root}"):
            for path in self._root.glob("*/*/*"):
                key = f"{path.parent.parent.name}/{path.name}"
                if is_blob_key(key):
                    yield key
            for path in self._root.glob(f"{INCOMING}/*"):
                if _LEFTOVER.fullmatch(key := f"{INCOMING}/{path.name}"):
                    yield key


def _refreshed(path: Path, size: int) -> bool:
    """Mark a blob that is there already as written now, so that no sweep takes it."""
    try:
        if path.stat().st_size != size:
            return False
        os.utime(path)
    except FileNotFoundError:
        return False
    return True


def _written(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _sync_folder(folder: Path) -> None:
    """Have the new name on the disk too, where the system can (Windows cannot open folders)."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _told(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        msg = f"{what}: {error.strerror or error}"
        raise StoreError(msg, hint="the folder of the originals is `blobs.root`") from error
