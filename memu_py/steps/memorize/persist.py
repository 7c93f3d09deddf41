"""Persist: everything that a memorize found is written in one transaction."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from memu_py.embedding.embedder import Matrix
from memu_py.modality.raw import Raw
from memu_py.records.batch import Batch, Committed, Reinforcement, StoredItem, Supersession
from memu_py.records.conversation import Kept
from memu_py.records.item import Item, ItemDraft
from memu_py.records.link import SUPERSEDES, Link
from memu_py.records.resource import Resource, Segment
from memu_py.records.scope import Scope
from memu_py.steps.memorize.intake import Intake
from memu_py.steps.memorize.outcomes import settle
from memu_py.steps.memorize.recheck import Rechecker
from memu_py.steps.originals import drop_blobs
from memu_py.steps.resources import MemoryResources
from memu_py.steps.stored import make_item, settled_relations, stored_items
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

ACTOR = "memorize"


class PersistConfig(BaseModel):
    """Nothing to set yet."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Persisted(NamedTuple):
    """The output of the step.

    Attributes:
        committed: what the transaction wrote.
        settled: the segments of this run with what became of them.
        repeated: another call with the same run id was first, and nothing was written.
    """

    committed: Committed
    settled: list[Segment]
    repeated: bool


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class _Findings:
    """What the steps before found."""

    drafts: Sequence[ItemDraft]
    vectors: Mapping[str, Matrix]
    names: Mapping[str, Matrix]
    reinforcements: Sequence[Reinforcement]
    links: Sequence[Link]
    ends: Sequence[Supersession]


@step("persist", produces={"committed": Committed, "settled": list[Segment], "repeated": bool})
async def persist(
    intake: Intake,
    segments: list[Segment],
    drafts: list[ItemDraft],
    vectors: dict[str, Matrix],
    reinforcements: list[Reinforcement],
    item_links: list[Link],
    scope: Scope,
    raw: Raw,
    category_links: list[Link] | None = None,
    entity_vectors: dict[str, Matrix] | None = None,
    supersessions: list[Supersession] | None = None,
    holders: dict[str, str] | None = None,
    citing: dict[str, list[int]] | None = None,
    *,
    ctx: StepContext[MemoryResources],
    config: PersistConfig,
) -> Persisted:
    """Write the original, then resource, segments, items, links and log at once; or nothing when all is known.

    Raises:
        Conflict: somebody else changed the resource meanwhile; the service runs the workflow again.
    """
    if intake.unchanged:
        committed = Committed(
            resource=intake.resource, added=(), reinforced=(), replaced={}, seq=intake.read_seq
        )
        return Persisted(committed=committed, settled=[], repeated=False)
    known = {draft.id for draft in drafts}
    links = [*item_links, *(link for link in category_links or () if link.source_id in known)]
    findings = _Findings(
        drafts=drafts,
        vectors=vectors,
        names=entity_vectors or {},
        reinforcements=reinforcements,
        links=links,
        ends=supersessions or (),
    )
    if vectors:
        await ctx.resources.guard.record(len(next(iter(vectors.values()))))
    settled = settle(segments, drafts, reinforcements, holders=holders or {}, citing=citing or {})
    async with ctx.resources.originals.of(scope):
        blob = await ctx.resources.blobs.put(scope.partition_hash, intake.content)
        batch = _batch(intake, blob, settled, findings, scope, ctx).evolve(kept=_kept(raw, ctx))
        recheck = Rechecker(same=ctx.resources.calibration.same, at=ctx.clock())
        committed = await ctx.resources.store.commit(scope, batch, recheck=recheck)
        if committed.freed:
            await drop_blobs(committed.freed, blobs=ctx.resources.blobs)
    repeated = _is_repeated(batch, committed)
    ctx.note(added=len(committed.added), reinforced=len(committed.reinforced), seq=committed.seq)
    return Persisted(committed=committed, settled=[] if repeated else settled, repeated=repeated)


def _kept(raw: Raw, ctx: StepContext[MemoryResources]) -> Kept | None:
    """Return the conversation whose messages this transaction marks: in another database it cannot."""
    own = ctx.resources.conversations is ctx.resources.store.conversations
    return raw.kept if own else None


def _is_repeated(batch: Batch, committed: Committed) -> bool:
    """Tell whether the store knew the run already: it then says which resource it wrote, and nothing else."""
    wanted = bool(batch.items or batch.reinforcements)
    other = committed.resource is None or (batch.resource and committed.resource.id != batch.resource.id)
    return bool(other) or (wanted and not (committed.added or committed.reinforced or committed.replaced))


def _batch(
    intake: Intake,
    blob: str,
    settled: Sequence[Segment],
    findings: _Findings,
    scope: Scope,
    ctx: StepContext[MemoryResources],
) -> Batch:
    items = _items(findings, scope, ctx)
    edited = _ends(intake, [stored.item for stored in items], findings.reinforcements, ctx)
    ends = (*edited, *findings.ends)
    return Batch(
        run_id=ctx.run_id,
        actor=ACTOR,
        read_seq=intake.read_seq,
        resource=_finished(intake.resource.evolve(blob=blob), settled),
        segments=tuple(settled),
        moves=intake.moves,
        items=tuple(items),
        reinforcements=tuple(findings.reinforcements),
        supersessions=ends,
        entity_vectors=findings.names,
        links=(
            *findings.links,
            *(Link(source_id=end.by, target_id=end.item_id, kind=SUPERSEDES) for end in ends if end.by),
        ),
        lease=ctx.resources.lease,
    )


def _finished(resource: Resource, settled: Sequence[Segment]) -> Resource:
    """A resource is complete when none of its segments failed; a partial one goes on when it is memorized again."""
    failed = sum(segment.outcome == "failed" for segment in settled)
    if not failed:
        return resource.evolve(status="complete", reason=None)
    return resource.evolve(status="partial", reason=f"{failed} of {len(settled)} new segments failed")


def _items(findings: _Findings, scope: Scope, ctx: StepContext[MemoryResources]) -> list[StoredItem]:
    now = ctx.clock()
    items = [make_item(draft, scope, now) for draft in settled_relations(findings.drafts, ctx.resources)]
    return stored_items(items, [findings.vectors[item.id] for item in items])


def _ends(
    intake: Intake,
    items: Sequence[Item],
    reinforcements: Sequence[Reinforcement],
    ctx: StepContext[MemoryResources],
) -> tuple[Supersession, ...]:
    """End the items of edited or removed segments, each by the item that its new text made or reinforced."""
    places = {(source.resource_id, source.ordinal): item.id for item in items for source in item.sources}
    for one in reinforcements:
        places |= {(source.resource_id, source.ordinal): one.item_id for source in one.sources}
    resource_id = intake.resource.id
    return tuple(
        Supersession(item_id=item_id, at=ctx.clock(), by=places.get((resource_id, ordinal)))
        for item_id, ordinal in intake.ended.items()
    )
