"""Going through something that blocks, such as files, from an event loop."""

import asyncio
from collections.abc import Iterable
from typing import Generic, Self, TypeVar

T = TypeVar("T")


class OffLoop(Generic[T]):
    """Goes through pieces in a thread, and numbers them from 1.

    Several tasks may go through the same one: each piece comes to one of them.

    Args:
        pieces: made as they are needed, one at a time.
    """

    def __init__(self, pieces: Iterable[T]) -> None:
        self._pieces = enumerate(pieces, start=1)
        self._turn = asyncio.Lock()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> tuple[int, T]:
        async with self._turn:
            one = await asyncio.to_thread(next, self._pieces, None)
        if one is None:
            raise StopAsyncIteration
        return one
