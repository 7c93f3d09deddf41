"""Work on several things at once."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


async def side_by_side(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Do all of them at once, and return what they gave, in order.

    Raises:
        BaseException: that of the first one that fails; it stops the others.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in works]
    except BaseExceptionGroup as several:
        # The first one stopped the others, and says why.
        raise several.exceptions[0] from None
    return [task.result() for task in tasks]
