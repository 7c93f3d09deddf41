"""Originals at addresses of fsspec: what is special about file systems that are not ours."""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import fsspec
import pytest
from blobs_kit import age, file_of
from fsspec.implementations.memory import MemoryFileSystem

from memu_py.blobs.local import LocalBlobs
from memu_py.blobs.remote import FsspecBlobs
from memu_py.blobs.sweep import sweep
from memu_py.config.load import load_settings
from memu_py.errors import ConfigError, MissingKey, NotFound, StoreError
from memu_py.records.scope import Scope
from memu_py.service.build import build_blobs

ANN = Scope(user="ann").partition_hash
HOUR = timedelta(hours=1)


class Odd(MemoryFileSystem):  # type: ignore[misc]
    """A file system that does not do all that a good one does.

    Attributes:
        refuses: names of methods that raise an error.
        asked: what it was asked, in order.
    """

    protocol = "odd"
    cachable = False

    def __init__(self, refuses: dict[str, Exception] | None = None, **options: Any) -> None:
        super().__init__(global_store=False)
        self.refuses = refuses or {}
        self.asked: list[str] = []
        self.options = options

    def __getattribute__(self, name: str) -> Any:
        if name in ("pipe_file", "makedirs", "modified", "cat_file", "find", "touch", "rm_file"):
            self.asked.append(name)
            if name in self.refuses:
                raise self.refuses[name]
        return super().__getattribute__(name)


class OddBucket(Odd):
    """One without folders."""

    protocol = "r2"


fsspec.register_implementation("odd", Odd, clobber=True)
fsspec.register_implementation("r2", OddBucket, clobber=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "originals"


async def test_what_was_written_on_the_disk_is_found_by_address_and_back(root: Path) -> None:
    here, there = LocalBlobs(root), FsspecBlobs(root.as_uri())
    keys = [await here.put(ANN, b"tea"), await there.put(ANN, b"coffee")]
    assert await here.keys() == await there.keys() == sorted(keys)
    assert (await there.get(keys[0]), await here.get(keys[1])) == (b"tea", b"coffee")


async def test_a_sweep_takes_old_orphans_only(root: Path) -> None:
    blobs = FsspecBlobs(root.as_uri())
    old, young, used = [await blobs.put(ANN, data) for data in (b"old", b"young", b"used")]
    for key in (old, used):
        age(file_of(root, key), 3 * HOUR)
    assert await sweep(blobs, {used}, clock=lambda: datetime.now(UTC), older_than=HOUR) == 1
    assert await blobs.keys() == sorted([young, used])


@pytest.mark.parametrize("address", ["file://{root}", "memory://{root}"])
async def test_what_is_put_again_counts_as_written_now(root: Path, address: str) -> None:
    blobs = FsspecBlobs(address.format(root=root))
    key = await blobs.put(ANN, b"tea")
    between = datetime.now(UTC)
    if address.startswith("file"):
        age(file_of(root, key), 3 * HOUR)
    await blobs.put(ANN, b"tea")
    assert await blobs.delete([key], written_before=between - timedelta(seconds=5)) == 0
    assert await blobs.get(key) == b"tea"


async def test_a_broken_write_is_told_and_written_again(root: Path) -> None:
    blobs = FsspecBlobs(root.as_uri())
    key = await blobs.put(ANN, b"tea")
    file_of(root, key).write_bytes(b"te")
    with pytest.raises(StoreError, match=f"the original {key} .* is damaged"):
        await blobs.get(key)
    await blobs.put(ANN, b"tea")
    assert await blobs.get(key) == b"tea"


async def test_what_is_not_ours_is_neither_listed_nor_deleted(root: Path) -> None:
    blobs = FsspecBlobs(root.as_uri())
    key = await blobs.put(ANN, b"tea")
    digest = key.partition("/")[2]
    for foreign in (root / "notes.txt", root / ANN.hex() / "zz" / digest, root / "x" / digest):
        foreign.parent.mkdir(exist_ok=True)
        foreign.write_bytes(b"not ours")
    assert await blobs.keys() == [key]
    assert await blobs.delete(["notes.txt", "../notes.txt", f"x/{digest}"]) == 0
    assert (root / "notes.txt").exists()


async def test_a_blob_that_vanishes_while_it_is_put_again_is_written_anew(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = FsspecBlobs(root.as_uri())
    key = await blobs.put(ANN, b"tea")
    touch = type(blobs._files).touch

    def late(files: Any, path: str, truncate: bool) -> None:
        file_of(root, key).unlink()
        touch(files, path, truncate=truncate)

    monkeypatch.setattr(type(blobs._files), "touch", late)
    assert await blobs.put(ANN, b"tea") == key
    assert await blobs.get(key) == b"tea"


async def test_where_nobody_knows_when_a_blob_was_written_none_is_swept() -> None:
    blobs = FsspecBlobs("odd:///originals", {"refuses": {"modified": NotImplementedError()}})
    key = await blobs.put(ANN, b"tea")
    assert await blobs.delete([key], written_before=datetime.now(UTC) + HOUR) == 0
    assert await blobs.delete([key]) == 1


async def test_a_missing_bucket_is_not_made() -> None:
    gone = FileNotFoundError("The specified bucket does not exist")
    bucket = FsspecBlobs("r2://mistyped/originals", {"refuses": {"pipe_file": gone}})
    with pytest.raises(StoreError, match=r"r2://mistyped/originals cannot be written: The specified bucket"):
        await bucket.put(ANN, b"tea")
    assert "makedirs" not in bucket._files.asked  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("method", "what"),
    [("pipe_file", "written"), ("cat_file", "read"), ("find", "listed"), ("rm_file", "deleted")],
)
async def test_errors_of_any_kind_are_ours_in_the_end(method: str, what: str) -> None:
    class Denied(Exception):
        """No OSError, as those of cloud libraries are not."""

    blobs = FsspecBlobs("odd:///originals")
    key = await blobs.put(ANN, b"tea")
    blobs._files.refuses[method] = Denied("no credentials")  # type: ignore[attr-defined]
    with pytest.raises(StoreError, match=f"cannot be {what}: no credentials .*`blobs.options`"):
        match what:
            case "written":
                await blobs.put(ANN, b"coffee")
            case "read":
                await blobs.get(key)
            case "listed":
                await blobs.keys()
            case _:
                await blobs.delete([key])


async def test_nothing_is_listed_before_the_first_write(root: Path) -> None:
    blobs = FsspecBlobs(root.as_uri())
    assert await blobs.keys() == []
    with pytest.raises(NotFound):
        await blobs.get(f"{ANN.hex()}/{'0' * 64}")


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(ConfigError, match=r"s3://b/x.* is not installed .*s3fs"):
        FsspecBlobs("s3://b/x")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ConfigError, match=r'pip install "memu_py\[remote-blobs\]"'):
        FsspecBlobs("memory://x")


def test_an_unknown_kind_of_address_is_told() -> None:
    with pytest.raises(ConfigError, match=r"carrier-pigeon://x cannot be opened: Protocol not known"):
        FsspecBlobs("carrier-pigeon://x")


def test_the_configuration_takes_a_folder_or_an_address(tmp_path: Path) -> None:
    def root_of(value: Any) -> object:
        return load_settings({"blobs": {"root": value}}).blobs_root()

    assert root_of("/srv/originals") == root_of("file:///srv/originals") == Path("/srv/originals")
    assert root_of("file:///srv/my%20originals") == Path("/srv/my originals")
    assert root_of(tmp_path) == tmp_path
    assert root_of("originals") == Path.cwd() / "originals"
    assert root_of("s3://bucket/a/b") == "s3://bucket/a/b"
    assert isinstance(build_blobs(load_settings({"blobs": {"root": "memory://x"}})), FsspecBlobs)
    for wrong in (5, ["x"]):
        with pytest.raises(ConfigError, match=r"blobs\.root: must be a path, or an address"):
            root_of(wrong)
    with pytest.raises(
        ConfigError, match=r"blobs\.root: must not hold a password; put it in `blobs\.options`"
    ):
        root_of("sftp://ann:secret@host/x")


def test_options_are_handed_on_and_show_themselves_to_nobody() -> None:
    given = {
        "root": "odd://x",
        "options": {"secret": "${KEY}", "client": {"token": "t-1", "retries": 3}, "anon": False},
    }
    settings = load_settings({"blobs": given}, env={"KEY": "k-1"})
    blobs = build_blobs(settings)

    assert isinstance(blobs, FsspecBlobs)
    handed: dict[str, Any] = blobs._files.options  # type: ignore[attr-defined]
    assert handed == {"secret": "k-1", "client": {"token": "t-1", "retries": 3}, "anon": False}
    assert "k-1" not in repr(settings)
    assert "t-1" not in repr(settings)


def test_an_option_that_waits_for_a_variable_names_it() -> None:
    settings = load_settings({"blobs": {"root": "odd://x", "options": {"secret": "${KEY}"}}}, env={})
    with pytest.raises(MissingKey, match=r"`blobs\.options` needs the environment variable KEY"):
        build_blobs(settings)
    with pytest.raises(ConfigError, match=r"blobs\.options: cannot read"):
        load_settings({"blobs": {"options": {"secret": "${KEY"}}}, env={})
