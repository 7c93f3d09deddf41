"""Which places of two sequences belong together: the algorithm under `alignment`, on plain keys."""

import bisect
import difflib
from collections import Counter
from collections.abc import Hashable, Sequence

Pairs = list[tuple[int, int]]
"""Places that belong together, rising on both sides."""

EXACT_PRODUCT = 4_000_000
"""Up to this product of lengths the longest common runs are searched at once; beyond it, first between what occurs once
in both sequences, or time would grow with the square."""
PAIRING_PRODUCT = 10_000
"""Up to this product of lengths texts are compared each with each; beyond it only those at the same place."""

_GRAM = 2


def matches(old: Sequence[Hashable], new: Sequence[Hashable]) -> Pairs:
    """Return the places of equal keys, by common beginning and end, then by longest common runs.

    A sequence that the other holds in one piece is found whole.

    >>> matches("abcd", "bcdx")
    [(1, 0), (2, 1), (3, 2)]
    """
    whole = _window(old, new)
    if whole is not None:
        return [(whole + place, place) for place in range(len(new))]
    head = _common_head(old, new)
    tail = _common_tail(old[head:], new[head:])
    middle = _runs(old[head : len(old) - tail], new[head : len(new) - tail])
    return [
        *((place, place) for place in range(head)),
        *((head + left, head + right) for left, right in middle),
        *((len(old) - back, len(new) - back) for back in range(tail, 0, -1)),
    ]


def gaps(pairs: Pairs, old_length: int, new_length: int) -> list[tuple[range, range]]:
    """Return the stretches between matched places in which at least one side has something."""
    found: list[tuple[range, range]] = []
    left = right = 0
    for old, new in [*pairs, (old_length, new_length)]:
        if old > left or new > right:
            found.append((range(left, old), range(right, new)))
        left, right = old + 1, new + 1
    return found


def similarity(one: str, other: str) -> float:
    """Return how alike two texts are, 0 to 1: Dice's coefficient over pairs of neighbouring characters.

    >>> similarity("The train leaves at noon.", "The train leaves at nine.") > 0.8
    True
    """
    return _dice(_grams(one), _grams(other))


def similar_pairs(old: Sequence[str], new: Sequence[str], *, least: float) -> Pairs:
    """Pair texts that are alike, in order, so that the sum of their likeness is greatest.

    Args:
        old: some texts.
        new: other texts.
        least: the least likeness of a pair.
    """
    left, right = [_grams(text) for text in old], [_grams(text) for text in new]
    if len(old) * len(new) > PAIRING_PRODUCT:
        same_place = (
            (place, _dice(one, other)) for place, (one, other) in enumerate(zip(left, right, strict=False))
        )
        return [(place, place) for place, likeness in same_place if likeness >= least]
    likeness = [[_dice(one, other) for other in right] for one in left]
    return _best_path(likeness, least)


def _window(whole: Sequence[Hashable], part: Sequence[Hashable]) -> int | None:
    """Where the part last stands in the whole in one piece (Knuth, Morris and Pratt); None when it does not."""
    if not part or len(part) > len(whole):
        return None
    back = _borders(part)
    found, length = None, 0
    for place, key in enumerate(whole):
        while length and (length == len(part) or part[length] != key):
            length = back[length - 1]
        if part[length] == key:
            length += 1
        if length == len(part):
            found = place - length + 1
    return found


def _borders(keys: Sequence[Hashable]) -> list[int]:
    back = [0] * len(keys)
    length = 0
    for place in range(1, len(keys)):
        while length and keys[place] != keys[length]:
            length = back[length - 1]
        if keys[place] == keys[length]:
            length += 1
        back[place] = length
    return back


def _common_head(old: Sequence[Hashable], new: Sequence[Hashable]) -> int:
    for place, (one, other) in enumerate(zip(old, new, strict=False)):
        if one != other:
            return place
    return min(len(old), len(new))


def _common_tail(old: Sequence[Hashable], new: Sequence[Hashable]) -> int:
    return _common_head(old[::-1], new[::-1])


def _runs(old: Sequence[Hashable], new: Sequence[Hashable]) -> Pairs:
    if not old or not new:
        return []
    if len(old) * len(new) <= EXACT_PRODUCT:
        return _longest_runs(old, new, exact=True)
    anchors = _anchors(old, new)
    between = (
        (left.start + a, right.start + b)
        for left, right in gaps(anchors, len(old), len(new))
        for a, b in _between(old[left.start : left.stop], new[right.start : right.stop])
    )
    return sorted([*anchors, *between])


def _between(old: Sequence[Hashable], new: Sequence[Hashable]) -> Pairs:
    return _longest_runs(old, new, exact=len(old) * len(new) <= EXACT_PRODUCT)


def _longest_runs(old: Sequence[Hashable], new: Sequence[Hashable], *, exact: bool) -> Pairs:
    """Longest common runs; inexactly, what occurs very often only extends runs that something rarer began."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=not exact)
    return [
        (run.a + place, run.b + place) for run in matcher.get_matching_blocks() for place in range(run.size)
    ]


def _anchors(old: Sequence[Hashable], new: Sequence[Hashable]) -> Pairs:
    """Pair what occurs once in both, as many as stand in the same order (Cohen's patience diff)."""
    once_old = {key for key, count in Counter(old).items() if count == 1}
    once = {key for key, count in Counter(new).items() if count == 1} & once_old
    place_of = {key: place for place, key in enumerate(new) if key in once}
    pairs = [(place, place_of[key]) for place, key in enumerate(old) if key in once]
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for place, (_, right) in enumerate(pairs):
        length = bisect.bisect_left(ends, right)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [right]
        last[length : length + 1] = [place]
    found: Pairs = []
    place = last[-1] if last else -1
    while place >= 0:
        found.append(pairs[place])
        place = before[place]
    return found[::-1]


def _grams(text: str) -> Counter[str]:
    plain = " ".join(text.casefold().split())
    return Counter(plain[place : place + _GRAM] for place in range(max(1, len(plain) - 1)))


def _dice(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def _best_path(likeness: Sequence[Sequence[float]], least: float) -> Pairs:
    height, width = len(likeness), len(likeness[0]) if likeness else 0
    best = [[0.0] * (width + 1) for _ in range(height + 1)]
    for row in reversed(range(height)):
        for column in reversed(range(width)):
            paired = (
                likeness[row][column] + best[row + 1][column + 1] if likeness[row][column] >= least else 0.0
            )
            best[row][column] = max(paired, best[row + 1][column], best[row][column + 1])
    pairs: Pairs = []
    row = column = 0
    while row < height and column < width:
        if best[row][column] == best[row + 1][column]:
            row += 1
        elif best[row][column] == best[row][column + 1]:
            column += 1
        else:
            pairs.append((row, column))
            row, column = row + 1, column + 1
    return pairs
