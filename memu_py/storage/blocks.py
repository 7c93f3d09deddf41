"""The store's contract for blocks: small named texts of a user, or of one agent of a user."""

from collections.abc import Sequence
from typing import Protocol

from memu_py.records.block import Block
from memu_py.records.scope import Scope


class BlockStore(Protocol):
    """Blocks. Who may see and edit which of them is decided above: each method sees those of the partition."""

    async def all(self, scope: Scope) -> Sequence[Block]:
        """Return the blocks of the partition, in order of id."""
        ...

    async def write(self, scope: Scope, block: Block, *, actor: str) -> Block:
        """Write a block, new (its version is 1) or changed (its version is the one that was read), with its history.

        Raises:
            Conflict: it was changed, deleted or created by somebody else since it was read; read again and retry.
        """
        ...

    async def delete(self, scope: Scope, block: Block, *, actor: str) -> None:
        """Delete a block as it was read, with its history.

        Raises:
            Conflict: it was changed or deleted by somebody else since it was read.
        """
        ...
