"""What an export comes in: a file, a folder or a zip, whose files are read when somebody asks for them."""

import contextlib
import dataclasses
import io
import json
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import IO, Any, Self

from memu_py.errors import InvalidInput, MemuError, NotFound
from memu_py.importers.elements import loads
from memu_py.modality.raw import MB
from memu_py.records.record import Record

HEAD_BYTES = 16_384
"""What a file is can be told from so much of it."""
DEFAULT_MAX_BYTES = 500 * MB

DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError)
"""What reading a damaged file of a zip raises."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Entry(Record):
    """A file of an archive.

    Attributes:
        name: its path within the archive, with `/` between folders.
        size: bytes, unpacked.
        url: the address under which it is remembered when it is taken in as a file.
        within: it was found in a folder or a zip, and not named by anybody.
    """

    name: str
    size: int
    url: str
    within: bool = True


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class LeftOut(Record):
    """What is in an archive and is not taken in.

    Attributes:
        name: of the file, or of the conversation.
        reason: why.
    """

    name: str
    reason: str


Opener = Callable[[Entry], AbstractContextManager[IO[bytes]]]


class Archive:
    """Files by name.

    Args:
        label: what to call it, such as its path.
        entries: its files.
        opener: opens one.
        max_bytes: a larger file is not read.
        left_out: what is in it and cannot be read.
        close: called at the end.
    """

    def __init__(
        self,
        label: str,
        entries: Iterable[Entry],
        opener: Opener,
        *,
        max_bytes: int = DEFAULT_MAX_BYTES,
        left_out: Iterable[LeftOut] = (),
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.label = label
        self.left_out = tuple(left_out)
        self._entries = {entry.name: entry for entry in entries}
        self._opener = opener
        self._max_bytes = max_bytes
        self.close = close

    @classmethod
    def of(cls, name: str, data: bytes) -> Self:
        """Return an archive of one file that is in memory."""
        entry = Entry(name=name, size=len(data), url=name, within=False)
        return cls(name, [entry], lambda _: io.BytesIO(data))

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all files, in order."""
        return tuple(self._entries)

    def label_of(self, name: str) -> str:
        """Return what to call one of the files."""
        return f"{self.label}/{name}" if self._entries[name].within else self.label

    def without(self, names: Collection[str]) -> "Archive":
        """Return the archive without some files; closing it closes nothing."""
        kept = [entry for entry in self if entry.name not in names]
        return Archive(self.label, kept, self._opener, max_bytes=self._max_bytes, left_out=self.left_out)

    def beginning(self, suffix: str, pattern: re.Pattern[bytes]) -> list[str]:
        """Return the names that end so, of files whose beginning holds a pattern; those that cannot be read do not.

        Args:
            suffix: such as `.json`, in any case.
            pattern: searched for in the first bytes.
        """
        found = []
        for name in self.names:
            if name.casefold().endswith(suffix):
                with contextlib.suppress(MemuError):
                    found += [name] if pattern.search(self.head(name)) else []
        return found

    def head(self, name: str) -> bytes:
        """Return the beginning of a file.

        Raises:
            InvalidInput: it is damaged.
        """
        entry = self._entries[name]
        with _sound(self.label_of(name)), self._opener(entry) as stream:
            return stream.read(HEAD_BYTES)

    @contextlib.contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """Open a file, to be read from its beginning.

        Raises:
            NotFound: there is no such file in it.
            InvalidInput: it is damaged, also when that shows while it is read; or too large.
        """
        entry = self._entries.get(name)
        if entry is None:
            msg = f"there is no file {name} in {self.label}"
            raise NotFound(msg)
        if entry.size > self._max_bytes:
            msg = f"{self.label_of(name)} has {entry.size // MB} MB, and at most {self._max_bytes // MB} are read"
            raise InvalidInput(msg, hint="raise `documents.max_unpacked_mb`")
        with _sound(self.label_of(name)), self._opener(entry) as stream:
            yield stream

    def read(self, name: str) -> bytes:
        """Return a file's bytes.

        Raises:
            NotFound: there is no such file in it.
            InvalidInput: it is damaged, or too large.
        """
        with self.open(name) as stream:
            return stream.read(self._max_bytes + 1)

    def json(self, name: str) -> Any:
        """Return what a JSON file holds.

        Raises:
            NotFound: there is no such file in it.
            InvalidInput: it is damaged, too large, or no JSON.
        """
        try:
            return loads(self.read(name).decode("utf-8-sig", "replace"))
        except json.JSONDecodeError as error:
            msg = f"{self.label_of(name)} is no well-formed JSON: {error.msg} at line {error.lineno}"
            raise InvalidInput(msg) from error


@contextlib.contextmanager
def _sound(label: str) -> Iterator[None]:
    try:
        yield
    except DAMAGED as error:
        msg = f"{label} cannot be read: {str(error) or type(error).__name__}"
        raise InvalidInput(msg, hint="is it damaged?") from error


def folders(names: Iterable[str]) -> Mapping[str, list[str]]:
    """Return names by the folder in which they lie, `""` for the top; each folder ends with `/`.

    >>> folders(["a.json", "x/b.json", "x/c.json"])
    {'': ['a.json'], 'x/': ['x/b.json', 'x/c.json']}
    """
    found: dict[str, list[str]] = {}
    for name in names:
        folder, slash, _ = name.rpartition("/")
        found.setdefault(folder + slash, []).append(name)
    return found
