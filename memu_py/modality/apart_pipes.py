"""What goes into another process and comes out of it, with a bound on how much is kept."""

import asyncio
import contextlib
import dataclasses
import os
import signal
from asyncio.subprocess import Process
from typing import Any

from memu_py.records.record import Record

CHUNK = 256 * 1024
ERROR_BYTES = 8192
"""The end of what it says of errors is kept, as its last line is the reason."""
GRACE_S = 5.0


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Said(Record):
    """What a process said.

    Attributes:
        out: its output.
        err: the end of what it said of errors.
        cut: its output was longer than is taken, and it was ended.
        code: with which it ended.
    """

    out: bytes
    err: bytes
    cut: bool
    code: int


async def talk(process: Process, data: bytes, most: int) -> Said:
    """Give a process its input and take what it says until it ends.

    Args:
        process: with pipes to all of its streams.
        data: its input.
        most: bytes that it may say; it is killed when there are more.
    """
    out, err, _ = await asyncio.gather(_output(process, most), _end(process), _feed(process, data))
    return Said(out=bytes(out), err=err, cut=len(out) > most, code=await process.wait())


async def killed(process: Process, work: "asyncio.Future[Any]") -> None:
    """See that a process and the work with it have ended; idempotent."""
    kill(process)
    # Its pipes are read to their ends, else they stay open.
    await asyncio.wait([work], timeout=GRACE_S)
    if not work.cancel() and not work.cancelled():
        # Who is no longer interested in it has an error of their own.
        work.exception()
    await process.wait()


def kill(process: Process) -> None:
    """Kill a process and those that it has started, unless it has ended."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


async def _output(process: Process, most: int) -> bytearray:
    assert process.stdout is not None
    kept = bytearray()
    while piece := await process.stdout.read(CHUNK):
        if len(kept) <= most:
            kept += piece
        if len(kept) > most:
            kill(process)
    return kept


async def _end(process: Process) -> bytes:
    assert process.stderr is not None
    kept = b""
    while piece := await process.stderr.read(CHUNK):
        kept = (kept + piece)[-ERROR_BYTES:]
    return kept


async def _feed(process: Process, data: bytes) -> None:
    assert process.stdin is not None
    view = memoryview(data)
    # A process that has ended reads nothing more, and its output says why.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        for start in range(0, len(data), CHUNK):
            process.stdin.write(view[start : start + CHUNK])
            await process.stdin.drain()
    process.stdin.close()
