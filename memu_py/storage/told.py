"""What a job's run did, kept with the run: whoever finishes the job after a crash tells the same."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from memu_py.records.batch import Batch
from memu_py.records.resource import Segment
from memu_py.storage.resolution import Resolution


def told(batch: Batch, resolution: Resolution) -> dict[str, Any]:
    """Return counts and what became of each message, without a word of what they say."""
    resource_id = batch.resource.id if batch.resource else ""
    segments = resolution.outcomes(resource_id, batch.segments)
    counts = Counter(segment.outcome for segment in segments)
    return {
        "unchanged": False,
        "added": len(resolution.added),
        "reinforced": len(resolution.reinforced),
        "skipped": counts["skipped"],
        "failed": counts["failed"],
        "outcomes": _outcomes(segments),
    }


def _outcomes(segments: Sequence[Segment]) -> list[dict[str, Any]]:
    found = []
    for segment in segments:
        name = "item_id" if segment.outcome in ("stored", "reinforced") else "reason"
        found.append({"ordinal": segment.ordinal, "status": segment.outcome, name: segment.reason})
    return found
