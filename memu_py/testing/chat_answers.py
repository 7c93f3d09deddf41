"""Answers of a chat model, for a scripted server: ready ones, refusals, and streams."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memu_py.testing.http import Answer, Request
from memu_py.testing.refusals import failed

CHAT = "/chat/completions"
"""The path of chats."""

EVENT_STREAM = "text/event-stream"
PIECE_CHARS = 7
TOKENS = 10
COUNTED: Mapping[str, int] = {"prompt_tokens": TOKENS, "completion_tokens": TOKENS}


def chat(
    text: str | None,
    *,
    finish: str | None = "stop",
    usage: Mapping[str, int] | None = COUNTED,
    refusal: str | None = None,
    **answer: Any,
) -> Answer:
    """Return the answer of a chat model.

    Args:
        text: what it says.
        finish: why it stopped; `length` for an answer that is cut off.
        usage: the tokens it counts; None for a server that does not count.
        refusal: what it says in place of a text.
        **answer: more of `Answer`, such as `delay_s`.
    """
    message = {"role": "assistant", "content": text, **({"refusal": refusal} if refusal else {})}
    body: dict[str, Any] = {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if usage is not None:
        body["usage"] = dict(usage)
    return Answer(body=body, **answer)


def streamed(
    text: str,
    *,
    finish: str | None = "stop",
    usage: Mapping[str, int] | None = COUNTED,
    piece_chars: int = PIECE_CHARS,
    broken_after: int | None = None,
    **answer: Any,
) -> Answer:
    """Return the same as a stream of events.

    Args:
        text: what it says, piece by piece.
        finish: why it stopped.
        usage: in the last event; None for a server that does not count.
        piece_chars: length of a piece.
        broken_after: pieces after which the connection is closed, in place of the rest.
        **answer: more of `Answer`.
    """
    pieces = [text[start : start + piece_chars] for start in range(0, len(text), piece_chars)]
    chunks: list[dict[str, Any]] = [_chunk({"content": piece}) for piece in pieces]
    if broken_after is not None:
        return Answer(
            body=_events(chunks[:broken_after]),
            headers={"content-type": EVENT_STREAM},
            cut_body=True,
            **answer,
        )
    chunks.append(_chunk({}, finish))
    if usage is not None:
        chunks.append({**_chunk({}), "choices": [], "usage": dict(usage)})
    body = _events(chunks) + b"data: [DONE]\n\n"
    return Answer(body=body, headers={"content-type": EVENT_STREAM}, **answer)


def refusing(request: Request, *words: str, status: int = 400) -> Answer | None:
    """Return a refusal when a request names what this server does not take.

    Args:
        request: as it came.
        *words: of parameters or their values, such as `json_schema` or `temperature`.
        status: of the refusal.

    Returns:
        None when it names none of them.
    """
    asked = json.dumps({key: value for key, value in request.json.items() if key != "messages"})
    found = [word for word in words if f'"{word}"' in asked]
    if not found:
        return None
    return failed(status, f"Unsupported parameter: '{found[0]}' is not supported")


def _chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": dict(delta), "finish_reason": finish}
    return {
        "id": "chat-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
        "choices": [choice],
    }


def _events(chunks: Sequence[Mapping[str, Any]]) -> bytes:
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks)
