"""The layer that lets interceptors see, refuse and change what models are asked."""

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from memu_py.llm.backend import Answerer, ChatRequest
from memu_py.llm.chat import ChatAnswer
from memu_py.workflow.context import CURRENT
from memu_py.workflow.interceptor import Call, Interceptor, intercept

CHAT = "chat"
"""The kind of these calls. Their payload: `messages`, `schema`, `temperature`, `max_tokens`; their result: a
`ChatAnswer`."""

MS = 1000.0
AMENDABLE = ("messages", "temperature", "max_tokens")
"""What an interceptor may change. The schema is what the step has to understand, and stays."""


class InterceptedChat:
    """Puts interceptors around the answers of the layers inside, those of the cache included.

    Args:
        inner: answers.
        interceptors: outermost first.
        name: the profile's name.
        labels: where the calls belong: `purpose` and `model`.
        timer: seconds that only grow.
    """

    def __init__(
        self,
        inner: Answerer,
        interceptors: Sequence[Interceptor],
        *,
        name: str,
        labels: Mapping[str, str],
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._inner = inner
        self._interceptors = tuple(interceptors)
        self._name = name
        self._labels = labels
        self._timer = timer

    async def answer(self, request: ChatRequest) -> ChatAnswer[Any]:
        """Answer a request; see `ChatModel.chat`."""
        payload = {name: getattr(request, name) for name in (*AMENDABLE, "schema")}
        call = Call(
            kind=CHAT,
            name=self._name,
            payload=MappingProxyType(payload),
            labels=MappingProxyType({**self._labels, **_place()}),
            amendable=True,
        )

        async def work(amended: Call) -> ChatAnswer[Any]:
            changes = {name: amended.payload[name] for name in AMENDABLE}
            changes["messages"] = tuple(changes["messages"])
            began = self._timer()
            answer = await self._inner.answer(dataclasses.replace(request, **changes))
            return dataclasses.replace(answer, ms=(self._timer() - began) * MS)

        return await intercept(call, self._interceptors, work)


def _place() -> dict[str, str]:
    step = CURRENT.get()
    if step is None:
        return {}
    return {"run_id": step.run_id, "workflow": step.workflow, "step": step.step}
