"""An export as files, in a folder or a zip: what is where, and nothing of what it means.

::

    manifest.json            what there is, with hashes; written last
    tables/<table>.jsonl     a row a line, as `storage/row_forms.py` says them
    originals/<BLAKE3>       the bytes of what came in
"""

import contextlib
import dataclasses
import hashlib
import json
import os
import shutil
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Protocol

from memu_py._core import bytes_hash
from memu_py.errors import InvalidInput, NotFound
from memu_py.records.record import Record

FORMAT = "memu-export"
VERSION = 1
MANIFEST = "manifest.json"
TABLES = "tables"
ORIGINALS = "originals"
ZIP = ".zip"
PIECE = 1 << 20
MOST_MANIFEST = 64 << 20
"""Bytes of a manifest that are read."""

Target = Path | IO[bytes]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class TableFile(Record):
    """One table of an export.

    Attributes:
        table: its name.
        rows: how many.
        size: of the file, in bytes.
        sha256: of the file, hex.
    """

    table: str
    rows: int
    size: int
    sha256: str


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Manifest(Record):
    """What an export holds.

    Attributes:
        id: of this export.
        made_by: the version of this package.
        schema: the version of the tables.
        exported_at: when, in ISO 8601.
        owner: whose it was: `user`, or `agent` or `session` where there is no user.
        embedder: what made the vectors: `embedder`, `dimension`, `tokenizer`; None where nothing has.
        tables: in the order in which they can be written.
        originals: their sizes in bytes, by the hash of their content.
        lost: hashes of originals that were not there any more.
    """

    id: str
    made_by: str
    schema: str
    exported_at: str
    owner: Mapping[str, str]
    embedder: Mapping[str, Any] | None
    tables: Sequence[TableFile]
    originals: Mapping[str, int]
    lost: Sequence[str] = ()


class Files(Protocol):
    """Where the files of an export lie."""

    def write(self, name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
        """Open a new file; one at a time."""
        ...

    def read(self, name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
        """Open a file to read.

        Raises:
            InvalidInput: it is not there.
        """
        ...


class FolderFiles:
    """Files in a folder, readable by their owner only."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @contextlib.contextmanager
    def write(self, name: str) -> Iterator[IO[bytes]]:
        """See `Files.write`."""
        path = self._root / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123 - the mode counts from the first moment
            yield file

    @contextlib.contextmanager
    def read(self, name: str) -> Iterator[IO[bytes]]:
        """See `Files.read`."""
        path = self._root / name
        if not path.is_file():
            raise _missing(name)
        with path.open("rb") as file:
            yield file


class ZipFiles:
    """Files in a zip."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    @contextlib.contextmanager
    def write(self, name: str) -> Iterator[IO[bytes]]:
        """See `Files.write`."""
        with self._archive.open(name, "w", force_zip64=True) as file:
            yield file

    @contextlib.contextmanager
    def read(self, name: str) -> Iterator[IO[bytes]]:
        """See `Files.read`."""
        try:
            found = self._archive.open(name)
        except KeyError as error:
            raise _missing(name) from error
        with found as file:
            yield file


def _missing(name: str) -> InvalidInput:
    return InvalidInput(f"this is no whole export: it has no {name}")


@contextlib.contextmanager
def new_files(target: Target) -> Iterator[Files]:
    """Give files to write; they are at the target, all of them, when the block ends well, and else nowhere.

    Args:
        target: a folder that is not there, a path that ends in `.zip`, or where the bytes of a zip go.

    Raises:
        InvalidInput: something is there already.
    """
    if not isinstance(target, Path):
        with _zipped(target) as files:
            yield files
        return
    if target.exists():
        msg = f"{target} is there already"
        raise InvalidInput(msg, hint="name another path for the export")
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    try:
        with _aside(aside, zipped=target.suffix == ZIP) as files:
            yield files
        aside.replace(target)
    finally:
        _remove(aside)


@contextlib.contextmanager
def _aside(path: Path, *, zipped: bool) -> Iterator[Files]:
    if not zipped:
        path.mkdir(mode=0o700)
        yield FolderFiles(path)
        return
    path.touch(mode=0o600, exist_ok=False)
    with path.open("r+b") as file, _zipped(file) as files:
        yield files


@contextlib.contextmanager
def _zipped(file: IO[bytes]) -> Iterator[Files]:
    with zipfile.ZipFile(file, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        yield ZipFiles(archive)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def old_files(source: Target) -> Iterator[Files]:
    """Give the files of an export.

    Raises:
        NotFound: nothing is there.
        InvalidInput: it is neither a folder nor a zip.
    """
    if isinstance(source, Path) and source.is_dir():
        yield FolderFiles(source)
        return
    try:
        archive = zipfile.ZipFile(source)
    except FileNotFoundError as error:
        msg = f"there is no export at {source}"
        raise NotFound(msg) from error
    except (zipfile.BadZipFile, OSError) as error:
        msg = "an export is a folder or a zip, and this is neither"
        raise InvalidInput(msg) from error
    with archive:
        yield ZipFiles(archive)


def table_name(table: str) -> str:
    """Return the name of a table's file."""
    return f"{TABLES}/{table}.jsonl"


def write_table(files: Files, table: str, rows: Iterable[Mapping[str, Any]]) -> TableFile:
    """Write rows as they come."""
    count, size, digest = 0, 0, hashlib.sha256()
    with files.write(table_name(table)) as file:
        for row in rows:
            line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            file.write(line)
            digest.update(line)
            count, size = count + 1, size + len(line)
    return TableFile(table=table, rows=count, size=size, sha256=digest.hexdigest())


def write_manifest(files: Files, manifest: Manifest) -> None:
    """Write what there is; last of all."""
    data = {"format": FORMAT, "version": VERSION, **dataclasses.asdict(manifest)}
    with files.write(MANIFEST) as file:
        file.write(json.dumps(data, ensure_ascii=False, indent=2).encode() + b"\n")


def read_manifest(files: Files) -> Manifest:
    """Return what there is.

    Raises:
        InvalidInput: it is no export, or of a version that this code does not know.
    """
    with files.read(MANIFEST) as file:
        text = file.read(MOST_MANIFEST)
    try:
        data = json.loads(text)
        found, version = data.pop("format"), data.pop("version")
        if (found, version) != (FORMAT, VERSION):
            msg = f"this is {found} {version}, and this code reads {FORMAT} {VERSION}"
            raise InvalidInput(msg)
        tables = tuple(TableFile(**one) for one in data.pop("tables"))
        return Manifest(tables=tables, **data)
    except (TypeError, KeyError, AttributeError, json.JSONDecodeError, UnicodeDecodeError) as error:
        msg = f"the manifest is not as an export writes it: {error}"
        raise InvalidInput(msg) from error


def check_table(files: Files, table: TableFile) -> None:
    """Read a table's file to its end.

    Raises:
        InvalidInput: it is not what was written.
    """
    size, digest = 0, hashlib.sha256()
    with files.read(table_name(table.table)) as file:
        # No further than it says: a zip may hold a thousand times what it weighs.
        while size <= table.size and (piece := file.read(PIECE)):
            size += len(piece)
            digest.update(piece)
    if (size, digest.hexdigest()) != (table.size, table.sha256):
        msg = f"{table_name(table.table)} is damaged: it is not what was exported"
        raise InvalidInput(msg)


def lines(files: Files, table: str) -> Iterator[str]:
    """Yield the lines of a table's file."""
    with files.read(table_name(table)) as file:
        for line in file:
            yield line.decode()


def write_original(files: Files, digest: str, data: bytes) -> None:
    """Write the bytes of what came in."""
    with files.write(f"{ORIGINALS}/{digest}") as file:
        file.write(data)


def read_original(files: Files, digest: str, most: int) -> bytes:
    """Return the bytes of what came in.

    Args:
        files: where.
        digest: BLAKE3 of the bytes, hex, by which they are called.
        most: bytes.

    Raises:
        InvalidInput: they are not what was written, or more.
    """
    with files.read(f"{ORIGINALS}/{digest}") as file:
        data = file.read(most + 1)
    if bytes_hash(data) != digest:
        msg = f"the original {digest} is damaged: it is not what was exported"
        raise InvalidInput(msg)
    return data
