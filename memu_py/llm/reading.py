"""From the text of an answer to a value: strictly first, then by saving what can be saved."""

from collections.abc import Iterator

from pydantic import BaseModel

from memu_py.llm.fragments import answer_of, loose, outermost, values
from memu_py.llm.scanning import scan
from memu_py.llm.sifting import MAX_FAULTS, Reading, sift, sifted_lists

NOTHING = Reading(faults=("there is no JSON in it",))


def read(text: str, schema: type[BaseModel], *, whole: bool = True) -> Reading:
    """Read an answer.

    Thoughts before it, fences and prose around it, and faults of form do not matter. Of `SIFTED` lists every record
    that fits is kept, also from an answer that was cut off; what is lost is counted. A value that was cut off in its
    middle is never taken for whole.

    Args:
        text: as the model wrote it.
        schema: what it should be.
        whole: whether the model came to its end.

    Returns:
        The best reading; without a value when nothing fits.
    """
    best = NOTHING
    for reading in _readings(answer_of(text), schema, whole=whole):
        best = _better(best, reading)
        if best.value is not None and not best.dropped:
            break
    return best


def _readings(text: str, schema: type[BaseModel], *, whole: bool) -> Iterator[Reading]:
    sifted = bool(sifted_lists(schema))
    for found in values(text):
        # What stands inside something broken may be a part of it, and look like the whole.
        if found.whole or (whole and not sifted):
            yield sift(schema, found.data)
        elif sifted:
            yield sift(schema, found.data, wrap=False)
    scanned = scan(schema, text, whole=whole) if sifted else NOTHING
    yield scanned
    # Mending the whole may change what is sound; what was saved record by record is as it was said.
    data = loose(outermost(text)) if whole and not scanned.kept else None
    if data is not None:
        yield _owning_up(sift(schema, data), scanned)


def _better(best: Reading, other: Reading) -> Reading:
    if other.rank != best.rank:
        return max(best, other, key=lambda one: one.rank)
    tells_more = (
        other.value is None and bool(other.faults) and (best is NOTHING or other.dropped > best.dropped)
    )
    return other if tells_more else best


def _owning_up(mended: Reading, scanned: Reading) -> Reading:
    """Return a reading of a mended text that counts what the mending lost."""
    lost = scanned.kept + scanned.dropped - mended.kept
    if lost <= mended.dropped:
        return mended
    faults = (*mended.faults, *scanned.faults)[:MAX_FAULTS]
    return Reading(value=mended.value if mended.kept else None, kept=mended.kept, dropped=lost, faults=faults)
