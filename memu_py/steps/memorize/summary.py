"""A summary by extraction: the most central items of a category, the newest first. Pure."""

from collections.abc import Sequence

import numpy as np

from memu_py.records.batch import StoredItem
from memu_py.records.cited import uncited

SEPARATOR = "\n"
RECOGNIZED = 60
"""Characters by which a text is recognised in a summary, where it may have been cut."""


def summarize(items: Sequence[StoredItem], *, max_chars: int) -> str:
    """Choose items by centrality (cosine to the mean vector) until the text is full, and write them newest first.

    Args:
        items: live items of one category, newest first.
        max_chars: length of the summary at most; the first item is cut to it when nothing fits.

    Returns:
        One item a line; an empty string for no items.
    """
    if not items:
        return ""
    vectors = np.stack([stored.vector for stored in items])
    centrality = vectors @ vectors.mean(axis=0)
    room = max_chars
    chosen: list[int] = []
    for place in np.argsort(-centrality, kind="stable").tolist():
        cost = len(_line(items[place])) + len(SEPARATOR)
        if cost <= room:
            chosen.append(place)
            room -= cost
    if not chosen:
        return _line(items[int(np.argmax(centrality))])[:max_chars]
    return SEPARATOR.join(_line(items[place]) for place in sorted(chosen))


def says(summary: str, text: str) -> bool:
    """Tell whether a summary holds a text, whole or cut."""
    return _shown(text)[:RECOGNIZED] in summary


def _line(stored: StoredItem) -> str:
    text = _shown(stored.item.text)
    return f"{stored.item.speaker}: {text}" if stored.item.speaker else text


def _shown(text: str) -> str:
    """Return a text as one line, and without what would be a citation of ours: nothing here cites."""
    return " ".join(uncited(text).split())
