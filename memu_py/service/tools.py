"""What is remembered of tools."""

from typing import Unpack

from memu_py.records.item import Item
from memu_py.records.page import MAX_PAGE, Query
from memu_py.records.tool import TOOL, ToolMemory, ToolUse
from memu_py.service.arguments import checks_arguments
from memu_py.service.base import ServiceBase
from memu_py.service.scopes import ScopeKeys


@checks_arguments
class ToolsMixin(ServiceBase):
    """How tools have served an agent."""

    async def tools(self, **keys: Unpack[ScopeKeys]) -> list[ToolMemory]:
        """Return the tools of which items of the type `tool` tell, those used most first.

        Args:
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Returns:
            Each with its success rate, time and tokens, and what was learnt about it. Items that name no tool are left
            out.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        found: dict[str, list[tuple[ToolUse, Item]]] = {}
        cursor: str | None = None
        while True:
            query = Query(where={"type": TOOL}, descending=True, limit=MAX_PAGE, cursor=cursor)
            page = await self._runtime.store.items.page(scope, query)
            for item in page:
                use = ToolUse.of(item.metadata)
                if use is not None:
                    found.setdefault(use.name.casefold(), []).append((use, item))
            cursor = page.next_cursor
            if cursor is None:
                break
        tools = [_memory(pairs) for pairs in found.values()]
        return sorted(tools, key=lambda tool: (-tool.use.uses, tool.use.name.casefold()))


def _memory(pairs: list[tuple[ToolUse, Item]]) -> ToolMemory:
    total, *others = (use for use, _ in pairs)
    for use in others:
        total += use
    return ToolMemory(use=total, items=tuple(item for _, item in pairs))
