"""What a model is shown beside the turns that it reads: what is known already."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from memu_py.language.budget import count_tokens
from memu_py.records.cited import uncited
from memu_py.records.page import MAX_PAGE, Query
from memu_py.records.resource import Segment
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.steps.topics import describe, partition_categories, room_for_topics


async def known_memories(
    segments: Sequence[Segment], scope: Scope, resources: MemoryResources, *, count: int
) -> list[str]:
    """Return the texts of the live items that are nearest to any of the segments, nearest first.

    Args:
        segments: what is read.
        scope: whose items.
        resources: what the run works with.
        count: how many.
    """
    view = await resources.view(scope.owner)
    if not count or not segments or await view.is_empty():
        return []
    vectors = await resources.embed_passages([segment.text for segment in segments])
    best: dict[str, float] = {}
    for vector in np.ascontiguousarray(vectors):
        for item_id, cosine in await view.nearest(vector, count):
            if cosine >= resources.calibration.low:
                best[item_id] = max(cosine, best.get(item_id, -1.0))
    nearest = sorted(best, key=lambda item_id: (-best[item_id], item_id))[:count]
    items = await resources.store.items.get(scope.owner, nearest)
    return [items[item_id].text for item_id in nearest if item_id in items]


async def summaries(scope: Scope, resources: MemoryResources, *, tokens: int) -> list[str]:
    """Return the summaries of a partition's categories, those of most items first, within a budget.

    Args:
        scope: whose.
        resources: what the run works with.
        tokens: what all of them together may cost.
    """
    page = await resources.store.categories.page(scope.owner, Query(limit=MAX_PAGE))
    found: list[str] = []
    for category in sorted(page, key=lambda one: (-one.item_count, one.name)):
        line = f"{category.name}: {uncited(category.summary)}"
        tokens -= count_tokens(line)
        if category.summary and tokens >= 0:
            found.append(line)
    return found


async def topic_blocks(scope: Scope, resources: MemoryResources, now: datetime) -> dict[str, str]:
    """Return the topics that items may go to, each with what belongs in it, and how many new ones may be proposed."""
    categories = await partition_categories(scope, resources, now)
    room = room_for_topics(resources, len(categories))
    return {"topics": "\n".join(map(describe, categories)), "room": str(room) if room else ""}
