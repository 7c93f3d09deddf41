"""Parts of a conversation that a model reads in one call."""

import dataclasses
from collections.abc import Callable, Sequence

from memu_py.language.budget import count_tokens
from memu_py.records.resource import Segment


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """Segments that belong together.

    Attributes:
        before: what was said right before, to understand the rest.
        own: what is worked on.
    """

    before: tuple[Segment, ...]
    own: tuple[Segment, ...]


def windows(
    segments: Sequence[Segment],
    *,
    budget: int,
    overlap: int,
    wanted: Callable[[Segment], bool],
    line: Callable[[Segment], str],
) -> list[Window]:
    """Cut segments into windows, so that several small ones share a call.

    Args:
        segments: of one resource, in order.
        budget: tokens of a window's own segments; one segment that is longer has a window to itself.
        overlap: segments before each window that are shown with it.
        wanted: tells which segments are worked on; the others are shown at most.
        line: how a segment is shown.
    """
    found: list[Window] = []
    own: list[Segment] = []
    spent, first = 0, 0
    for place, segment in enumerate(segments):
        if not wanted(segment):
            continue
        cost = count_tokens(line(segment))
        if own and spent + cost > budget:
            found.append(_window(segments, own, first, overlap))
            own, spent = [], 0
        if not own:
            first = place
        own.append(segment)
        spent += cost
    if own:
        found.append(_window(segments, own, first, overlap))
    return found


def _window(segments: Sequence[Segment], own: Sequence[Segment], first: int, overlap: int) -> Window:
    return Window(before=tuple(segments[max(first - overlap, 0) : first]), own=tuple(own))
