"""`memu serve` as a process: signals, several workers, and what it refuses."""

import asyncio
import contextlib
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from cli_kit import CONFIG, Memu

from memu_py import AsyncMemoryClient, MemoryService
from memu_py.config.server import ServerSettings
from memu_py.errors import StoreUnreachable
from memu_py.server.app import from_environment
from memu_py.server.running import TOLD, serving

TESTS = Path(__file__).parent
HELD = """
plugins: [service_kit, server_process_kit]
embedding: {backend: hashing}
server: {auth: none}
workflows: {memorize: {steps: [hold, extract_entities]}}
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@contextlib.asynccontextmanager
async def process(*options: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run `memu serve` in the working directory."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS.parents[1]), str(TESTS)])}
    command = [sys.executable, "-m", "memu_py.cli", "serve", *options]
    pipe = asyncio.subprocess.PIPE
    started = await asyncio.create_subprocess_exec(*command, env=env, stderr=pipe, start_new_session=True)
    try:
        yield started
    finally:
        if started.returncode is None:
            os.killpg(started.pid, signal.SIGKILL)
            await started.wait()


async def told(started: asyncio.subprocess.Process, text: str) -> str:
    """Read the log until it says something; return all that was read."""
    assert started.stderr is not None
    read = ""
    while text not in read:
        line = (await started.stderr.readline()).decode()
        assert line, read
        read += line
    return read


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a configuration."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(CONFIG + "server: {auth: none}\n")
    return tmp_path


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_after_what_is_under_way(here: Path, number: signal.Signals) -> None:
    (here / "config.yaml").write_text(HELD)
    os.mkfifo(here / "go")
    port = free_port()
    async with process("--port", str(port)) as started:
        await told(started, "Uvicorn running")
        async with AsyncMemoryClient(f"http://127.0.0.1:{port}", retries=0) as client:
            asking = asyncio.create_task(client.memorize(text="Ann sails.", user="ann"))
            await told(started, "holding")
            started.send_signal(number)
            await told(started, "Shutting down")
            await asyncio.to_thread((here / "go").write_bytes, b"go")
            taken = await asking
            code = await started.wait()
            with pytest.raises(StoreUnreachable):
                await client.count_items(user="ann")

    assert code == 0
    async with MemoryService.from_config(here / "config.yaml") as service:
        assert (await service.get_resource(taken.resource.id, user="ann")).id == taken.resource.id


async def test_several_processes_share_the_work_and_the_figures(here: Path) -> None:
    port = free_port()
    async with process("--port", str(port), "--workers", "2") as started:
        log = await told(started, "Application startup complete")
        while log.count("Application startup complete") < 2:
            log += await told(started, "Application startup complete")
        async with AsyncMemoryClient(f"http://127.0.0.1:{port}") as client:
            await client.memorize(text="Ann sails.", user="ann")
            job = await client.memorize(text="Ann rows.", user="ann", wait=False)
            assert (await client.jobs.wait(job.id, user="ann")).status == "done"
        seen = 0
        for _ in range(6):
            # A connection of its own each time, so that both are asked.
            async with AsyncMemoryClient(f"http://127.0.0.1:{port}") as client:
                seen += len((await client.list_items(user="ann")).records)
        async with AsyncMemoryClient(f"http://127.0.0.1:{port}") as client:
            page = (await client._http.get("/metrics")).text
        started.send_signal(signal.SIGTERM)
        code = await started.wait()

    assert seen == 12
    assert re.search(r'memu_requests_total\{route="list_items",status="200"\} 6\.0', page)
    assert code == 0


@pytest.mark.parametrize(("host", "status"), [("0.0.0.0", 200), ("127.0.0.1", 403)])
async def test_each_of_several_processes_serves_as_the_command_line_said(
    here: Path, monkeypatch: pytest.MonkeyPatch, host: str, status: int
) -> None:
    said = ServerSettings(auth="none", host=host, port=0)
    monkeypatch.setenv(TOLD, said.model_dump_json())
    async with serving(from_environment(), said) as url, httpx2.AsyncClient() as http:
        address = f"http://127.0.0.1:{url.rpartition(':')[2]}/v1/items:count?user=ann"
        answer = await http.get(address, headers={"Host": "memory.example.com"})

    assert answer.status_code == status


@pytest.mark.parametrize(
    ("more", "options", "message"),
    [
        ("server: {auth: none}", ["--host", "0.0.0.0"], "--insecure"),
        ("server: {auth: none, host: example.com}", [], "--insecure"),
        ("database: {backend: memory}", ["--workers", "2"], "share"),
        ("server: {prot: 1}", [], "prot"),
    ],
)
def test_it_refuses_what_is_unsafe_or_wrong(
    here: Path, memu: Memu, more: str, options: list[str], message: str
) -> None:
    (here / "config.yaml").write_text(f"{CONFIG}{more}\n")

    code, _, errors = memu("serve", *options)

    assert code == 1 and message in errors


def test_a_missing_extra_is_named(here: Path, memu: Memu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for name in [one for one in sys.modules if one.startswith("memu_py.server")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("memu_py.server", raising=False)

    code, _, errors = memu("serve")

    assert code == 1 and 'pip install "memu_py[server]"' in errors and "uvicorn" in errors


def test_keys_are_made_listed_changed_and_taken_back(here: Path, memu: Memu) -> None:
    code, key, note = memu("keys", "create", "app [x]", "--for-user", "ann", "--role", "read")
    assert code == 0 and key.startswith("memu_") and "once" in note
    key_id = key.split("_")[1]
    _, listed, _ = memu("keys", "list")
    assert "app [x]" in listed and "user ann" in listed and key.strip() not in listed
    _, rotated, _ = memu("keys", "rotate", key_id, "--json")
    assert '"role": "read"' in rotated and '"revoked_at": null' in rotated
    assert "revoked" in memu("keys", "list")[1]
    assert memu("keys", "revoke", key_id)[0] == 1
    new = re.search(r'"id": "(\w+)"', rotated)
    assert new is not None and memu("keys", "revoke", new[1])[0] == 0


@pytest.mark.parametrize(
    "options", [[], ["--everywhere", "--for-user", "ann"], ["--everywhere", "--role", "root"]]
)
def test_a_key_says_what_it_is_for(here: Path, memu: Memu, options: list[str]) -> None:
    code, key, errors = memu("keys", "create", "app", *options)

    assert code == 1 and not key and "Error" in errors
    assert memu("keys", "list", "--json")[1].strip() == "[]"


def test_nobody_has_keys_yet(here: Path, memu: Memu) -> None:
    code, out, note = memu("keys", "list")

    assert (code, out) == (0, "") and "memu keys create" in note
