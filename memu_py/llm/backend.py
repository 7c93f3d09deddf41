"""The contract of those who bring chat models: one exchange with a model, text for messages.

Reading the text, its repair, cache, budget, usage and interceptors are added around it, the same for all.
"""

import dataclasses
from typing import Protocol

from pydantic import BaseModel

from memu_py.llm.chat import ChatAnswer, Message, Mode, OnText


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ChatRequest:
    """One question to a model.

    Attributes:
        messages: with `role` and `content`.
        schema: the form that the answer should have; the backend asks for it as strictly as its server can.
        temperature: randomness; None for the model's own.
        max_tokens: length of the answer at most; None for the model's own.
        on_text: told the text as it grows.
        repair: whether it asks the model to repair its last answer.
    """

    messages: tuple[Message, ...]
    schema: type[BaseModel] | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    on_text: OnText | None = None
    repair: bool = False


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """What a model said in one exchange.

    Attributes:
        text: as it came, whatever it is.
        finish: why it stopped: `stop`, `length`, `content_filter`, `refusal`, or the server's own word.
        mode: how a form was asked for.
        prompt_tokens: tokens sent; None where the server does not count.
        completion_tokens: tokens answered; None where the server does not count.
        estimated: whether tokens were counted here instead; a backend leaves it alone.
    """

    text: str
    finish: str = "stop"
    mode: Mode = "text"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    estimated: bool = False


class ChatBackend(Protocol):
    """Speaks with a model."""

    @property
    def id(self) -> str:
        """Provider and model, and whatever else changes its answers: what makes two answers comparable."""
        ...

    async def complete(self, request: ChatRequest) -> Completion:
        """Make one exchange.

        Raises:
            ModelError: the provider failed, after the retries it deserves.
            MissingKey: it needs a key that is not set.
        """
        ...

    async def close(self) -> None:
        """Free what it holds; idempotent."""
        ...


class Answerer(Protocol):
    """A layer around a backend: answers a request, whole."""

    async def answer(self, request: ChatRequest) -> ChatAnswer[BaseModel | None]:
        """Answer a request; see `ChatModel.chat`."""
        ...
