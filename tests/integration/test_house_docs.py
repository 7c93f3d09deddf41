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
    ROOT / "examples" / "modality_plugin" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
YAML_BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^```(\w*)\n", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")
MESSAGES = [
    {"role": "user", "content": "我最喜欢科幻电影，尤其是《星际穿越》。"},
    {"role": "user", "content": "I moved to Lisbon in May 2023."},
]


def blocks(page: Path) -> list[str]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def configurations(page: Path) -> list[str]:
    """The YAML blocks that are a config.yaml, not a workflow."""
    found: list[str] = YAML_BLOCK.findall(page.read_text(encoding="utf-8"))
    return [block for block in found if not block.startswith("name: ")]


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


@pytest.mark.parametrize(
    ("page", "block"),
    [
        pytest.param(page, block, id=f"{page.stem}-{number}")
        for page in PAGES
        for number, block in enumerate(configurations(page))
    ],
)
def test_a_service_starts_with_every_configuration_shown(
    page: Path, block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    file = tmp_path / "config.yaml"
    file.write_text(f"{block}\nplugins: [memu_drop_matching]\n", encoding="utf-8")

    service = MemoryService.from_config(file)

    assert service.settings.file == str(file), page.name
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_says_what_it_is_in(page: Path) -> None:
    opened = FENCE.findall(page.read_text(encoding="utf-8"))[::2]

    assert set(opened) <= {"python", "yaml", "sh", "text"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_leads_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))

    assert [target for target in targets if not (page.parent / target).exists()] == []
