"""Looking at every part of a configured service."""

import asyncio
import dataclasses
import functools
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal

from memu_py import __version__
from memu_py.cli.run import settings_of
from memu_py.config.find import find_config
from memu_py.config.settings import Settings
from memu_py.errors import MemuError, MissingKey, ModelError, StoreError
from memu_py.service.service import MemoryService
from memu_py.steps.retrieve.rerank import RERANK

State = Literal["ok", "missing", "wrong"]
PATIENCE_S = 20.0
"""How long a model has to say a word, retries included."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing looked at.

    Attributes:
        what: the part.
        state: `missing` is needed only for some things, `wrong` for all.
        detail: what was found, or what to do.
    """

    what: str
    state: State
    detail: str


async def examine(config: Path | None) -> list[Finding]:
    """Look at the parts one by one; a fault of one does not hide the others.

    Args:
        config: the file named by `--config`.
    """
    findings = [Finding(what="memu", state="ok", detail=__version__)]
    try:
        settings = settings_of(config)
        found = find_config(config, os.environ, Path.cwd())
        findings.append(Finding(what="configuration", state="ok", detail=str(found or "packaged defaults")))
        service = MemoryService(settings)
    except MemuError as error:
        return [*findings, Finding(what="configuration", state="wrong", detail=str(error))]
    try:
        steps = {name: len(workflow.steps) for name, workflow in service.workflows.items()}
        detail = ", ".join(f"{name} ({count} steps)" for name, count in steps.items())
        findings.append(Finding(what="workflows", state="ok", detail=detail))
        findings.append(await _try("database", lambda: _database(service, settings)))
        findings.append(await _try("embedder", lambda: _embedder(service)))
        if settings.reranker.configured:
            findings.append(await _try("reranker", lambda: _reranker(service, settings)))
        return findings + await _models(service, settings)
    finally:
        await service.close()


async def _try(what: str, look: Callable[[], Awaitable[str]]) -> Finding:
    try:
        return Finding(what=what, state="ok", detail=await look())
    except MissingKey as error:
        return Finding(what=what, state="missing", detail=str(error))
    except MemuError as error:
        return Finding(what=what, state="wrong", detail=str(error))


def _is_to_come(settings: Settings) -> bool:
    return settings.database.backend == "sqlite" and not settings.database.path.exists()


async def _database(service: MemoryService, settings: Settings) -> str:
    if _is_to_come(settings):
        return f"sqlite {settings.database.path}: not there yet, the first memorize makes it"
    stats = await service.stats()
    faults = await service.integrity()
    if faults:
        msg = f"{len(faults)} faults, the first: {faults[0]}"
        raise StoreError(msg)
    swept = await service.sweep()
    place = f" {settings.database.path}" if settings.database.backend == "sqlite" else ""
    removed = f", {swept} unused originals removed" if swept else ""
    return f"{settings.database.backend}{place}: {stats.get('items', 0)} items{removed}"


async def _embedder(service: MemoryService) -> str:
    embedder, dimension = await service.try_embedder()
    return f"{embedder}, {dimension} dimensions"


async def _reranker(service: MemoryService, settings: Settings) -> str:
    await service.try_reranker()
    steps = [step.use for workflow in service.workflows.values() for step in workflow.steps]
    unused = "" if RERANK in steps else f"; no workflow names the step `{RERANK}`"
    return f"{settings.reranker.path or settings.reranker.model or settings.reranker.backend}{unused}"


async def _models(service: MemoryService, settings: Settings) -> list[Finding]:
    if not settings.llm:
        detail = "none configured; `llm.default` in config.yaml adds one"
        return [Finding(what="model", state="missing", detail=detail)]
    return [await _try(f"model {name}", functools.partial(_model, service, name)) for name in settings.llm]


async def _model(service: MemoryService, name: str) -> str:
    try:
        async with asyncio.timeout(PATIENCE_S):
            model = await service.try_model(name)
    except TimeoutError as error:
        msg = f"it did not answer within {PATIENCE_S:g} s"
        raise ModelError(msg, hint="a local model may still be loading; try again") from error
    return f"{model} answers"
