"""The chat model's contract: what steps ask, and what they get."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar, overload

from pydantic import BaseModel

V = TypeVar("V")
M = TypeVar("M", bound=BaseModel)

Message = Mapping[str, Any]
"""One message in the form of the chat APIs, with `role` and `content`."""

Mode = Literal["schema", "json", "text"]
"""How a form is asked for: decoding held to a JSON schema, to JSON of any form, or by words in the prompt alone."""

OnText = Callable[[str], None]
"""Told all of an answer's text so far, as it grows. It may begin anew when a call is repeated."""

CUT = "length"
"""The `finish` of an answer that was cut off at `max_tokens` or at the end of the model's context."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class ChatAnswer(Generic[V]):
    """What a chat model said.

    Attributes:
        text: as it came; after a repair the repaired one.
        value: the text read by the schema; None without one.
        finish: why the model stopped: `stop`, `length` (cut off), `content_filter`, `refusal`, or a server's own word.
        mode: how the form was asked for; None without a schema.
        dropped: records of the schema's `SIFTED` lists that did not fit and were left out.
        reasons: what did not fit in these, the first few.
        calls: calls that it took: 0 from the cache, 1, or 2 with a repair.
        cached: whether it was known already.
        estimated: whether tokens were counted here, since the server did not.
        prompt_tokens: tokens sent, of all calls; what they were when a cached answer was new is not told.
        completion_tokens: tokens answered, of all calls.
        ms: how long it took, pauses between attempts included.
    """

    text: str
    value: V = None  # type: ignore[assignment]
    finish: str = "stop"
    mode: Mode | None = None
    dropped: int = 0
    reasons: tuple[str, ...] = ()
    calls: int = 1
    cached: bool = False
    estimated: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0
    ms: float = 0.0

    @property
    def cut(self) -> bool:
        """Whether the model ran out of tokens, so that something is missing."""
        return self.finish == CUT


class ChatModel(Protocol):
    """Answers messages."""

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
        """Answer.

        Args:
            messages: in the form of the chat APIs, with `role` and `content`.
            schema: what the answer must be; None for free text.
            temperature: randomness; the profile's by default.
            max_tokens: length of the answer at most; the profile's by default.
            on_text: told the text as it grows; the answer is then streamed where the server can.

        Raises:
            ModelError: the provider failed, after the retries it deserves.
            AnswerError: the answer does not fit the schema, nor does its repair; or there is none.
            BudgetExceeded: the call would cost more than is left.
            MissingKey: it needs a key that is not set.
        """
        ...
