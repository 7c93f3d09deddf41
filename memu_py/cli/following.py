"""Conversations that grow while somebody watches: a file, or standard input."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from memu_py.records.resource import Segment

NEWLINES = (b"\n", b"\r")
CHUNK = 65_536


async def follow_file(path: Path, *, poll_s: float, once: bool) -> AsyncIterator[bytes]:
    """Give a file's content, and again when it has grown: once it ends with a line, or stands still.

    Args:
        path: the file.
        poll_s: seconds between two looks.
        once: give it as it is, and end.
    """
    given, seen = b"", b""
    while True:
        data = await asyncio.to_thread(_read, path)
        settled = once or data.endswith(NEWLINES) or data == seen
        if data.strip() and data != given and settled:
            given = data
            yield data
        if once:
            return
        seen = data
        await asyncio.sleep(poll_s)


def _read(path: Path) -> bytes:
    # Programs that write a file anew take it away for a moment.
    return path.read_bytes() if path.exists() else b""


async def follow_lines(stream: BinaryIO, local: tzinfo) -> AsyncIterator[list[dict[str, Any]]]:
    """Give the lines of a stream as messages: all that are there, as soon as some are.

    The stream is read in a thread of its own that ends with the process: nobody can wake a thread that waits for input.

    Args:
        stream: such as standard input.
        local: zone of times that carry none.
    """
    loop, chunks = asyncio.get_running_loop(), asyncio.Queue[bytes]()

    def read() -> None:
        # A closed loop is told by a RuntimeError: nobody listens any more.
        with contextlib.suppress(RuntimeError):
            for chunk in _chunks(stream):
                loop.call_soon_threadsafe(chunks.put_nowait, chunk)
            loop.call_soon_threadsafe(chunks.put_nowait, b"")

    threading.Thread(target=read, name="memu-watch", daemon=True).start()
    pending, ended = b"", False
    while not ended:
        came = [await chunks.get()]
        while not chunks.empty():
            came.append(chunks.get_nowait())
        pending, ended = pending + b"".join(came), not came[-1]
        whole = len(pending) if ended else pending.rfind(b"\n") + 1
        messages = read_messages(pending[:whole].decode("utf-8", "replace"), local)
        pending = pending[whole:]
        if messages:
            yield messages


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    """Read what is there, past the stream's own buffer: a thread that waits in it would keep its lock at the end."""
    try:
        number = stream.fileno()
    except OSError:
        yield stream.read()
        return
    while chunk := os.read(number, CHUNK):
        yield chunk


def standard_input() -> BinaryIO:
    """Return what is typed, or comes through a pipe."""
    return sys.stdin.buffer


def read_messages(text: str, local: tzinfo) -> list[dict[str, Any]]:
    """Read lines as messages: JSON objects as of the chat APIs, `Name: text`, perhaps behind a time, or plain text.

    Args:
        text: whole lines.
        local: zone of times that carry none.
    """
    found: list[dict[str, Any]] = []
    spoken: list[str] = []
    for line in text.splitlines():
        message = _json(line)
        if message is None:
            spoken += [line] if line.strip() else []
        else:
            found += [*_spoken(spoken, local), message]
            spoken = []
    return [*found, *_spoken(spoken, local)]


def _json(line: str) -> dict[str, Any] | None:
    if not line.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _spoken(lines: list[str], local: tzinfo) -> Iterable[dict[str, Any]]:
    from memu_py.errors import InvalidInput  # noqa: PLC0415 - what follows is slow to load, and help needs none of it
    from memu_py.modality.parser import ParseOptions  # noqa: PLC0415 - the same
    from memu_py.modality.raw import Raw  # noqa: PLC0415 - the same
    from memu_py.modality.transcript import TranscriptParser  # noqa: PLC0415 - the same

    if not lines:
        return []
    raw = Raw(data="\n".join(lines).encode("utf-8", "replace"), charset="utf-8")
    try:
        parsed = TranscriptParser().parse(raw, options=ParseOptions(zone=local))
    except InvalidInput:
        return [{"role": "user", "content": line} for line in lines]
    return [_message(segment) for segment in parsed.segments]


def _message(segment: Segment) -> dict[str, Any]:
    named = {"name": segment.speaker} if segment.speaker else {}
    at = {"created_at": segment.said_at.isoformat()} if segment.said_at else {}
    return {"role": segment.role or "user", "content": segment.text, **named, **at}
