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

from importlib.metadata import version as _version

from memu_py.errors import MemuError
from memu_py.records.hit import Hit
from memu_py.records.item import Item, ItemDraft
from memu_py.records.scope import Scope
from memu_py.service.results import MemorizeResult, RetrieveResult
from memu_py.service.service import MemoryService
from memu_py.service.sync import SyncMemoryService
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

__all__ = [
    "Hit",
    "Item",
    "ItemDraft",
    "MemorizeResult",
    "MemoryService",
    "MemuError",
    "RetrieveResult",
    "Scope",
    "StepContext",
    "SyncMemoryService",
    "step",
]

__version__ = _version("memu_py")
