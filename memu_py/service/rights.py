"""What people have a right to: to take all that is theirs along, and to be forgotten."""

import io
from collections.abc import Sequence
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Unpack

from memu_py.errors import InvalidInput, InvalidScope
from memu_py.records.audit import AuditLine
from memu_py.records.exported import Exported, Imported
from memu_py.records.scope import Scope
from memu_py.service.arguments import checks_arguments
from memu_py.service.base import ServiceBase
from memu_py.service.exporting import Report, export
from memu_py.service.restoring import restore
from memu_py.service.retrieve import whole
from memu_py.service.scopes import ScopeKeys

LEFTOVER_AGE = timedelta(minutes=10)
"""A write of an original takes less; what is older was left by a process that died."""
MOST_LINES = 1000


def _silent(*_: object) -> None:
    return


@checks_arguments
class RightsMixin(ServiceBase):
    """Whole memories: exported, imported, forgotten."""

    async def export_user(
        self, path: str | Path, *, progress: Report | None = None, **keys: Unpack[ScopeKeys]
    ) -> Exported:
        """Write all that somebody has into files: rows, originals, history, jobs, caches; see docs/rights.md.

        Args:
            path: a folder that is not there, or a path that ends in `.zip`; it is there when all of it is.
            progress: called with a table, or `originals`, and how many of it are done; from other threads.
            **keys: whose memory: a user, or an agent or a session without a user; nothing narrower.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidScope: the scope is only a part of somebody's memory.
            InvalidInput: something is at the path already.
        """
        scope = self._whole(**keys)
        await self._runtime.open()
        # What was read of late counts, too.
        await self._runtime.accesses.flush()
        made_by = version("memu_py")
        return await export(self._runtime, scope, Path(path), made_by=made_by, report=progress or _silent)

    async def download_user(self, **keys: Unpack[ScopeKeys]) -> bytes:
        """Return what `export_user` writes, as the bytes of a zip; they are made in memory.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidScope: the scope is only a part of somebody's memory.
        """
        scope = self._whole(**keys)
        await self._runtime.open()
        await self._runtime.accesses.flush()
        file = io.BytesIO()
        await export(self._runtime, scope, file, made_by=version("memu_py"), report=_silent)
        return file.getvalue()

    async def import_user(
        self, path: str | Path, *, progress: Report | None = None, **keys: Unpack[ScopeKeys]
    ) -> Imported:
        """Read in what `export_user` wrote: all of it in one transaction, or nothing.

        Read in again, it changes nothing. Where another embedder made its vectors, they are made anew; those that were
        made before it was cut off are not made twice.

        Args:
            path: the folder or the zip.
            progress: as in `export_user`.
            **keys: who is to have it; whose it was when nobody is named, bound or configured.

        Raises:
            NotFound: nothing is there.
            InvalidInput: it is no export, damaged, or made by a newer version.
            InvalidScope: the scope is only a part of somebody's memory.
            Conflict: who is to have it has something already.
        """
        return await self._read_in(Path(path), progress or _silent, keys)

    async def upload_user(self, data: bytes, **keys: Unpack[ScopeKeys]) -> Imported:
        """Read in the bytes of a zip that `export_user` or `download_user` made; see `import_user`.

        Args:
            data: the zip.
            **keys: who is to have it; whose it was when nobody is named, bound or configured.

        Raises:
            InvalidInput: it is no export, damaged, or made by a newer version.
            InvalidScope: the scope is only a part of somebody's memory.
            Conflict: who is to have it has something already.
        """
        return await self._read_in(io.BytesIO(data), _silent, keys)

    async def _read_in(self, source: Path | io.BytesIO, report: Report, keys: ScopeKeys) -> Imported:
        scope = self._whole(**keys) if self._scopes.names(**keys) else None
        await self._runtime.open()
        return await restore(self._runtime, scope, source, report=report)

    async def forget_user(self, *, actor: str = "api", **keys: Unpack[ScopeKeys]) -> AuditLine:
        """Erase all that somebody has, wherever it lies: rows of every table, history, jobs, caches, originals, keys.

        What stays is one line that says when, by whom and how much, not whose or what. See docs/rights.md for
        what is out of reach, such as backups.

        Args:
            actor: who does it, for that line: nobody's name, if it is to tell nothing.
            **keys: whose memory: a user, or an agent or a session without a user; nothing narrower.

        Returns:
            The line that stays; its id is a receipt.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidScope: the scope is only a part of somebody's memory.
            StoreBusy: the rows are gone, but another process holds the file with their remains; forget again.
        """
        scope = self._whole(**keys)
        if not actor.strip():
            msg = "say who does it"
            raise InvalidInput(msg)
        await self._runtime.open()
        await self._runtime.accesses.flush()
        async with self._runtime.workers.paused(scope, "it is erased"), self._runtime.originals.of(scope):
            # First, so that nothing is memorized of them any more.
            if self._runtime.talks is not None:
                await self._runtime.talks.forget(scope, actor=actor)
            erased = await self._runtime.store.forget(scope, actor=actor)
            self._runtime.index.drop(scope)
            await self._drop_originals(scope, erased.blobs)
        if erased.line is None:  # pragma: no cover - a whole memory always leaves one
            raise AssertionError
        return erased.line

    async def _drop_originals(self, scope: Scope, named: Sequence[str]) -> None:
        """Remove all files of a partition: those that rows named, and those that a crash left without one."""
        blobs = self._runtime.blobs
        there = await blobs.keys()
        owner = f"{scope.partition_hash.hex()}/"
        await blobs.delete([*named, *(key for key in there if key.startswith(owner))])
        # What a broken write left has no owner in its name.
        nameless = [key for key in there if key.startswith(".")]
        await blobs.delete(nameless, written_before=self._runtime.clock() - LEFTOVER_AGE)

    async def audit(self, *, limit: int = 100) -> list[AuditLine]:
        """Return what is kept of erasures, of everybody: when, by whom, how much; newest first.

        Args:
            limit: lines at most, 1 to 1000.
        """
        whole("limit", limit, MOST_LINES)
        await self._runtime.open()
        return await self._runtime.store.rights.audit(limit)

    def _whole(self, **keys: Unpack[ScopeKeys]) -> Scope:
        scope = self._scopes.make(**keys)
        if scope.attributes:
            msg = f"this is about a whole memory, not a part of it: leave out {', '.join(scope.attributes)}"
            raise InvalidScope(msg)
        return scope
