"""The outermost layer: what a step holds as its `ChatModel`."""

from collections.abc import Sequence
from typing import Any, overload

from pydantic import BaseModel

from memu_py.errors import InvalidInput
from memu_py.llm.backend import Answerer, ChatRequest
from memu_py.llm.chat import ChatAnswer, M, Message, OnText


class Chat:
    """A `ChatModel` over layers.

    Args:
        answerer: the outermost layer.
        temperature: where a call names none.
        max_tokens: where a call names none.
    """

    def __init__(
        self, answerer: Answerer, *, temperature: float | None = None, max_tokens: int | None = None
    ) -> None:
        self._answerer = answerer
        self._temperature = temperature
        self._max_tokens = max_tokens

    @overload
    async def chat(
        self,
        messages: Sequence[Message],
        schema: None = None,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        on_text: OnText | None = None,
    ) -> ChatAnswer[None]: ...

    @overload
    async def chat(
        self,
        messages: Sequence[Message],
        schema: type[M],
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        on_text: OnText | None = None,
    ) -> ChatAnswer[M]: ...

    async def chat(
        self,
        messages: Sequence[Message],
        schema: type[BaseModel] | None = None,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        on_text: OnText | None = None,
    ) -> ChatAnswer[Any]:
        """Answer; see `ChatModel.chat`.

        Raises:
            InvalidInput: there are no messages.
        """
        if not messages:
            msg = "a chat needs at least one message"
            raise InvalidInput(msg)
        request = ChatRequest(
            messages=tuple(messages),
            schema=schema,
            temperature=self._temperature if temperature is None else temperature,
            max_tokens=self._max_tokens if max_tokens is None else max_tokens,
            on_text=on_text,
        )
        return await self._answerer.answer(request)
