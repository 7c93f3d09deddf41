"""A real chat model for tests: the server that MEMU_TEST_LLM names, else a tiny model in a process of its own.

`MEMU_TEST_LLM=base_url,model`, and the key, if it needs one, in `MEMU_TEST_LLM_KEY`.
"""

import dataclasses
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memu_py.config.load import load_settings
from memu_py.llm.ask import Chat
from memu_py.llm.backend import ChatBackend
from memu_py.llm.factory import build_openai
from memu_py.llm.structured import StructuredChat

SERVER = Path(__file__).with_name("local_llm_server.py")
START_S = 60.0
END_S = 5.0
TINY = "smollm2-135m"
VARIABLE = "MEMU_TEST_LLM"

SHORT = {
    "extract": ("turns", "Write down the facts that the turns say, each with the ids of its turns."),
    "route": ("question", "Does the question need memory? Ask it again in three other ways."),
    "read": (
        "question, records",
        "Answer the question from the records, and name those that help by their ids.",
    ),
}
"""Blocks and instructions by task. The packaged prompts take the tiny model half a minute each to read."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class LocalModel:
    """Where a model is.

    Attributes:
        base_url: of its server.
        model: its name there.
        tiny: whether it is the one of 135 M parameters, which knows next to nothing.
    """

    base_url: str
    model: str
    tiny: bool

    def profile(self, **more: Any) -> dict[str, Any]:
        """Its entry under `llm`: no retries, so that what fails is seen."""
        return {
            "provider": "local",
            "base_url": self.base_url,
            "model": self.model,
            "api_key": "${MEMU_TEST_LLM_KEY:-none}",
            "max_retries": 0,
            "timeout_s": 100,
            "temperature": 0,
            "concurrency": 1 if self.tiny else 4,
            "cache": False,
        } | more

    def config(self, **profile: Any) -> dict[str, Any]:
        """A service in memory that asks it."""
        return {"database": {"backend": "memory"}, "llm": {"default": self.profile(**profile)}}

    def quick_config(self, folder: Path, *, max_tokens: int) -> dict[str, Any]:
        """The same; with short prompts, and short answers, where it is tiny.

        Args:
            folder: for the prompts.
            max_tokens: of an answer of the tiny one.
        """
        if not self.tiny:
            return self.config()
        for task, (blocks, instructions) in SHORT.items():
            text = f"---\nversion: 1\nblocks: [{blocks}]\n---\n{instructions}\n"
            (folder / f"{task}.md").write_text(text, encoding="utf-8")
        return {
            **self.config(max_tokens=max_tokens),
            "prompts": {task: str(folder / f"{task}.md") for task in SHORT},
        }


class Chats:
    """Our client without a service around it, once for each profile that a test wants."""

    def __init__(self, model: LocalModel) -> None:
        self._model = model
        self._opened: list[ChatBackend] = []

    def __call__(self, **profile: Any) -> Chat:
        settings = load_settings(self._model.config(**profile))
        self._opened.append(build_openai(settings, "default"))
        return Chat(StructuredChat(self._opened[-1]), temperature=0, max_tokens=profile.get("max_tokens"))

    async def close(self) -> None:
        for backend in self._opened:
            await backend.close()


def running() -> Iterator[LocalModel]:
    """The model, as long as tests need it."""
    named = os.environ.get(VARIABLE)
    if named:
        base_url, _, model = named.rpartition(",")
        yield LocalModel(base_url=base_url, model=model, tiny=False)
        return
    with subprocess.Popen(
        [sys.executable, str(SERVER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        log: list[str] = []
        threading.Thread(target=_drain, args=(process, log), daemon=True).start()
        try:
            yield LocalModel(base_url=f"{_ready(process, log)}/v1", model=TINY, tiny=True)
        finally:
            _end(process)


def _ready(process: "subprocess.Popen[str]", log: list[str]) -> str:
    """Wait for the address that the server prints when it can answer."""
    assert process.stdout is not None
    alarm = threading.Timer(START_S, process.kill)
    alarm.start()
    address = process.stdout.readline().strip()
    alarm.cancel()
    if not address:
        pytest.fail(
            f"the server of the tiny model did not start; `make test-llm` sets it up:\n{''.join(log)}"
        )
    return address


def _drain(process: "subprocess.Popen[str]", log: list[str]) -> None:
    assert process.stderr is not None
    log.extend(process.stderr)


def _end(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
