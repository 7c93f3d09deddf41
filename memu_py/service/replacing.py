"""One new memory in the place of others, in one transaction."""

import dataclasses
from collections.abc import Sequence
from datetime import datetime

from memu_py.records.batch import Batch, Supersession
from memu_py.records.ids import new_id
from memu_py.records.item import Item, ItemDraft
from memu_py.records.link import SUPERSEDES, Link
from memu_py.records.record import Record
from memu_py.records.scope import Scope
from memu_py.service.new_items import ACTOR
from memu_py.service.runtime import Runtime
from memu_py.steps.memorize.refresh import unsay
from memu_py.steps.stored import make_item, stored_items


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Ended(Record):
    """An item whose place is taken.

    Attributes:
        item: as it is.
        at: when it stopped being true, UTC.
        reason: why, for its history.
    """

    item: Item
    at: datetime
    reason: str


async def replace(runtime: Runtime, scope: Scope, draft: ItemDraft, ended: Sequence[Ended]) -> Item:
    """Store a draft and end the items whose place it takes.

    Args:
        runtime: what the service runs on; open.
        scope: whose; the new item is stored in it.
        draft: what holds now; its fields are checked.
        ended: live items; none is allowed.

    Returns:
        The item that says it now: a live one that said the same already is reinforced.

    Raises:
        Conflict: somebody else was first; try again.
    """
    resources = runtime.resources(scope)
    read_seq = await runtime.store.seq(scope)
    (vector,) = await resources.embed_passages([draft.text])
    names = await resources.embed_names([draft.entities])
    await resources.guard.record(vector.shape[0])
    item = make_item(draft, scope, runtime.clock())
    batch = Batch(
        run_id=new_id(),
        actor=ACTOR,
        read_seq=read_seq,
        items=tuple(stored_items([item], [vector])),
        supersessions=tuple(
            Supersession(item_id=one.item.id, at=one.at, by=item.id, reason=one.reason) for one in ended
        ),
        links=tuple(Link(source_id=item.id, target_id=one.item.id, kind=SUPERSEDES) for one in ended),
        entity_vectors=names,
    )
    committed = await runtime.store.commit(scope, batch)
    try:
        await unsay(scope, [one.item for one in ended], resources)
    finally:
        await runtime.settle(resources)
    held = committed.replaced.get(item.id, item.id)
    return next(one for one in (*committed.added, *committed.reinforced) if one.id == held)
