"""`memu` in processes of its own, which may be stopped, killed and started again."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import httpx2
import yaml

KIT = Path(__file__).parent
PATHS = (KIT.parents[1], KIT, KIT.parent / "integration")
PAUSE_S = 0.05
BEGIN_S = 90.0
"""How long a process may take to begin; the machine may have much else to do."""


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Program:
    """One command of `memu`, in a folder with a configuration; its log is a file there.

    Args:
        folder: its working directory.
        name: of the log.
        arguments: of the command.
        settings: the configuration, written to `config.yaml`.
        env: what its environment has besides.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        *arguments: str,
        settings: Mapping[str, Any],
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self.log = folder / f"{name}.log"
        self._arguments = arguments
        self._env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, PATHS)), **(env or {})}
        self._process: asyncio.subprocess.Process | None = None
        (folder / "config.yaml").write_text(yaml.safe_dump(dict(settings)), encoding="utf-8")

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start it, or start it again."""
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "memu_py.cli", *self._arguments),
                cwd=self.folder,
                env=self._env,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    async def kill(self) -> None:
        """End it and its children at once, without a word; one that has ended stays so."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()

    async def stop(self) -> int:
        """Ask it to end, and return its exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return await self._process.wait()

    async def told(self, text: str, times: int = 1) -> str:
        """Wait until its log says something, and return the log.

        Raises:
            RuntimeError: it ended without saying so, or took too long.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(BEGIN_S):
                while self._process is not None:
                    ended = self._process.returncode is not None
                    log = self.log.read_text(encoding="utf-8", errors="replace")
                    if log.count(text) >= times:
                        return log
                    if ended:
                        break
                    await asyncio.sleep(PAUSE_S)
        raise RuntimeError(self.log.read_text(encoding="utf-8", errors="replace"))


class ServerProgram(Program):
    """`memu serve` on a port of its own, which it keeps when it is started again.

    Args:
        folder: its working directory.
        settings: the configuration; it asks for no keys unless told to.
        workers: processes that serve.
        env: what its environment has besides.
    """

    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, Any],
        *,
        workers: int = 1,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        settings = {**settings, "server": {"auth": "none", **settings.get("server", {})}}
        options = ("--port", str(self.port), "--workers", str(workers))
        super().__init__(folder, "serve", "serve", *options, settings=settings, env=env)

    async def start(self) -> None:
        """Start it, and wait until it answers.

        Raises:
            RuntimeError: it does not.
        """
        await super().start()
        async with httpx2.AsyncClient(base_url=self.url) as http:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(BEGIN_S):
                    while self._process is not None and self._process.returncode is None:
                        with contextlib.suppress(httpx2.TransportError):
                            await http.get("/health")
                            return
                        await asyncio.sleep(PAUSE_S)
        raise RuntimeError(self.log.read_text(encoding="utf-8", errors="replace"))


@contextlib.asynccontextmanager
async def running(*programs: Program) -> AsyncIterator[None]:
    """Start programs one after another, and kill at the end what is left of them."""
    try:
        for program in programs:
            await program.start()
        yield
    finally:
        for program in programs:
            await program.kill()
