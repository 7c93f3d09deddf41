"""The bubbles of a chat: lines that stand together, and the side that each stands at."""

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from typing import Literal

from memu_py.pictures.chat_times import has_clock, is_time
from memu_py.pictures.layout import Group, Row, around, running
from memu_py.pictures.ocr import Line

Side = Literal["left", "right", "middle"]

LINE_GAP = 0.9
"""Lines of a bubble stand closer than this, in heights of a line."""
SIZE_STEP = 1.3
LEANING = 0.08
"""A bubble is nearer to its side than to the other by so much of the width."""
EDGE = 0.02
"""Edges of bubbles of one side differ by less, of the width."""
ALIGNED_SHARE = 0.7
MIDDLE_SHARE = 0.34
"""No more than this stands in the middle of a chat."""
OVERLAP = 0.3
"""Bubbles of two sides do not stand side by side: they share less of their heights."""
WIDEST = 0.9


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Bubble(Group):
    """Lines that stand together.

    Attributes:
        lines: from top to bottom.
        side: where they stand.
        is_time: whether they are a time.
    """

    side: Side = "middle"
    is_time: bool = False

    @property
    def width(self) -> int:
        """Of its text, in pixels."""
        return self.box[2] - self.box[0]

    def text(self, widest: int) -> str:
        """Return what it says; lines that were only wrapped are one.

        Args:
            widest: how wide the text of a bubble may be, in pixels.
        """
        return running([Row(lines=(line,)) for line in self.lines], edge=self.box[0] + widest)


def bubbles(lines: Sequence[Line], *, width: int) -> list[Bubble]:
    """Return the lines of a picture as bubbles, from top to bottom, each with its side.

    Args:
        lines: that were read.
        width: of the picture, in pixels.
    """
    found: list[list[Line]] = []
    for line in sorted(lines, key=lambda one: (one.box[1] + one.box[3], one.box[0])):
        home = next((group for group in reversed(found) if _belongs(line, group)), None)
        if home is None or is_time(line.text):
            found.append([line])
        else:
            home.append(line)
    made = [Bubble(lines=tuple(group), is_time=is_time(group[0].text)) for group in found]
    made.sort(key=lambda one: (one.box[1], one.box[0]))
    return _sided(made, width)


def _belongs(line: Line, group: Sequence[Line]) -> bool:
    last = group[-1]
    if is_time(last.text) or not -0.5 * last.height <= line.box[1] - last.box[3] <= LINE_GAP * last.height:
        return False
    small, large = sorted((line.height, last.height))
    left, _, right, _ = around(group)
    level = abs(line.box[0] - left) <= large or abs(line.box[2] - right) <= large
    return large <= SIZE_STEP * small and level


def _sided(made: Sequence[Bubble], width: int) -> list[Bubble]:
    sure = [one.evolve(side=_side(one, width)) for one in made]
    left = _edge([one for one in sure if one.side == "left" and not one.is_time], 0, width)
    right = _edge([one for one in sure if one.side == "right" and not one.is_time], 2, width)
    return [_settled(one, left, right, width) for one in sure]


def _side(one: Bubble, width: int) -> Side:
    left, right = one.box[0], width - one.box[2]
    if abs(left - right) <= LEANING * width:
        return "middle"
    return "left" if left < right else "right"


def _edge(found: Sequence[Bubble], corner: int, width: int) -> int | None:
    """Return the place that most bubbles of a side share an edge at; None without any."""
    places = [one.box[corner] for one in found]
    return max(places, key=lambda place: _near(places, place, width), default=None)


def _near(places: Sequence[int], place: int, width: int) -> int:
    return sum(abs(other - place) <= EDGE * width for other in places)


def _settled(one: Bubble, left: int | None, right: int | None, width: int) -> Bubble:
    """Give a bubble that fills the width the side whose edge it has."""
    if one.side != "middle" or one.is_time:
        return one
    at_left = left is not None and abs(one.box[0] - left) <= EDGE * width
    at_right = right is not None and abs(one.box[2] - right) <= EDGE * width
    if at_left == at_right:
        return one
    return one.evolve(side="left" if at_left else "right")


def is_two_sided(found: Sequence[Bubble], *, width: int) -> bool:
    """Tell whether bubbles are those of a chat: two sides in turn, each with its edge, and hardly anything else.

    Args:
        found: without the head of the picture.
        width: of the picture, in pixels.
    """
    said = [one for one in found if not one.is_time]
    left = [one for one in said if one.side == "left"]
    right = [one for one in said if one.side == "right"]
    if not left or not right or len(left) + len(right) < (1 - MIDDLE_SHARE) * len(said):
        return False
    if any(one.width > WIDEST * width for one in said):
        return False
    if not (_share_edge(left, 0, width) and _share_edge(right, 2, width)) or _side_by_side(left, right):
        return False
    return _takes_turns(
        left, right, said, clock=any(has_clock(line.text) for one in found for line in one.lines)
    )


def _takes_turns(
    left: Sequence[Bubble], right: Sequence[Bubble], said: Sequence[Bubble], *, clock: bool
) -> bool:
    sides = [one.side for one in said if one.side != "middle"]
    changes = sum(one != other for one, other in itertools.pairwise(sides))
    if clock:
        return changes >= 1
    return min(len(left), len(right)) >= 2 and changes >= 3


def _share_edge(side: Sequence[Bubble], corner: int, width: int) -> bool:
    places = [one.box[corner] for one in side]
    most = max(map(_counter(places, width), places))
    return most >= ALIGNED_SHARE * len(places)


def _counter(places: Sequence[int], width: int) -> Callable[[int], int]:
    return lambda place: _near(places, place, width)


def _side_by_side(left: Sequence[Bubble], right: Sequence[Bubble]) -> bool:
    return any(_share_rows(one, other) for one in left for other in right)


def _share_rows(one: Bubble, other: Bubble) -> bool:
    shared = min(one.box[3], other.box[3]) - max(one.box[1], other.box[1])
    return shared > OVERLAP * min(one.height, other.height)
