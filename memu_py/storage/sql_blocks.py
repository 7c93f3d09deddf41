"""Blocks over a database."""

from memu_py.records.block import Block
from memu_py.records.scope import Scope
from memu_py.storage import block_rows
from memu_py.storage.units import Units


class SqlBlocks:
    """`BlockStore` over a database.

    Args:
        units: where the units of work run.
    """

    def __init__(self, units: Units) -> None:
        self._units = units

    async def all(self, scope: Scope) -> list[Block]:
        """See `BlockStore.all`."""
        return await self._units.read_for(scope, lambda c: block_rows.load_blocks(c, scope))

    async def write(self, scope: Scope, block: Block, *, actor: str) -> Block:
        """See `BlockStore.write`."""
        return await self._units.write(scope, actor, lambda unit: block_rows.write_block(unit, block))

    async def delete(self, scope: Scope, block: Block, *, actor: str) -> None:
        """See `BlockStore.delete`."""
        await self._units.write(scope, actor, lambda unit: block_rows.delete_block(unit, block))
