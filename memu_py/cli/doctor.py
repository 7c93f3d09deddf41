"""`memu doctor`: what is configured, what works, what is missing."""

import asyncio
import dataclasses
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal

import typer
from rich.markup import escape
from rich.table import Table

from memu_py import __version__
from memu_py.cli.console import out, print_json
from memu_py.cli.options import Config, Json
from memu_py.cli.run import settings_of
from memu_py.config.find import find_config
from memu_py.config.settings import Settings
from memu_py.errors import MemuError, MissingKey, StoreError
from memu_py.service.service import MemoryService

State = Literal["ok", "missing", "wrong"]
COLORS = {"ok": "green", "missing": "yellow", "wrong": "red"}


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


def doctor(config: Config = None, json_: Json = False) -> None:
    """Look at every part; exit 1 when one is wrong."""
    findings = asyncio.run(_examine(config))
    if json_:
        print_json([dataclasses.asdict(one) for one in findings])
    else:
        table = Table(box=None, show_header=False, pad_edge=False)
        for one in findings:
            color = COLORS[one.state]
            table.add_row(f"[{color}]{one.state}[/]", f"[bold]{escape(one.what)}[/]", escape(one.detail))
        out.print(table)
    if any(one.state == "wrong" for one in findings):
        raise typer.Exit(1)


async def _examine(config: Path | None) -> list[Finding]:
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
        return findings + _models(settings)
    finally:
        await service.close()


async def _try(what: str, look: Callable[[], Awaitable[str]]) -> Finding:
    try:
        return Finding(what=what, state="ok", detail=await look())
    except MissingKey as error:
        return Finding(what=what, state="missing", detail=str(error))
    except MemuError as error:
        return Finding(what=what, state="wrong", detail=str(error))


async def _database(service: MemoryService, settings: Settings) -> str:
    stats = await service.stats()
    faults = await service.integrity()
    if faults:
        msg = f"{len(faults)} faults, the first: {faults[0]}"
        raise StoreError(msg)
    await service.sweep()
    place = "memory" if settings.database.backend == "memory" else str(settings.database.path)
    return f"{settings.database.backend} {place}: {stats.get('items', 0)} items"


async def _embedder(service: MemoryService) -> str:
    embedder, dimension = await service.try_embedder()
    return f"{embedder}, {dimension} dimensions"


def _models(settings: Settings) -> list[Finding]:
    if not settings.llm:
        return [
            Finding(
                what="model", state="missing", detail="none configured; `llm.default` in config.yaml adds one"
            )
        ]
    return [
        Finding(
            what=f"model {name}",
            state="ok" if profile.api_key else "missing",
            detail=f"{profile.provider} {profile.model}",
        )
        for name, profile in settings.llm.items()
    ]
