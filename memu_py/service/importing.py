"""Many resources at once: all that is at a path."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from pathlib import Path

from memu_py import _core
from memu_py.config.settings import UNNAMED, Settings
from memu_py.errors import InvalidInput, MemuError, UnsupportedModality
from memu_py.importers.archive import LeftOut
from memu_py.importers.opening import open_archives
from memu_py.importers.survey import (
    ZIPPED,
    Chat,
    File,
    FoundConversation,
    FoundFile,
    Source,
    Sources,
    Survey,
    Unread,
    find_sources,
)
from memu_py.language.zones import zone
from memu_py.modality.detect import detect
from memu_py.modality.raw import MB, Raw
from memu_py.records.job import Job
from memu_py.records.record import Record
from memu_py.records.request import MemorizeRequest
from memu_py.records.resource import Resource
from memu_py.records.scope import Scope
from memu_py.service.off_loop import OffLoop
from memu_py.service.results import MemorizeResult
from memu_py.service.runtime import Progress, Runtime
from memu_py.steps.side_by_side import side_by_side
from memu_py.workflow.context import ProgressEvent

Result = MemorizeResult | Job | MemuError


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Imported(Record):
    """What became of one conversation or file.

    Attributes:
        name: what to call it: the importer and a title, or a path.
        url: the address of its resource.
        importer: what read it; None for a file that is no export.
        result: what was stored, the job that will store it, or what went wrong.
    """

    name: str
    url: str | None
    importer: str | None
    result: Result


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class ImportResult(Record):
    """What became of all that is at a path.

    Attributes:
        results: of conversations and files, in the order in which they were found.
        left_out: what nothing reads, and why.
    """

    results: tuple[Imported, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def failures(self) -> tuple[Imported, ...]:
        """Those that went wrong."""
        return tuple(one for one in self.results if isinstance(one.result, MemuError))


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class ImportEvent(Record):
    """One sign of life of an import.

    Attributes:
        name: of the conversation or file.
        place: which it is, from 1.
        total: of how many.
        event: how far it is; None when it begins, and when it is done.
        result: what became of it, also when it was left out after a look; None until it is done.
    """

    name: str
    place: int
    total: int
    event: ProgressEvent | None = None
    result: Result | LeftOut | None = None


ImportProgress = Callable[[ImportEvent], None]
TakeIn = Callable[[MemorizeRequest, Progress | None], Awaitable[MemorizeResult | Job]]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Import(Record):
    """All that is at a path, looked at or taken in.

    Attributes:
        runtime: what the service runs on.
        scope: whose memory.
        path: a file, a folder or a zip.
        request: what is said of each resource; its content comes from the path.
        importer: the one whose exports are read; None for all.
    """

    runtime: Runtime
    scope: Scope
    path: Path
    request: MemorizeRequest
    importer: str | None = None

    async def survey(self) -> Survey:
        """Tell what is there; nothing is stored, and the store is not opened."""
        with await asyncio.to_thread(self._find) as found:
            looked = [await asyncio.to_thread(self._look, one) async for _, one in OffLoop(found)]
        return Survey(
            conversations=tuple(one for one in looked if isinstance(one, FoundConversation)),
            files=tuple(one for one in looked if isinstance(one, FoundFile)),
            left_out=tuple(one for one in looked if isinstance(one, LeftOut)),
        )

    async def run(
        self, take_in: TakeIn, *, progress: ImportProgress | None, concurrency: int
    ) -> ImportResult:
        """Take in all that is there, each as a resource of its own, whatever becomes of the others.

        Args:
            take_in: memorizes one.
            progress: told of each.
            concurrency: how many are taken in at once.
        """
        with await asyncio.to_thread(self._find) as found:
            total = await asyncio.to_thread(found.count)
            going = OffLoop(found)

            async def work() -> list[tuple[int, Imported | LeftOut]]:
                return [
                    (place, await self._one(source, found, take_in, _Told(source, place, total, progress)))
                    async for place, source in going
                ]

            worked = await side_by_side(work() for _ in range(concurrency))
        done = dict(sorted(pair for pairs in worked for pair in pairs))
        return ImportResult(
            results=tuple(one for one in done.values() if isinstance(one, Imported)),
            left_out=tuple(one for one in done.values() if isinstance(one, LeftOut)),
        )

    def _find(self) -> Sources:
        settings = self.runtime.settings
        opened = open_archives(
            self.path,
            settings.blobs.allowed_roots,
            max_bytes=settings.documents.max_unpacked_mb * MB,
            ours=_ours(settings),
        )
        # Who says what the files are is taken at their word.
        asked = {} if self.request.modality is not None and self.importer is None else self.runtime.importers
        return find_sources(opened, asked, self.importer)

    def _look(self, source: Source) -> FoundConversation | FoundFile | LeftOut:
        if isinstance(source, Chat):
            return self._look_at(source)
        if isinstance(source, LeftOut):
            return source
        if isinstance(source, Unread):
            return LeftOut(name=source.label, reason=str(source.error))
        try:
            raw = Raw(data=self._bytes(source), name=source.entry.name.rpartition("/")[2])
            modality = detect(raw, self.request.modality, parsers=self.runtime.parsers)
        except MemuError as error:
            return _left_out(source, error)
        return FoundFile(name=source.label, url=source.entry.url, modality=modality, size=source.entry.size)

    def _look_at(self, chat: Chat) -> FoundConversation:
        settings = self.runtime.settings
        started, ended = chat.conversation.period(
            zone(self.request.timezone or settings.timezone_of(self.scope.user))
        )
        return FoundConversation(
            importer=chat.importer,
            url=chat.conversation.url,
            title=chat.conversation.title,
            file=chat.file,
            messages=len(chat.conversation.messages),
            started=started,
            ended=ended,
        )

    def _bytes(self, file: File) -> bytes:
        """Return what is in a file, if it is not too large to be taken in."""
        most = self.runtime.settings.blobs.max_bytes
        if file.entry.size > most:
            msg = f"{file.label} has {file.entry.size} bytes, and at most {most} are taken"
            raise InvalidInput(msg, hint="raise `blobs.max_bytes`, or split it")
        return file.archive.read(file.entry.name)

    async def _one(
        self, source: Source, found: Sources, take_in: TakeIn, told: "_Told"
    ) -> Imported | LeftOut:
        if isinstance(source, LeftOut):
            return source
        told.begins()
        result: Result
        try:
            result = await self._result(source, found, take_in, told)
        except MemuError as error:
            if isinstance(error, UnsupportedModality) and isinstance(source, File) and source.entry.within:
                left_out = _left_out(source, error)
                told.ends(left_out)
                return left_out
            result = error
        told.ends(result)
        importer = source.importer if isinstance(source, Chat) else None
        return Imported(name=source.label, url=source.url, importer=importer, result=result)

    async def _result(
        self, source: Chat | File | Unread, found: Sources, take_in: TakeIn, told: "_Told"
    ) -> MemorizeResult | Job:
        if isinstance(source, Unread):
            raise source.error
        if isinstance(source, File):
            return await self._file(source, found, take_in, told)
        given = source.conversation
        request = self.request.evolve(
            messages=given.messages, resource_url=given.url, name=given.title or None, modality=None
        )
        result = await take_in(request, told.goes_on)
        if isinstance(result, MemorizeResult) and given.warnings:
            return result.evolve(warnings=(*given.warnings, *result.warnings))
        return result

    async def _file(self, file: File, found: Sources, take_in: TakeIn, told: "_Told") -> MemorizeResult | Job:
        request = self.request.evolve(resource_url=file.entry.url)
        if file.packed:
            data = await asyncio.to_thread(self._bytes, file)
            known = await self._known(data, found)
            if known is not None:
                return MemorizeResult(resource=known, unchanged=True)
            request = request.evolve(data=data, name=file.entry.name.rpartition("/")[2])
        return await take_in(request, told.goes_on)

    async def _known(self, data: bytes, found: Sources) -> Resource | None:
        """Return what the same bytes were stored as out of another zip: an earlier export."""
        resources = self.runtime.store.resources
        same = {"content_hash": _core.bytes_hash(data), "status": "complete"}
        ids = await resources.ids(self.scope, same)
        kept = await resources.get(self.scope, ids)
        given = self.request.metadata
        return next(
            (
                one
                for one in kept.values()
                # What this zip holds itself is looked at in its turn: it may be another by now.
                if (one.url or "").startswith(ZIPPED) and one.url not in found.urls
                # What is said of it now, and is not on it, would be lost.
                if all(key in one.metadata and one.metadata[key] == given[key] for key in given)
            ),
            None,
        )


def _ours(settings: Settings) -> list[Path]:
    """Return where this memory keeps itself: what it holds is not taken in once more."""
    kept = [settings.database.path] if settings.database.backend == "sqlite" else []
    root = settings.blobs_root()
    kept += [root] if isinstance(root, Path) else []
    # Its configuration may hold keys.
    return [*kept, Path(settings.file)] if settings.file != UNNAMED else kept


def _left_out(file: File, error: MemuError) -> LeftOut:
    """Say why a file is not taken in; of one that nothing reads, not for each what would be read."""
    short = isinstance(error, UnsupportedModality) and file.entry.within and error.args
    return LeftOut(name=file.label, reason=str(error.args[0] if short else error))


class _Told:
    """Tells of one conversation or file."""

    def __init__(self, source: Source, place: int, total: int, progress: ImportProgress | None) -> None:
        self._event = ImportEvent(
            name=source.name if isinstance(source, LeftOut) else source.label, place=place, total=total
        )
        self._progress = progress or (lambda _: None)

    def begins(self) -> None:
        """Tell that it begins."""
        self._progress(self._event)

    def goes_on(self, event: ProgressEvent) -> None:
        """Tell how far it is."""
        self._progress(self._event.evolve(event=event))

    def ends(self, result: Result | LeftOut) -> None:
        """Tell what became of it."""
        self._progress(self._event.evolve(result=result))
