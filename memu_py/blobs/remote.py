"""Originals at any address that fsspec knows: `s3://bucket/prefix`, `gs://…`, `memory://…`.

The places are `<root>/<partition>/<first two digits>/<BLAKE3 of the content>`, as on the local disk. A blob is written
under its own name: object stores show it whole or not at all, and elsewhere a broken write has another size and is
written again by the next `put`. No resource names a blob before its `put` has returned.
"""

import asyncio
import contextlib
import threading
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from memu_py._core import bytes_hash
from memu_py.blobs.store import blob_key, is_blob_key, missing_blob
from memu_py.errors import ConfigError, MemuError, StoreError

EXTRA = "remote-blobs"
BUCKETS = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "oci", "r2", "b2"})
"""Protocols without folders: what looks like making one would make a bucket of a mistyped name."""


class FileSystem(Protocol):
    """What is used of an fsspec file system."""

    protocol: str | tuple[str, ...]

    def pipe_file(self, path: str, value: bytes) -> Any:
        """Write a file whole."""
        ...

    def cat_file(self, path: str) -> Any:
        """Return the content of a file."""
        ...

    def makedirs(self, path: str, exist_ok: bool) -> Any:
        """Make a folder and those above it."""
        ...

    def touch(self, path: str, truncate: bool) -> Any:
        """Mark a file as written now."""
        ...

    def info(self, path: str) -> Any:
        """Return what is known of a file: `size` and more."""
        ...

    def modified(self, path: str) -> Any:
        """Return when a file was written."""
        ...

    def rm_file(self, path: str) -> Any:
        """Delete a file."""
        ...

    def find(self, path: str) -> Any:
        """Return the paths of all files below a folder."""
        ...

    def invalidate_cache(self) -> Any:
        """Forget what was listed before."""
        ...


class FsspecBlobs:
    """Keeps bytes at an address; many processes, on many machines, may share it.

    Args:
        root: the address, such as `s3://bucket/prefix`.
        options: of its file system, such as `key` and `secret`; else it finds its credentials as it always does.

    Raises:
        ConfigError: fsspec, or what it needs for this kind of address, is not installed, or nobody knows this kind.
    """

    def __init__(self, root: str, options: Mapping[str, Any] | None = None) -> None:
        self._address = root
        self._files, path = _opened(root, options or {})
        self._root = path.rstrip("/")
        # Those that are asynchronous inside take calls of many threads; of the others nobody knows.
        shared = getattr(self._files, "async_impl", False)
        self._turn: contextlib.AbstractContextManager[Any] = (
            contextlib.nullcontext() if shared else threading.Lock()
        )

    async def put(self, partition_hash: bytes, data: bytes) -> str:
        """Keep bytes; see `BlobStore.put`."""
        return await asyncio.to_thread(self._put, partition_hash, bytes(data))

    async def get(self, key: str) -> bytes:
        """Return the bytes, checked against the hash in their key; see `BlobStore.get`."""
        return await asyncio.to_thread(self._get, key)

    async def delete(self, keys: Iterable[str], *, written_before: datetime | None = None) -> int:
        """Delete blobs; see `BlobStore.delete`.

        Where a file system does not tell when a blob was written, `written_before` spares it.
        """
        return await asyncio.to_thread(self._delete_all, list(keys), written_before)

    async def keys(self) -> list[str]:
        """Return the keys of all blobs, sorted, broken writes among them."""
        return await asyncio.to_thread(self._keys)

    async def close(self) -> None:
        """Nothing is held open that fsspec does not share with others."""

    def _put(self, partition_hash: bytes, data: bytes) -> str:
        key = blob_key(partition_hash, data)
        path = self._path(key)
        with self._told("written"):
            if not self._refreshed(path, len(data)):
                self._write(path, data)
        return key

    def _write(self, path: str, data: bytes) -> None:
        try:
            self._files.pipe_file(path, data)
        except FileNotFoundError:
            if BUCKETS.intersection(_protocols(self._files)):
                raise
            self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(path, data)

    def _refreshed(self, path: str, size: int) -> bool:
        """Mark a blob that is there already as written now, so that no sweep takes it; False where that cannot be."""
        if self._size(path) != size:
            return False
        try:
            self._files.touch(path, truncate=False)
        except (NotImplementedError, ValueError, FileNotFoundError):
            return False
        # Deleted in this moment, it was made anew, and empty.
        return self._size(path) == size

    def _size(self, path: str) -> int | None:
        # Others write there too, and what was listed once is kept by many file systems.
        self._files.invalidate_cache()
        try:
            found: int | None = self._files.info(path)["size"]
        except FileNotFoundError:
            return None
        return found

    def _get(self, key: str) -> bytes:
        if not is_blob_key(key):
            raise missing_blob(key)
        path = self._path(key)
        with self._told("read"):
            try:
                data = bytes(self._files.cat_file(path))
            except FileNotFoundError as error:
                raise missing_blob(key) from error
        if bytes_hash(data) != path.rpartition("/")[2]:
            msg = f"the original {key} in {self._address} is damaged: it is not what was written"
            raise StoreError(msg, hint="restore it from a backup, or memorize the resource again")
        return data

    def _path(self, key: str) -> str:
        partition, digest = key.split("/")
        return f"{self._root}/{partition}/{digest[:2]}/{digest}"

    def _delete_all(self, keys: list[str], written_before: datetime | None) -> int:
        with self._told("deleted"):
            return sum(self._delete(key, written_before) for key in keys if is_blob_key(key))

    def _delete(self, key: str, written_before: datetime | None) -> bool:
        path = self._path(key)
        if self._size(path) is None:
            return False
        try:
            if written_before is not None and not self._is_older(path, written_before):
                return False
            self._files.rm_file(path)
        except FileNotFoundError:
            return False
        return True

    def _is_older(self, path: str, moment: datetime) -> bool:
        try:
            written: datetime = self._files.modified(path)
        except NotImplementedError:
            return False
        return (written if written.tzinfo else written.replace(tzinfo=UTC)) < moment

    def _keys(self) -> list[str]:
        with self._told("listed"):
            self._files.invalidate_cache()
            try:
                paths = list(self._files.find(self._root))
            except FileNotFoundError:
                paths = []
        return sorted(key for path in paths if (key := _key(path)) is not None)

    @contextlib.contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            with self._turn:
                yield
        except MemuError:
            raise
        except Exception as error:
            # Each file system has errors of its own, and few of them are of the system's kind.
            reason = str(error) or type(error).__name__
            msg = f"the originals in {self._address} cannot be {what}: {reason}"
            raise StoreError(msg, hint="they are at `blobs.root`, opened with `blobs.options`") from error


def _key(path: str) -> str | None:
    """Return the key of a blob by its path; None for what is none of ours."""
    *_, partition, folder, digest = ["", "", "", *path.split("/")]
    key = f"{partition}/{digest}"
    return key if is_blob_key(key) and digest.startswith(folder) and folder else None


def _protocols(files: FileSystem) -> tuple[str, ...]:
    return (files.protocol,) if isinstance(files.protocol, str) else files.protocol


def _opened(root: str, options: Mapping[str, Any]) -> tuple[FileSystem, str]:
    try:
        from fsspec.core import url_to_fs  # noqa: PLC0415 - an extra
    except ImportError as error:
        msg = f"originals at {root} need fsspec, which is not installed"
        raise ConfigError(msg, hint=f'pip install "memu_py[{EXTRA}]"') from error
    try:
        files, path = url_to_fs(root, **options)
    except ImportError as error:
        msg = f"`blobs.root` {root}: what reads this kind of address is not installed"
        raise ConfigError(msg, hint=str(error)) from error
    except (ValueError, TypeError) as error:
        msg = f"`blobs.root` {root} cannot be opened: {error}"
        raise ConfigError(msg, hint="look at its address, and at `blobs.options`") from error
    return files, str(path)
