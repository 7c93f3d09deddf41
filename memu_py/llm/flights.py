"""Questions under way: who asks the same meanwhile waits for the answer, and makes no request of its own."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, NamedTuple

from memu_py.errors import ModelError
from memu_py.llm.chat import ChatAnswer

Outcome = ChatAnswer[Any] | ModelError | None
"""What became of a question; None where the one who asked has left without an answer."""


class Joined(NamedTuple):
    """An answer, and how it was got.

    Attributes:
        answer: of the model.
        shared: whether another question brought it.
    """

    answer: ChatAnswer[Any]
    shared: bool


class Flights:
    """The questions of a process that are under way.

    The first one who asks makes the request, in a run, a budget and a trace of its own. One who leaves takes nobody
    along: when it is the first, the next of those who wait asks in its place.
    """

    def __init__(self) -> None:
        self._under_way: dict[Hashable, asyncio.Future[Outcome]] = {}

    async def join(self, key: Hashable, ask: Callable[[], Awaitable[ChatAnswer[Any]]]) -> Joined:
        """Return the answer to a question, of one's own or of an equal one.

        Args:
            key: what makes two questions equal, and whose they are.
            ask: makes the request.

        Raises:
            ModelError: the model failed whoever asked; each gets an error of its own.
        """
        while (flight := self._under_way.get(key)) is not None:
            # Shielded: a future that is awaited is cancelled with the one who waits.
            outcome = await asyncio.shield(flight)
            if isinstance(outcome, ModelError):
                raise _twin(outcome) from outcome.__cause__
            if outcome is not None:
                return Joined(outcome, shared=True)
        return Joined(await self._lead(key, ask), shared=False)

    async def _lead(self, key: Hashable, ask: Callable[[], Awaitable[ChatAnswer[Any]]]) -> ChatAnswer[Any]:
        flight = self._under_way[key] = asyncio.get_running_loop().create_future()
        outcome: Outcome = None
        try:
            outcome = answer = await ask()
        except ModelError as error:
            outcome = _twin(error)
            raise
        finally:
            del self._under_way[key]
            flight.set_result(outcome)
        return answer


def _twin(error: ModelError) -> ModelError:
    """Return an equal error: traces and notes that one run hangs on its own are not those of another."""
    twin = type(error).__new__(type(error), *error.args)
    twin.__dict__.update(error.__dict__)
    twin.__cause__ = error.__cause__
    return twin
