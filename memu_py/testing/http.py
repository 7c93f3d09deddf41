"""Just enough of HTTP/1.1 for a scripted server: one request at a time on a connection, bodies of known length."""

import asyncio
import dataclasses
import http
import json
from collections.abc import Mapping
from typing import Any

DEFAULT_TYPE = "application/json"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What a client asked.

    Attributes:
        method: such as POST.
        path: with its query, as sent.
        headers: by lower-case name.
        body: as sent.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body read as JSON."""
        return json.loads(self.body)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What the server says, or does instead.

    Attributes:
        status: of HTTP.
        body: JSON data; `bytes` go out as they are.
        headers: beside the usual ones.
        delay_s: how long the server waits first.
        hang: the server never answers; the client must give up.
        cut: the connection is closed in place of an answer.
        cut_body: the connection is closed after the body, of which more was announced.
    """

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    delay_s: float = 0.0
    hang: bool = False
    cut: bool = False
    cut_body: bool = False

    def encoded(self) -> bytes:
        """Return the answer as it goes over the wire."""
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        fields = {
            "content-type": DEFAULT_TYPE,
            **self.headers,
            "content-length": str(len(body) + self.cut_body),
        }
        lines = [f"HTTP/1.1 {self.status} {http.HTTPStatus(self.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in fields.items()]
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """Read the next request; None when the client has gone."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip("\r\n").split("\r\n")
        headers = {
            name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    method, path, _ = first.split(" ")
    return Request(method=method, path=path, headers=headers, body=body)
