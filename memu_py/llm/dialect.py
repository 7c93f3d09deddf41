"""What a server takes of OpenAI's protocol: found out when it refuses, and remembered."""

import re
from typing import Any, Literal

from memu_py.llm.backend import ChatRequest
from memu_py.llm.chat import Mode
from memu_py.llm.instruction import instructed
from memu_py.llm.provider_error import REFUSED, ProviderError
from memu_py.llm.strict import response_format

MODES: tuple[Mode, ...] = ("schema", "json", "text")
"""From the strictest on."""

_LONE = re.compile("[\ud800-\udfff]")


class Dialect:
    """How a server is asked.

    Args:
        structured: how a form is asked for; `auto` begins with the strictest way and goes down where it is refused.

    Attributes:
        concessions: how often the server was given in to.
    """

    def __init__(self, structured: Literal["auto", "schema", "json", "text"] = "auto") -> None:
        self._fixed = structured != "auto"
        self._mode: Mode = "schema" if structured == "auto" else structured
        self._left_out: set[str] = set()
        self._length = "max_tokens"
        self.concessions = 0

    def mode(self, request: ChatRequest) -> Mode:
        """Return how a request's form is asked for."""
        return self._mode if request.schema is not None else "text"

    def arguments(self, request: ChatRequest, *, model: str, stream: bool) -> dict[str, Any]:
        """Return the parameters of a call.

        Args:
            request: what is asked.
            model: the model's name.
            stream: whether the answer comes piece by piece.
        """
        messages = request.messages
        if request.schema is not None and self._mode != "schema":
            messages = instructed(messages, request.schema)
        optional = {
            "temperature": request.temperature,
            self._length: request.max_tokens,
            "response_format": self._format(request),
            "stream_options": {"include_usage": True} if stream else None,
        }
        given = {
            name: value
            for name, value in optional.items()
            if value is not None and name not in self._left_out
        }
        return {"model": model, "messages": [_sendable(message) for message in messages], **given}

    def concede(self, error: ProviderError, request: ChatRequest, asked: dict[str, Any]) -> "Dialect | None":
        """Return a way to ask that may be taken in place of one that was refused.

        Args:
            error: the refusal.
            request: what was asked.
            asked: the parameters.

        Returns:
            None when it was refused for another reason, or nothing is left to concede.
        """
        words = str(error)
        if error.status not in REFUSED:
            return None
        if "max_completion_tokens" in words and "max_tokens" in asked:
            return self._other(length="max_completion_tokens")
        for name in ("temperature", "stream_options"):
            if name in words and name in asked:
                return self._other(left_out=name)
        if request.schema is None or self._fixed or self._mode == MODES[-1] or error.too_long:
            return None
        return self._other(mode=MODES[MODES.index(self._mode) + 1])

    def _format(self, request: ChatRequest) -> dict[str, Any] | None:
        if request.schema is None or self._mode == "text":
            return None
        return response_format(request.schema) if self._mode == "schema" else {"type": "json_object"}

    def _other(
        self, *, mode: Mode | None = None, length: str | None = None, left_out: str | None = None
    ) -> "Dialect":
        other = Dialect()
        other._fixed = self._fixed
        other.concessions = self.concessions + 1
        other._mode = mode or self._mode
        other._length = length or self._length
        other._left_out = self._left_out | ({left_out} if left_out else set())
        return other


def _sendable(message: Any) -> dict[str, Any]:
    """Return a message without halves of surrogate pairs, which no server takes."""
    content = message.get("content")
    if not isinstance(content, str) or not _LONE.search(content):
        return dict(message)
    return {**message, "content": _LONE.sub("\ufffd", content)}
