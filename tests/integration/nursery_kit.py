"""Workers in processes of their own that are begun and killed in no time: all are forked from one that has loaded."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

HERE = Path(__file__).parent

MOTHER = """
import asyncio, json, os, signal, sys
import models_kit, openai, service_kit
from memu_py import MemoryService
if sys.argv[2]:
    import procrastinate, psycopg
    import memu_py.storage.postgres_fleet

async def work():
    async with MemoryService(json.loads(sys.argv[1])) as service:
        await service.work(concurrency=2)

child = 0
for word in sys.stdin:
    if word.strip() == "begin":
        child = os.fork()
        if not child:
            asyncio.run(work())
            os._exit(0)
        print(child, flush=True)
    else:
        os.kill(child, signal.SIGKILL)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Nursery:
    """Begins workers of a configuration, one at a time.

    Args:
        config: what `MemoryService` takes, as plain data.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        postgres = "postgres" if "dsn" in config["database"] else ""
        self._arguments = ["-c", MOTHER, json.dumps(config), postgres]
        self._process: asyncio.subprocess.Process

    async def __aenter__(self) -> Self:
        path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *self._arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._process.kill()
        self._say("")
        await self._process.wait()

    async def begin(self) -> None:
        """Begin a worker."""
        assert await self._ask("begin") > 0

    async def kill(self) -> None:
        """Kill it, and wait until it is gone; it was alive until then."""
        assert await self._ask("kill") == -signal.SIGKILL

    async def _ask(self, word: str) -> int:
        self._say(word)
        assert self._process.stdout is not None
        return int(await self._process.stdout.readline())

    def _say(self, word: str) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        if word:
            pipe.write(f"{word}\n".encode())
        else:
            pipe.close()
