"""Archive: what was found is put away, and what stands for it is written, in one transaction."""

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from memu_py.records.batch import Archival, Batch, Committed, StoredItem
from memu_py.records.forgotten import OF, Compressed, Fading, Maintained, MaintainRequest
from memu_py.records.link import Link
from memu_py.steps.memorize.refresh import unsay
from memu_py.steps.resources import MemoryResources
from memu_py.steps.stored import stored_items
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

ACTOR = "maintain"


class ArchiveConfig(BaseModel):
    """Nothing to set yet."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Archived(NamedTuple):
    """The output of the step.

    Attributes:
        archived: what is put away, or would be.
        put_away: what was written; None when nothing was.
    """

    archived: list[Fading]
    put_away: Committed | None


@step("archive", produces={"archived": list[Fading], "put_away": Committed | None})
async def archive(
    request: MaintainRequest,
    expired: list[Fading],
    faded: list[Fading],
    compressed: list[Compressed] | None = None,
    *,
    ctx: StepContext[MemoryResources],
    config: ArchiveConfig,
) -> Archived:
    """Put away what was found; a dry run only says what that would be. Summaries no longer say it.

    Raises:
        Conflict: one of the items was said again or changed meanwhile; the service runs the workflow again.
    """
    known = {one.item.id for one in expired}
    wanted = [*expired, *(one for one in faded if one.item.id not in known)]
    if request.dry_run or not wanted:
        return Archived(archived=wanted, put_away=None)
    given = [one for one in compressed or () if known.isdisjoint(one.of)]
    committed = await _commit(request, wanted, given, ctx)
    await unsay(request.scope, [one.item for one in wanted], ctx.resources)
    return Archived(archived=wanted, put_away=committed)


async def _commit(
    request: MaintainRequest,
    wanted: Sequence[Fading],
    given: Sequence[Compressed],
    ctx: StepContext[MemoryResources],
) -> Committed:
    resources, now = ctx.resources, ctx.clock()
    items = await _stored(given, resources)
    names = await resources.embed_names(one.item.entities for one in given)
    batch = Batch(
        run_id=ctx.run_id,
        actor=ACTOR,
        read_seq=await resources.store.seq(request.scope),
        items=tuple(items),
        links=tuple(
            Link(source_id=one.item.id, target_id=item_id, kind=OF) for one in given for item_id in one.of
        ),
        archivals=tuple(
            Archival(item_id=one.item.id, at=now, because=one.because, version=one.item.version)
            for one in wanted
        ),
        entity_vectors=names,
        summary=Maintained(dry_run=False, at=now, archived=tuple(wanted), compressed=tuple(given)).counts(),
        lease=resources.lease,
    )
    return await resources.store.commit(request.scope, batch)


async def _stored(given: Sequence[Compressed], resources: MemoryResources) -> list[StoredItem]:
    if not given:
        return []
    vectors = await resources.embed_passages([one.item.text for one in given])
    await resources.guard.record(vectors.shape[1])
    return stored_items([one.item for one in given], list(vectors))
