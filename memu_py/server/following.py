"""A memorize whose progress is told as it goes, by server-sent events."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from memu_py.records.plain import plain
from memu_py.server.problems import problem
from memu_py.workflow.context import ProgressEvent

SSE = "text/event-stream"
HEARTBEAT_S = 15.0
ALIVE = b": alive\n\n"
LOGGER = logging.getLogger("memu_py.server")

Progress = Callable[[ProgressEvent], None]
Run = Callable[[Progress], Awaitable[Any]]
Event = tuple[str, Any]


class Following:
    """Runs that somebody follows. They go on to their end when nobody does any more.

    Args:
        heartbeat_s: a sign of life is sent when nothing happens for so long, in seconds.
    """

    def __init__(self, *, heartbeat_s: float = HEARTBEAT_S) -> None:
        self._heartbeat_s = heartbeat_s
        self._tasks: set[asyncio.Task[None]] = set()

    def follow(self, request: Request, run: Run) -> Response:
        """Begin a run, and return a response that tells of it: `progress` as it comes, then `result` or `problem`.

        Args:
            request: who asked for it.
            run: is given what to tell progress to.
        """
        news: asyncio.Queue[Event] = asyncio.Queue()
        task = asyncio.create_task(_run(request, run, news))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._stream(news), media_type=SSE, headers=headers)

    async def _stream(self, news: asyncio.Queue[Event]) -> AsyncIterator[bytes]:
        while True:
            try:
                async with asyncio.timeout(self._heartbeat_s):
                    name, data = await news.get()
            except TimeoutError:
                yield ALIVE
                continue
            text = json.dumps(data, ensure_ascii=False)
            yield f"event: {name}\ndata: {text}\n\n".encode("utf-8", errors="replace")
            if name != "progress":
                return

    async def settle(self, seconds: float) -> None:
        """Wait for the runs that are still under way; what is not done then is cut off, and nothing is kept of it.

        Args:
            seconds: how long at most.
        """
        if not self._tasks:
            return
        LOGGER.info("waiting for %d runs", len(self._tasks))
        _, late = await asyncio.wait(self._tasks, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


async def _run(request: Request, run: Run, news: asyncio.Queue[Event]) -> None:
    try:
        result = await run(lambda event: news.put_nowait(("progress", plain(event))))
    except Exception as error:
        news.put_nowait(("problem", problem(request, error)))
    else:
        news.put_nowait(("result", plain(result)))
