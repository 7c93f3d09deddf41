"""A service whose model is a scripted server, and what that server is asked and says when memory is read."""

import json
from typing import Any

from memu_py import MemoryService
from memu_py.testing.chat_answers import CHAT, chat
from memu_py.testing.http import Answer, Request
from memu_py.testing.server import ScriptedServer

TEXTS = ("Ann works at Google.", "Ann plays the cello in Porto.", "Leo has a red canoe.")


def model_at(server: ScriptedServer) -> dict[str, Any]:
    """The section `llm` for a server."""
    return {"default": {"provider": "vllm", "base_url": server.base_url, "model": "m", "max_retries": 0}}


async def service_at(server: ScriptedServer, **more: Any) -> MemoryService:
    """A service in memory, with some texts in it."""
    made = MemoryService({"database": {"backend": "memory"}, "llm": model_at(server), **more})
    for text in TEXTS:
        await made.create_item(text, user="ann")
    return made


def routed(**fields: Any) -> Answer:
    return chat(json.dumps({"needs_memory": True, "question": "", "queries": []} | fields))


def judged(sufficient: bool, **fields: Any) -> Answer:
    return chat(json.dumps({"sufficient": sufficient, "question": "", "queries": []} | fields))


def read(
    *relevant: str, answer: str = "", sufficient: bool = True, citations: tuple[str, ...] = ()
) -> Answer:
    said = {"relevant": relevant, "sufficient": sufficient, "answer": answer, "citations": citations}
    return chat(json.dumps(said))


def asked(server: ScriptedServer) -> list[Request]:
    return [request for request in server.requests if request.path.endswith(CHAT)]


def data(request: Request) -> str:
    return str(request.json["messages"][1]["content"])


def number_of(request: Request, text: str) -> str:
    (line,) = [line for line in data(request).splitlines() if text in line and line.startswith("[i")]
    return line[1 : line.index("]")]
