"""The chat model's contract."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pydantic import BaseModel


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class ChatAnswer:
    """What a chat model said.

    Attributes:
        text: as it came.
        value: the text read by the schema; None without one.
        prompt_tokens: tokens sent.
        completion_tokens: tokens answered.
    """

    text: str
    value: BaseModel | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0


class ChatModel(Protocol):
    """Answers messages."""

    async def chat(
        self, messages: Sequence[Mapping[str, Any]], schema: type[BaseModel] | None = None
    ) -> ChatAnswer:
        """Answer.

        Args:
            messages: in the form of the chat APIs, with `role` and `content`.
            schema: what the answer must be; None for free text.

        Raises:
            ModelError: the provider failed, or its answer does not fit the schema, after the retries it deserves.
            MissingKey: it needs a key that is not set.
        """
        ...
