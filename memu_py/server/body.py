"""Reading what comes in: never more than is allowed, and never deeper than JSON is meant to be."""

import json
from email.message import Message
from typing import Any

from starlette.requests import Request

from memu_py.errors import Malformed, TooLarge

JSON_TYPE = "application/json"
MULTIPART = "multipart/form-data"
TEXTS = ("user", "agent", "session", "resource_url", "modality", "timezone", "run_id", "text")
"""Fields of a form that are texts as they stand; the others are JSON."""


def media_type(request: Request) -> Message:
    """Return the request's media type, parsed; JSON when it names none."""
    header = Message()
    header["content-type"] = request.headers.get("content-type") or JSON_TYPE
    return header


async def read_body(request: Request, most: int) -> bytes:
    """Read a body.

    Args:
        request: whose.
        most: bytes at most; what is larger is not read on.

    Raises:
        TooLarge: it is larger.
    """
    said = request.headers.get("content-length", "")
    if said.isdigit() and int(said) > most:
        raise _too_large(most)
    parts = bytearray()
    async for part in request.stream():
        parts += part
        if len(parts) > most:
            raise _too_large(most)
    return bytes(parts)


def _too_large(most: int) -> TooLarge:
    return TooLarge(
        f"a request may have {most // (1024 * 1024)} MB", hint="the server's `server.max_body_mb` says so"
    )


def read_form(body: bytes, header: Message) -> tuple[bytes, bytes | None]:
    """Read a form as browsers and curl send it.

    Args:
        body: the form.
        header: its media type, with the boundary.

    Returns:
        Its fields as one JSON document, and the bytes of its file.

    Raises:
        Malformed: it is no form, or a field is not usable.
    """
    fields: dict[str, Any] = {}
    file: bytes | None = None
    for head, content in _parts(body, header):
        name = head.get_param("name", header="content-disposition")
        if not isinstance(name, str):
            msg = "a part of the form has no name"
            raise Malformed(msg)
        if name in ("file", "data"):
            file = content
        else:
            fields[name] = _field(name, content)
    return json.dumps(fields).encode(), file


def _parts(body: bytes, header: Message) -> list[tuple[Message, bytes]]:
    boundary = header.get_param("boundary")
    if not isinstance(boundary, str) or not boundary:
        msg = "the form has no boundary"
        raise Malformed(msg)
    mark = b"\r\n--" + boundary.encode()
    pieces = (b"\r\n" + body).split(mark)
    if len(pieces) < 3 or not pieces[-1].startswith(b"--"):
        msg = "the form has no end"
        raise Malformed(msg)
    return [_part(piece) for piece in pieces[1:-1]]


def _part(piece: bytes) -> tuple[Message, bytes]:
    head, found, content = piece.partition(b"\r\n\r\n")
    if not found:
        msg = "a part of the form has no content"
        raise Malformed(msg)
    header = Message()
    for line in head.decode("utf-8", errors="replace").split("\r\n"):
        name, colon, value = line.partition(":")
        if colon and name.strip().isascii():
            header[name.strip()] = value.strip()
    return header, content


def _field(name: str, content: bytes) -> Any:
    try:
        text = content.decode()
        return text if name in TEXTS else json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"the field `{name}` is no {'text' if name in TEXTS else 'JSON'}"
        raise Malformed(msg) from error
