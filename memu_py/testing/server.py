"""A scripted, OpenAI-compatible model server on a real socket.

::

    async with ScriptedServer() as server:
        server.script("/embeddings", Answer(status=429, headers={"retry-after": "1"}))
        settings = load_settings({"embedding": {"backend": "openai", "base_url": server.base_url}})
        ...
    assert [request.json["model"] for request in server.requests] == [...]

A route answers by its script as long as it lasts, then by its handler: for embeddings vectors in which texts that
share words are similar. Chats have no handler: `server.script(CHAT, chat("…"))`, with answers of `chat_answers`.
"""

import asyncio
import collections
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

from memu_py.embedding.embedder import Embedder
from memu_py.testing.embedder import HashingEmbedder
from memu_py.testing.http import Answer, Request, read_request
from memu_py.testing.refusals import failed

Handler = Callable[[Request], Awaitable[Answer]]

HOST = "127.0.0.1"
DEFAULT_ROOT = "/v1"
EMBEDDINGS = "/embeddings"


class ScriptedServer:
    """Answers as it is told, and keeps what it was asked.

    Args:
        embedder: gives the vectors of embeddings that are not scripted.
        root: path of the API, which the base URL ends with.

    Attributes:
        requests: what was asked, in order; every attempt counts.
    """

    def __init__(self, *, embedder: Embedder | None = None, root: str = DEFAULT_ROOT) -> None:
        self.requests: list[Request] = []
        self._embedder = embedder or HashingEmbedder()
        self._root = root
        self._handlers: dict[str, Handler] = {EMBEDDINGS: self._embed}
        self._scripts: dict[str, collections.deque[Answer]] = collections.defaultdict(collections.deque)
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server
        self._port = 0

    @property
    def base_url(self) -> str:
        """What to configure as `base_url`."""
        return f"http://{HOST}:{self._port}{self._root}"

    def route(self, path: str, handler: Handler) -> None:
        """Answer a path by a function.

        Args:
            path: below the root, such as `/chat/completions`.
            handler: gives the answer to each request.
        """
        self._handlers[path] = handler

    def script(self, path: str, *answers: Answer) -> None:
        """Answer the next requests of a path by these answers, one each.

        Args:
            path: below the root.
            *answers: in order, after those that are still there.
        """
        self._scripts[path].extend(answers)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, HOST, 0)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await read_request(reader)) is not None:
                self.requests.append(request)
                answer = await self._answer(request)
                if not await _send(writer, answer):
                    break
        finally:
            writer.close()

    async def _answer(self, request: Request) -> Answer:
        path = request.path.partition("?")[0].removeprefix(self._root)
        script = self._scripts[path]
        if script:
            return script.popleft()
        handler = self._handlers.get(path)
        if handler is None or not request.path.startswith(self._root):
            return failed(404, f"no such path: {request.path}")
        return await handler(request)

    async def _embed(self, request: Request) -> Answer:
        asked = request.json
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        matrix = await self._embedder.embed(texts, kind="passage")
        return embeddings(matrix.tolist(), model=asked["model"])


async def _send(writer: asyncio.StreamWriter, answer: Answer) -> bool:
    """Send an answer; return whether the connection is still good."""
    if answer.hang:
        await asyncio.Event().wait()
    if answer.delay_s:
        await asyncio.sleep(answer.delay_s)
    if answer.cut:
        writer.transport.abort()
        return False
    try:
        writer.write(answer.encoded())
        await writer.drain()
    except ConnectionError:
        return False
    return not answer.cut_body


def embeddings(vectors: list[list[float]], *, model: str = "scripted") -> Answer:
    """Return an answer with these vectors, in their order.

    Args:
        vectors: one a text.
        model: as asked for.
    """
    data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(vectors)]
    usage = {"prompt_tokens": len(vectors), "total_tokens": len(vectors)}
    return Answer(body={"object": "list", "data": data, "model": model, "usage": usage})
