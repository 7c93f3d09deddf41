"""What a call may see: its scope, with the agents whose memory its own agent was granted."""

from memu_py.errors import NotFound, OutsideScope
from memu_py.records.grant import Right
from memu_py.records.item import Item
from memu_py.records.scope import Scope
from memu_py.service.runtime import Runtime


async def to_read(runtime: Runtime, scope: Scope) -> Scope:
    """Open the store, and return a scope with what its agent may read.

    A scope that names no agent sees those of all agents anyway. A grant is not handed on: what an agent was granted is
    not part of what it grants.
    """
    return await _granted(runtime, scope, "read")


async def to_write(runtime: Runtime, scope: Scope) -> Scope:
    """Open the store, and return a scope with what its agent may change; what it writes anew stays its own."""
    return await _granted(runtime, scope, "write")


async def _granted(runtime: Runtime, scope: Scope, right: Right) -> Scope:
    await runtime.open()
    if scope.user is None or scope.agent is None:
        return scope
    known = await runtime.reads.grants(scope)
    agents = (one.from_agent for one in known if one.to_agent == scope.agent and right in one.rights)
    return scope.evolve(granted=tuple(agents))


async def item_to_write(runtime: Runtime, scope: Scope, item_id: str) -> Item:
    """Return an item that a scope may change.

    Args:
        runtime: whose store it is in.
        scope: as `to_write` gave it.
        item_id: the item.

    Raises:
        NotFound: it is not in the scope.
        OutsideScope: the scope's agent may only read it.
    """
    items = runtime.store.items
    found = (await items.get(scope, [item_id])).get(item_id)
    if found is not None:
        return found
    other = (await items.get(await to_read(runtime, scope), [item_id])).get(item_id)
    if other is None:
        msg = f"no item {item_id!r} in this scope"
        raise NotFound(msg)
    msg = f"item {item_id} is of agent {other.scope.agent!r}, and {scope.agent!r} may read it, not write"
    raise OutsideScope(msg, hint="a person gives the right `write` by `grants.give`")
