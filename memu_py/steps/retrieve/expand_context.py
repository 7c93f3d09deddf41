"""Expand the best hits by what was said right before and after them, so that a reader gets the exchange."""

import dataclasses
from collections.abc import Iterable, Sequence
from datetime import date

from pydantic import BaseModel, ConfigDict, Field

from memu_py.records.hit import Hit
from memu_py.records.item import Item, Source
from memu_py.records.passage import Passage
from memu_py.records.request import RetrieveRequest
from memu_py.records.resource import Segment
from memu_py.records.scope import Scope
from memu_py.steps.memorize.assess_value import ASKED
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step


class ExpandContextConfig(BaseModel):
    """How far to look."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    hits: int = Field(default=5, ge=0, le=100, description="the best hits that are expanded")
    before: int = Field(default=1, ge=0, le=20, description="segments before each")
    after: int = Field(default=1, ge=0, le=20, description="segments after each")


@dataclasses.dataclass(kw_only=True, slots=True)
class _Window:
    """Ordinals of one resource from the first to the last, and the hits in them."""

    resource_id: str
    first: int
    last: int
    sources: dict[str, Source]

    def touches(self, other: "_Window") -> bool:
        near = self.first <= other.last + 1 and other.first <= self.last + 1
        return self.resource_id == other.resource_id and near

    def take(self, other: "_Window") -> None:
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)
        self.sources |= other.sources


@step("expand_context", produces={"passages": list[Passage]})
async def expand_context(
    request: RetrieveRequest,
    scope: Scope,
    hits: list[Hit[Item]],
    *,
    ctx: StepContext[MemoryResources],
    config: ExpandContextConfig,
) -> list[Passage]:
    """Give each of the best hits the segments around it, joined where they touch, the best first.

    A neighbour is shown if it was said on the same day, and if it made an item that still holds, or asked a question.
    What was deleted does not come back in the company of others. Segments tell of now: of another time there are none.
    """
    if "item" not in request.layers or request.of_then:
        return []
    passages = []
    for window in _joined(_windows(hits[: config.hits], config)):
        segments = await ctx.resources.reads.passage(scope, window.resource_id, window.first, window.last)
        places = {source.ordinal for source in window.sources.values()}
        days = {source.said_at.date() for source in window.sources.values() if source.said_at}
        shown = [one for one in segments if one.ordinal in places or _is_worth_it(one, days)]
        if len(shown) > len(places):
            found = Passage(
                resource_id=window.resource_id, segments=tuple(shown), item_ids=tuple(window.sources)
            )
            passages.append(found)
    ctx.note(passages=len(passages))
    return passages


def _windows(hits: Sequence[Hit[Item]], config: ExpandContextConfig) -> Iterable[_Window]:
    for hit in hits:
        source = next(iter(hit.record.sources), None)
        if source is not None and source.ordinal >= 0:
            yield _Window(
                resource_id=source.resource_id,
                first=max(source.ordinal - config.before, 0),
                last=source.ordinal + config.after,
                sources={hit.record.id: source},
            )


def _joined(windows: Iterable[_Window]) -> list[_Window]:
    """Join windows that touch; each stands where the best of its hits stood."""
    joined: list[_Window] = []
    for window in windows:
        touching = [other for other in joined if other.touches(window)]
        if not touching:
            joined.append(window)
            continue
        first, *others = touching
        for other in (window, *others):
            first.take(other)
        joined = [one for one in joined if one not in others]
    return joined


def _is_worth_it(segment: Segment, days: set[date]) -> bool:
    same_day = segment.said_at is None or not days or segment.said_at.date() in days
    return same_day and (segment.outcome != "skipped" or segment.reason == ASKED)
