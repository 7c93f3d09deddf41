"""From the text of an answer to a value: strictly first, then by saving what can be saved."""

from collections.abc import Iterator

from pydantic import BaseModel

from memu_py.llm.fragments import answer_of, loose, outermost, values
from memu_py.llm.scanning import scan
from memu_py.llm.sifting import Reading, sift, sifted_lists

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
        if reading.value is not None and not reading.dropped:
            return reading
        if reading.rank > best.rank or (best is NOTHING and reading.faults):
            best = reading
    return best


def _readings(text: str, schema: type[BaseModel], *, whole: bool) -> Iterator[Reading]:
    sifted = bool(sifted_lists(schema))
    for found in values(text):
        # What stands inside something broken may be a part of it, and look like the whole.
        if found.whole or (whole and not sifted):
            yield sift(schema, found.data)
        elif sifted:
            yield sift(schema, found.data, wrap=False)
    if sifted:
        yield scan(schema, text, whole=whole)
    data = loose(outermost(text)) if whole else None
    if data is not None:
        yield sift(schema, data)
