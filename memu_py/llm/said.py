"""Reading what a server of OpenAI's protocol sends: as a whole, or piece by piece. It may send anything."""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from memu_py.llm.backend import Completion
from memu_py.llm.chat import Mode, OnText


@dataclasses.dataclass(kw_only=True, slots=True, eq=False)
class Pieces:
    """An answer that comes piece by piece.

    Attributes:
        on_text: told the text so far.
        text: so far.
        refusal: so far; in place of a text.
        finish: once it is known.
        usage: once it is known.
        seen: whether any piece was one of an answer.
    """

    on_text: OnText | None = None
    text: str = ""
    refusal: str = ""
    finish: str | None = None
    usage: Any = None
    seen: bool = False

    def add(self, chunk: Any) -> None:
        """Take one piece.

        Args:
            chunk: as the server sent it.
        """
        self.usage = chunk.get("usage") or self.usage if isinstance(chunk, dict) else self.usage
        choice = _choice(chunk)
        if choice is None:
            return
        self.seen = True
        delta = choice.get("delta")
        delta = delta if isinstance(delta, dict) else {}
        self.finish = _word(choice.get("finish_reason")) or self.finish
        self.refusal += _text(delta.get("refusal"))
        piece = _text(delta.get("content"))
        if piece:
            self.text += piece
            if self.on_text is not None:
                self.on_text(self.text)

    def completion(self, mode: Mode) -> Completion:
        """Return the whole."""
        return _completion(self.text, self.refusal, self.finish, self.usage, mode)


def completion_of(content: bytes, mode: Mode) -> Completion | None:
    """Read a whole answer; None for something else.

    Args:
        content: the body.
        mode: how the form was asked for.
    """
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return None
    choice = _choice(body)
    message = choice.get("message") if choice else None
    if choice is None or not isinstance(message, dict):
        return None
    return _completion(
        _text(message.get("content")),
        _text(message.get("refusal")),
        _word(choice.get("finish_reason")),
        body.get("usage"),
        mode,
    )


def _completion(text: str, refusal: str, finish: str | None, usage: Any, mode: Mode) -> Completion:
    counted = usage if isinstance(usage, dict) else {}
    if refusal and not text:
        text, finish = refusal, "refusal"
    return Completion(
        text=text,
        finish=finish or "stop",
        mode=mode,
        prompt_tokens=_number(counted.get("prompt_tokens")),
        completion_tokens=_number(counted.get("completion_tokens")),
    )


def _choice(body: Any) -> Mapping[str, Any] | None:
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else None


def _text(value: Any) -> str:
    if isinstance(value, list):
        # Some servers answer in parts, as messages may be asked.
        return "".join(_text(part.get("text")) for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else ""


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
