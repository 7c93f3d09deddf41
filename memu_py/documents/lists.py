"""Lists, whose points readers find one by one."""

import itertools
from collections.abc import Iterable, Iterator

from memu_py.modality.blocks import Block


def as_lists(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks, with the points that follow each other as one list, a line for each."""
    for is_list, run in itertools.groupby(blocks, key=lambda one: one.kind == "list"):
        part = list(run)
        yield from [part[0].evolve(text="\n".join(one.text for one in part))] if is_list else part
