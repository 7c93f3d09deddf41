"""What is at a path: conversations of exports, other files, and what is left out."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Self

from memu_py.errors import InvalidInput, MemuError
from memu_py.importers.archive import Archive, Entry, LeftOut
from memu_py.importers.importer import Conversation, Importer
from memu_py.modality.title import one_line
from memu_py.nearest import unknown
from memu_py.records.record import Record

NO_MESSAGES = "there is no message in it"
NO_ID = "it has no id, by which a later export would be known"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class FoundConversation(Record):
    """A conversation that would be taken in.

    Attributes:
        importer: what reads it.
        url: the address of its resource.
        title: a line to show.
        file: where it was found.
        messages: how many it has.
        started: time of its first message, UTC, where it has one.
        ended: time of its last.
    """

    importer: str
    url: str
    title: str
    file: str
    messages: int
    started: datetime | None = None
    ended: datetime | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class FoundFile(Record):
    """A file that would be taken in as it is.

    Attributes:
        name: its path.
        url: the address of its resource.
        modality: what reads it.
        size: bytes.
    """

    name: str
    url: str
    modality: str
    size: int


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Survey(Record):
    """What `memorize_all` would find at a path.

    Attributes:
        conversations: of exports.
        files: others that something reads.
        left_out: what nothing reads, and why.
    """

    conversations: tuple[FoundConversation, ...] = ()
    files: tuple[FoundFile, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Chat(Record):
    """A conversation to take in.

    Attributes:
        importer: what reads it.
        file: where it was found.
        conversation: what it is.
    """

    importer: str
    file: str
    conversation: Conversation

    @property
    def label(self) -> str:
        """What to call it."""
        return f"{self.importer}: {one_line(self.conversation.title) or self.conversation.url}"

    @property
    def url(self) -> str:
        """The address of its resource."""
        return self.conversation.url


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class File(Record):
    """A file to take in as it is.

    Attributes:
        archive: that holds it.
        entry: which it is.
    """

    archive: Archive
    entry: Entry

    @property
    def label(self) -> str:
        """What to call it."""
        return self.archive.label_of(self.entry.name)

    @property
    def url(self) -> str:
        """The address of its resource."""
        return self.entry.url

    @property
    def packed(self) -> bool:
        """Whether it lies in a zip, so that only the archive can read it."""
        return self.entry.url.startswith("zip:")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Unread(Record):
    """An export, or a zip in a folder, that cannot be read, or not to its end.

    Attributes:
        label: what to call it.
        error: why.
        url: none.
    """

    label: str
    error: MemuError
    url: None = None


Source = Chat | File | Unread | LeftOut


def sources(archive: Archive, importers: Mapping[str, Importer], only: str | None = None) -> Iterator[Source]:
    """Yield what is in an archive: the conversations of each importer that claims files, then the other files.

    Args:
        archive: where to look.
        importers: by name, in the order in which they are asked.
        only: the one whose exports are read; those of others are left out.
    """
    rest = archive
    for name, importer in importers.items():
        try:
            claimed = set(importer.claims(rest)) & set(rest.names)
        except MemuError as error:
            yield Unread(label=f"{archive.label} ({name})", error=error)
            continue
        if claimed:
            mine = rest.without(set(rest.names) - claimed)
            rest = rest.without(claimed)
            if only is None or only == name:
                yield from _conversations(name, importer, mine)
            else:
                yield LeftOut(name=_file(mine), reason=f"an export of {name}, and only {only} is asked for")
    for entry in rest:
        if entry.size or not entry.within:
            yield File(archive=rest, entry=entry)
        else:
            yield LeftOut(name=rest.label_of(entry.name), reason="it is empty")
    yield from archive.left_out


def _file(archive: Archive) -> str:
    """Return where an export was found: in a file, or in several."""
    return archive.label_of(archive.names[0]) if len(archive.names) == 1 else archive.label


def _conversations(name: str, importer: Importer, archive: Archive) -> Iterator[Source]:
    label = _file(archive)
    try:
        for one in importer.conversations(archive):
            chat = Chat(importer=name, file=label, conversation=one)
            if not one.messages:
                yield LeftOut(name=chat.label, reason=" ".join(one.warnings) or NO_MESSAGES)
            elif one.url.endswith(":"):
                yield LeftOut(name=chat.label, reason=NO_ID)
            else:
                yield chat
    except MemuError as error:
        yield Unread(label=label, error=error)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Sources(Record):
    """What is in some archives. It may be gone through several times, and gives the same each time.

    It is a context manager, which closes the archives.

    Attributes:
        archives: all of them.
        unread: those that could not be opened.
        importers: that are asked.
        only: the one whose exports are read.
    """

    archives: tuple[Archive, ...]
    unread: tuple[Unread, ...]
    importers: Mapping[str, Importer]
    only: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for archive in self.archives:
            archive.close()

    def __iter__(self) -> Iterator[Source]:
        for archive in self.archives:
            yield from sources(archive, self.importers, self.only)
        yield from self.unread

    @property
    def urls(self) -> frozenset[str]:
        """The addresses of all files."""
        return frozenset(entry.url for archive in self.archives for entry in archive)

    def count(self) -> int:
        """Count all of it."""
        return sum(1 for _ in self)


def find_sources(
    opened: Iterable[Archive | tuple[str, MemuError]],
    importers: Mapping[str, Importer],
    only: str | None = None,
) -> Sources:
    """Return what is in several archives.

    Args:
        opened: as `open_archives` yields them.
        importers: by name, in the order in which they are asked.
        only: the one whose exports are read; None for all.

    Raises:
        InvalidInput: there is no importer of this name; or what opening an archive raises.
    """
    if only is not None and only not in importers:
        raise InvalidInput(unknown("importer", only, importers))
    archives: list[Archive] = []
    unread: list[Unread] = []
    for one in opened:
        if isinstance(one, Archive):
            archives.append(one)
        else:
            unread.append(Unread(label=one[0], error=one[1]))
    return Sources(archives=tuple(archives), unread=tuple(unread), importers=importers, only=only)


def exporter(archive: Archive, importers: Mapping[str, Importer]) -> str | None:
    """Return which importer reads an archive; None where it is no export."""
    return next((name for name, importer in importers.items() if importer.claims(archive)), None)


def conversations_in(archive: Archive, importers: Mapping[str, Importer], name: str) -> int:
    """Count the conversations that an importer finds in an archive."""
    return sum(isinstance(one, Chat) for one in _conversations(name, importers[name], archive))
