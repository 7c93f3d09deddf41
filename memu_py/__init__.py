"""A memory that lasts for AI agents.

>>> import asyncio
>>> async def remember() -> str:
...     async with MemoryService({"database": {"backend": "memory"}}) as service:
...         await service.memorize(text="Ann likes black coffee.", user="ann")
...         result = await service.retrieve("What does Ann drink?", user="ann")
...         return result.items[0].record.text
>>> asyncio.run(remember())
'Ann likes black coffee.'
"""

import importlib
import typing
from importlib.metadata import version as _version

if typing.TYPE_CHECKING:
    from memu_py.client.client import AsyncMemoryClient, MemoryClient
    from memu_py.errors import MemuError
    from memu_py.importers.survey import Survey
    from memu_py.records.hit import Hit
    from memu_py.records.intent import Intent
    from memu_py.records.item import Item, ItemDraft
    from memu_py.records.job import Job
    from memu_py.records.scope import Scope
    from memu_py.service.importing import ImportResult
    from memu_py.service.results import MemorizeResult, RetrieveResult
    from memu_py.service.service import MemoryService
    from memu_py.service.sync import SyncMemoryService
    from memu_py.workflow.context import StepContext
    from memu_py.workflow.step import step

__all__ = [
    "AsyncMemoryClient",
    "Hit",
    "ImportResult",
    "Intent",
    "Item",
    "ItemDraft",
    "Job",
    "MemorizeResult",
    "MemoryClient",
    "MemoryService",
    "MemuError",
    "RetrieveResult",
    "Scope",
    "StepContext",
    "Survey",
    "SyncMemoryService",
    "step",
]

__version__ = _version("memu_py")

_HOMES = {
    "AsyncMemoryClient": "memu_py.client.client",
    "Hit": "memu_py.records.hit",
    "ImportResult": "memu_py.service.importing",
    "Intent": "memu_py.records.intent",
    "Item": "memu_py.records.item",
    "ItemDraft": "memu_py.records.item",
    "Job": "memu_py.records.job",
    "MemorizeResult": "memu_py.service.results",
    "MemoryClient": "memu_py.client.client",
    "MemoryService": "memu_py.service.service",
    "MemuError": "memu_py.errors",
    "RetrieveResult": "memu_py.service.results",
    "Scope": "memu_py.records.scope",
    "StepContext": "memu_py.workflow.context",
    "Survey": "memu_py.importers.survey",
    "SyncMemoryService": "memu_py.service.sync",
    "step": "memu_py.workflow.step",
}
"""Where the public names live. They are loaded when somebody asks: a plug-in with one step needs no service."""


def __getattr__(name: str) -> typing.Any:
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
