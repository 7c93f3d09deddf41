"""Every Python block of README.md and docs/ runs as it is printed, in order, against the memory backend."""

import ast
import asyncio
import inspect
import re
from collections.abc import AsyncIterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from memu_py import MemoryService

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "examples" / "step_plugin" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")
MESSAGES = [
    {"role": "user", "content": "我最喜欢科幻电影，尤其是《星际穿越》。"},
    {"role": "user", "content": "I moved to Lisbon in May 2023."},
]


def blocks(page: Path) -> list[str]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def compiled(source: str, name: str) -> CodeType:
    code: CodeType = compile(source, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    return code


@pytest.fixture
async def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[dict[str, Any]]:
    """What the blocks may take for granted: a service, and a conversation that it was handed."""
    monkeypatch.chdir(tmp_path)
    config = {"database": {"backend": "memory"}, "plugins": ["memu_drop_matching"]}
    async with MemoryService(config) as service:
        await service.conversations.add("chat-123", MESSAGES, user={"id": "user-456"})
        yield {"service": service, "__name__": "docs"}


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.stem)
async def test_the_python_blocks_run(page: Path, names: dict[str, Any]) -> None:
    for number, source in enumerate(blocks(page), start=1):
        code = compiled(source, f"{page.name}, block {number}")
        if code.co_flags & inspect.CO_COROUTINE:
            await eval(code, names)
        else:
            await asyncio.to_thread(exec, code, names)


def test_the_readme_opens_with_the_two_calls() -> None:
    user = "user={'id': 'user-456'}"
    first = ast.parse(blocks(ROOT / "README.md")[0]).body

    assert [ast.unparse(statement) for statement in first] == [
        f"await service.memorize(resource_url='conversation://chat-123', modality='text', {user})",
        f"await service.retrieve(query='用户喜欢什么类型的电影?', method='rag', {user})",
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_leads_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))

    assert [target for target in targets if not (page.parent / target).exists()] == []
