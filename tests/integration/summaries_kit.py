"""A model that chooses topics and writes summaries, scripted."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from memu_py import MemoryService
from memu_py.records.category import Category
from memu_py.service.results import MemorizeResult
from memu_py.testing.chat_answers import CHAT, chat
from memu_py.testing.http import Answer, Request
from memu_py.testing.server import ScriptedServer

MONDAY = "2026-03-02T09:00:00Z"
TOPICS = [{"name": "Work", "description": "jobs"}, {"name": "Home", "description": "where people live"}]
NEW = re.compile(r"^new \[(i\d+)\] \([\d-]+\) (.*)$", re.MULTILINE)


def config(
    server: ScriptedServer, *, update: dict[str, Any] | None = None, **categories: Any
) -> dict[str, Any]:
    steps: list[Any] = ["assess_value", "extract_entities", "classify_items"]
    return {
        "database": {"backend": "memory"},
        "llm": {"default": {"provider": "vllm", "base_url": server.base_url, "model": "m", "max_retries": 0}},
        "categories": {"defaults": TOPICS, **categories},
        "workflows": {"memorize": {"steps": [*steps, {"use": "update_categories", "with": update or {}}]}},
    }


def prompt_of(request: Request) -> str:
    return str(request.json["messages"][1]["content"])


def is_summary(request: Request) -> bool:
    return "[block topics" in prompt_of(request) and "[block turns" not in prompt_of(request)


def summaries_asked(server: ScriptedServer) -> list[Request]:
    return [request for request in server.requests if request.path.endswith(CHAT) and is_summary(request)]


def extracting(*found: dict[str, Any]) -> Answer:
    return chat(json.dumps({"items": found}))


def item(text: str, *source: str, **fields: Any) -> dict[str, Any]:
    return {"type": "fact", "text": text, "source": list(source), **fields}


def edits(*found: dict[str, Any]) -> Answer:
    return chat(json.dumps({"edits": found}))


def telling(prompt: str) -> Answer:
    """Answer as a model that writes a line for each new memory."""
    found, topic = [], ""
    for line in prompt.splitlines():
        if named := re.match(r"\[(c\d+)\]", line):
            topic = named[1]
        elif new := NEW.match(line):
            found.append({"category": topic, "text": new[2], "refs": [new[1]]})
    return edits(*found)


def answering(extract: Callable[[str], Answer]) -> Callable[[Request], Any]:
    async def handle(request: Request) -> Answer:
        prompt = prompt_of(request)
        await asyncio.sleep(0.01)
        return telling(prompt) if is_summary(request) else extract(prompt)

    return handle


def said(*texts: str) -> list[dict[str, Any]]:
    return [{"role": "user", "name": "Ann", "content": text, "created_at": MONDAY} for text in texts]


def notes_of(result: MemorizeResult, step: str) -> Mapping[str, Any]:
    assert result.trace is not None
    found = result.trace.step(step)
    assert found is not None
    return found.notes


async def topics(service: MemoryService, user: str = "ann") -> dict[str, Category]:
    return {one.name: one for one in await service.list_categories(user=user)}
