"""Keeping claims up with items: the change log tells which of them must be read again."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from memu_py.features.profile import read_claims
from memu_py.language.profile import RULES
from memu_py.language.zones import zone
from memu_py.records.facet import FacetClaim, FacetMark, Uttered
from memu_py.records.item import Item
from memu_py.records.scope import Scope
from memu_py.service.retry import ATTEMPTS
from memu_py.service.runtime import Runtime

PAGE = 2000
"""Items that are read at once."""
FAR = 500
"""Changes of other kinds than items after which the mark moves all the same."""


async def refresh(runtime: Runtime, scope: Scope) -> None:
    """Read the claims of items that changed since the last time; of all where the log does not tell.

    Two that do so at once read the same, and the mark lets the first one write: a process that dies in between has
    written nothing, and the next one reads again.

    Args:
        runtime: what the service runs on; open.
        scope: whose; claims are those of the whole partition.
    """
    store, owner = runtime.store, scope.owner
    local = runtime.settings.timezone_of(scope.user)
    rules = f"{RULES} {local}"
    for _ in range(ATTEMPTS):
        mark = await store.facets.mark(owner)
        seq = await store.seq(owner)
        if mark is not None and mark == FacetMark(seq=seq, rules=rules):
            return
        known = mark is not None and mark.rules == rules
        changed = await store.changed_items(owner, mark.seq) if mark is not None and known else None
        ids, seq = (None, seq) if changed is None else changed
        if mark is not None and ids == [] and seq - mark.seq < FAR:
            return
        claims = await _claims(runtime, owner, ids)
        new = FacetMark(seq=seq, rules=rules)
        if await store.facets.keep(owner, claims, ids=ids, mark=new, over=mark):
            return


async def began(runtime: Runtime, item: Item) -> datetime:
    """Return from when on an item says that something is so, by whatever is read from it.

    Args:
        runtime: what the service runs on; open.
        item: as it is stored.
    """
    claims = await _claims(runtime, item.scope.owner, [item.id])
    times = [item.said_at or item.created_at, *(claim.at for claim in claims)]
    return min([*times, item.happened.start] if item.happened else times)


async def _claims(runtime: Runtime, owner: Scope, ids: Sequence[str] | None) -> list[FacetClaim]:
    store = runtime.store
    wanted = sorted(await store.items.ids(owner)) if ids is None else list(ids)
    local = zone(runtime.settings.timezone_of(owner.user))
    found: list[FacetClaim] = []

    def read(part: Sequence[Uttered]) -> list[FacetClaim]:
        return [claim for one in part for claim in read_claims(one, user=owner.user, zone=local)]

    for start in range(0, len(wanted), PAGE):
        part = await store.facets.uttered(owner, wanted[start : start + PAGE])
        found += await asyncio.to_thread(read, part)
    return found
