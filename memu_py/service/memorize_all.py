"""Taking in all that is at a path."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Unpack

from memu_py.errors import InvalidInput
from memu_py.importers.survey import Survey
from memu_py.language.zones import zone
from memu_py.records.job import Job
from memu_py.records.request import MemorizeRequest
from memu_py.service.arguments import checks_arguments
from memu_py.service.importing import Import, ImportProgress, ImportResult
from memu_py.service.memorize import MemorizeMixin
from memu_py.service.metadata import check_metadata
from memu_py.service.results import MemorizeResult
from memu_py.service.runtime import Progress
from memu_py.service.scopes import ScopeKeys


@checks_arguments
class MemorizeAllMixin(MemorizeMixin):
    """Take in many things at once: exports of other programs, folders, zips."""

    async def survey(
        self,
        path: str | Path,
        *,
        importer: str | None = None,
        modality: str | None = None,
        timezone: str | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Survey:
        """Tell what `memorize_all` would find; nothing is stored, and the store is not opened.

        Args:
            path: a file, a folder or a zip.
            importer: takes only exports of this program, such as `chatgpt`; all else is left out.
            modality: what the files are; no exports are looked for then.
            timezone: zone of times that carry none.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: the path is empty, there is nothing in it, there is no such importer, or a zip is damaged,
                locked or too large.
            AccessDenied: it lies outside `blobs.allowed_roots`.
            NotFound: there is nothing at the path.
        """
        request = MemorizeRequest(modality=modality, timezone=timezone)
        return await self._import(path, request, importer, keys).survey()

    async def memorize_all(
        self,
        path: str | Path,
        *,
        importer: str | None = None,
        modality: str | None = None,
        infer: bool | None = None,
        metadata: Mapping[str, Any] | None = None,
        timezone: str | None = None,
        progress: ImportProgress | None = None,
        concurrency: int = 1,
        wait: bool = True,
        **keys: Unpack[ScopeKeys],
    ) -> ImportResult:
        """Remember all that is at a path: each conversation of an export, each other file, as a resource of its own.

        What fails does not stop the rest. Doing it again adds only what is new: after it was stopped, or with a newer
        export.

        Args:
            path: a file, a folder or a zip.
            importer: takes only exports of this program, such as `chatgpt`; all else is left out.
            modality: what the files are; no exports are looked for then.
            infer: as of `memorize`.
            metadata: kept on each resource and its items.
            timezone: zone of times that carry none.
            progress: called when one begins, with each progress event of it, and when it is done.
            concurrency: how many are taken in at once.
            wait: False writes each down as a job.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: the path is empty, there is nothing in it, there is no such importer, or a zip is damaged,
                locked or too large.
            AccessDenied: it lies outside `blobs.allowed_roots`.
            NotFound: there is nothing at the path.
        """
        if concurrency < 1:
            msg = f"concurrency is at least 1, not {concurrency}"
            raise InvalidInput(msg)
        request = MemorizeRequest(
            modality=modality, infer=infer, timezone=timezone, metadata=check_metadata(metadata)
        )
        work = self._import(path, request, importer, keys)
        await self._runtime.open()

        async def take_in(one: MemorizeRequest, told: Progress | None) -> MemorizeResult | Job:
            return await self._take_in(one, work.scope, progress=told if wait else None, wait=wait)

        return await work.run(take_in, progress=progress, concurrency=concurrency)

    def _import(
        self, path: str | Path, request: MemorizeRequest, importer: str | None, keys: ScopeKeys
    ) -> Import:
        if request.timezone is not None:
            zone(request.timezone)
        if not str(path).strip():
            # `Path("")` is the working directory, which nobody means.
            msg = "the path is empty"
            raise InvalidInput(msg, hint="is a variable not set? `.` is the working directory")
        return Import(
            runtime=self._runtime,
            scope=self._scopes.make(**keys),
            path=Path(path),
            request=request,
            importer=importer,
        )
