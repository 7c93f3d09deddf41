"""Stores of originals: the same rules in memory, on the disk, and at addresses of fsspec."""

import asyncio
import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from blobs_kit import age, file_of

from memu_py._core import bytes_hash
from memu_py.blobs.local import INCOMING, MOVE_ATTEMPTS, LocalBlobs
from memu_py.blobs.memory import MemoryBlobs
from memu_py.blobs.remote import FsspecBlobs
from memu_py.blobs.store import BlobStore
from memu_py.blobs.sweep import sweep
from memu_py.errors import InvalidInput, NotFound, StoreError
from memu_py.records.scope import Scope

ANN = Scope(user="ann").partition_hash
BOB = Scope(user="bob").partition_hash
UNKNOWN = f"{ANN.hex()}/{'0' * 64}"
HOUR = timedelta(hours=1)


@pytest.fixture(params=["memory", "local", "memory://", "file://", "local://"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    if "://" in request.param:
        return FsspecBlobs(f"{request.param}{tmp_path}/originals")
    return MemoryBlobs() if request.param == "memory" else LocalBlobs(tmp_path / "originals")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "originals"


@pytest.mark.parametrize("data", [b"", b"tea", bytes(range(256)) * 1000])
async def test_bytes_come_back_as_they_were(blobs: BlobStore, data: bytes) -> None:
    key = await blobs.put(ANN, data)
    assert await blobs.get(key) == data


async def test_equal_bytes_of_a_partition_are_kept_once(blobs: BlobStore) -> None:
    assert await blobs.put(ANN, b"tea") == await blobs.put(ANN, b"tea")
    assert len(await blobs.keys()) == 1


async def test_two_partitions_never_share_a_blob(blobs: BlobStore) -> None:
    of_ann, of_bob = await blobs.put(ANN, b"tea"), await blobs.put(BOB, b"tea")
    assert of_ann != of_bob
    assert await blobs.delete([of_ann]) == 1
    assert await blobs.get(of_bob) == b"tea"
    assert await blobs.keys() == [of_bob]


async def test_a_missing_blob_is_not_found(blobs: BlobStore) -> None:
    await blobs.put(ANN, b"tea")
    with pytest.raises(NotFound, match=r"blobs\.root"):
        await blobs.get(UNKNOWN)


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "/etc/passwd", "a/b", "x" * 32 + "/" + "0" * 64])
async def test_what_is_no_key_leads_nowhere(blobs: BlobStore, key: str) -> None:
    with pytest.raises(NotFound):
        await blobs.get(key)
    assert await blobs.delete([key]) == 0


async def test_deleting_counts_what_was_there(blobs: BlobStore) -> None:
    keys = [await blobs.put(ANN, b"tea"), await blobs.put(ANN, b"coffee")]
    assert await blobs.delete([*keys, keys[0], UNKNOWN]) == 2
    assert await blobs.keys() == []
    assert await blobs.delete(keys, written_before=datetime.now(UTC)) == 0


async def test_a_partition_hash_of_another_length_is_refused(blobs: BlobStore) -> None:
    with pytest.raises(InvalidInput, match="16 bytes, not 3"):
        await blobs.put(b"ann", b"tea")


async def test_closing_twice_is_fine(blobs: BlobStore) -> None:
    await blobs.close()
    await blobs.close()


async def test_many_writers_of_one_content_leave_one_blob(blobs: BlobStore) -> None:
    keys = await asyncio.gather(*(blobs.put(ANN, b"tea" * 999) for _ in range(20)))
    assert await blobs.keys() == [keys[0]]
    assert await blobs.get(keys[0]) == b"tea" * 999


async def test_what_was_just_put_is_spared_and_what_is_older_is_not(blobs: BlobStore) -> None:
    key = await blobs.put(ANN, b"tea")
    assert await blobs.delete([key], written_before=datetime.now(UTC) - HOUR) == 0
    assert await blobs.get(key) == b"tea"
    assert await blobs.delete([key], written_before=datetime.now(UTC) + HOUR) == 1
    assert await blobs.keys() == []


async def test_a_sweep_takes_old_orphans_only(root: Path) -> None:
    blobs = LocalBlobs(root)
    old, young, used = [await blobs.put(ANN, data) for data in (b"old", b"young", b"used")]
    age(file_of(root, old), 3 * HOUR)
    age(file_of(root, used), 3 * HOUR)
    assert await sweep(blobs, {used}, clock=lambda: datetime.now(UTC), older_than=HOUR) == 1
    assert await blobs.keys() == sorted([young, used])
    assert await blobs.get(young) == b"young"


async def test_what_is_put_again_counts_as_written_now(root: Path) -> None:
    blobs = LocalBlobs(root)
    key = await blobs.put(ANN, b"tea")
    age(file_of(root, key), 3 * HOUR)
    assert await blobs.put(ANN, b"tea") == key
    assert await blobs.delete([key], written_before=datetime.now(UTC) - HOUR) == 0
    assert await blobs.get(key) == b"tea"


async def test_a_sweep_in_memory_goes_by_the_clock() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    clock: Callable[[], datetime] = lambda: now  # noqa: E731 - the clock is moved below
    blobs = MemoryBlobs(clock=lambda: now)
    await blobs.put(ANN, b"old")
    now += 2 * HOUR
    young = await blobs.put(ANN, b"young")
    assert await sweep(blobs, set(), clock=clock, older_than=HOUR) == 1
    assert await blobs.keys() == [young]


async def test_files_are_for_their_owner_only(root: Path) -> None:
    key = await LocalBlobs(root).put(ANN, b"tea")
    path = file_of(root, key)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for folder in (root, root / INCOMING, path.parent, path.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_a_write_leaves_nothing_behind(root: Path) -> None:
    await LocalBlobs(root).put(ANN, b"tea")
    assert list((root / INCOMING).iterdir()) == []


async def test_deleting_removes_folders_that_become_empty(root: Path) -> None:
    blobs = LocalBlobs(root)
    key, other = await blobs.put(ANN, b"tea"), await blobs.put(BOB, b"tea")
    await blobs.delete([key])
    assert not (root / ANN.hex()).exists()
    assert file_of(root, other).is_file()


async def test_a_damaged_original_is_told_and_can_be_written_again(root: Path) -> None:
    blobs = LocalBlobs(root)
    key = await blobs.put(ANN, b"tea")
    file_of(root, key).write_bytes(b"te")
    with pytest.raises(StoreError, match="damaged"):
        await blobs.get(key)
    await blobs.put(ANN, b"tea")
    assert await blobs.get(key) == b"tea"


async def test_what_a_broken_write_left_is_swept(root: Path) -> None:
    blobs = LocalBlobs(root)
    key = await blobs.put(ANN, b"tea")
    leftover = root / INCOMING / ("a" * 32)
    leftover.write_bytes(b"half")
    (root / INCOMING / "notes.txt").write_bytes(b"not ours")
    (root / ANN.hex() / "ab").mkdir()
    (root / ANN.hex() / "ab" / "foreign").write_bytes(b"not ours")
    assert await blobs.keys() == sorted([key, f"{INCOMING}/{leftover.name}"])
    age(leftover, 3 * HOUR)
    assert await sweep(blobs, {key}, clock=lambda: datetime.now(UTC), older_than=HOUR) == 1
    assert not leftover.exists()
    assert await blobs.get(key) == b"tea"
    assert (root / INCOMING / "notes.txt").exists()


async def test_nothing_is_listed_before_the_first_write(root: Path) -> None:
    assert await LocalBlobs(root).keys() == []
    assert set(root.parent.iterdir()) == set()


async def test_a_root_that_cannot_be_written_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match=r"blobs\.root"):
        await LocalBlobs(tmp_path / "file").put(ANN, b"tea")


async def test_a_full_disk_leaves_neither_blob_nor_part_of_one(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    blobs = LocalBlobs(root)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        await blobs.put(ANN, b"tea")
    monkeypatch.undo()
    assert await blobs.keys() == []


async def test_a_folder_that_vanishes_under_a_write_is_made_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = LocalBlobs(root)
    replace = Path.replace
    calls: list[Path] = []

    def vanishing(source: Path, target: Path) -> Path:
        calls.append(source)
        if len(calls) <= failures:
            target.parent.rmdir()
        return replace(source, target)

    monkeypatch.setattr(Path, "replace", vanishing)
    failures = MOVE_ATTEMPTS - 1
    key = await blobs.put(ANN, b"tea")
    assert await blobs.get(key) == b"tea"
    calls.clear()
    failures = MOVE_ATTEMPTS
    with pytest.raises(StoreError):
        await blobs.put(BOB, b"tea")
    assert await blobs.keys() == [key]


async def test_a_blob_deleted_by_somebody_else_meanwhile_is_not_counted(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = LocalBlobs(root)
    key = await blobs.put(ANN, b"tea")
    replace = Path.replace

    def first_gone(source: Path, target: Path) -> Path:
        source.unlink()
        return replace(source, target)

    monkeypatch.setattr(Path, "replace", first_gone)
    assert await blobs.delete([key], written_before=datetime.now(UTC) + HOUR) == 0


async def test_the_key_holds_the_hash_of_the_content(blobs: BlobStore) -> None:
    assert await blobs.put(ANN, b"tea") == f"{ANN.hex()}/{bytes_hash(b'tea')}"
