"""Changing the embedder: refused with the way out, done by a reindex, and never half-way."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from memu_py import MemoryService
from memu_py.config.settings import Settings
from memu_py.embedding.embedder import Embedder, Matrix, TextKind
from memu_py.errors import EmbedderMismatch, ModelError
from memu_py.testing.embedder import HashingEmbedder
from memu_py.workflow.registry import Registry


class Failing(HashingEmbedder):
    """Works on its first calls and then fails, as a provider does in the middle of a long run."""

    calls = 0

    async def embed(self, texts: Any, *, kind: TextKind) -> Matrix:
        self.calls += 1
        if self.calls > 1:
            msg = "the provider is away"
            raise ModelError(msg)
        return np.asarray(await super().embed(texts, kind=kind), dtype=np.float32)


def small(settings: Settings) -> Embedder:
    return HashingEmbedder(dimension=32)


def failing(settings: Settings) -> Embedder:
    return Failing(dimension=32)


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> str:
    def register(registry: Registry) -> None:
        registry.add("embedder", "small", small)
        registry.add("embedder", "failing", failing)

    module = ModuleType("memu_test_embedders")
    module.register = register  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module.__name__


def config(path: Path, plugin: str, backend: str) -> dict[str, Any]:
    return {
        "database": {"backend": "sqlite", "path": str(path / "memu.db")},
        "embedding": {"backend": backend},
        "plugins": [plugin],
    }


async def test_another_embedder_is_refused_until_a_reindex(tmp_path: Path, plugin: str) -> None:
    async with MemoryService(config(tmp_path, plugin, "bundled")) as service:
        await service.memorize(messages=["Ann owns a kayak.", "Ann likes tea."], user="ann")
    other = MemoryService(config(tmp_path, plugin, "small"))
    with pytest.raises(EmbedderMismatch, match="memu reindex"):
        await other.retrieve("kayak", user="ann")
    seen: list[tuple[int, int]] = []
    assert await other.reindex(lambda done, total: seen.append((done, total))) == 2
    assert seen == [(2, 2)]
    assert "kayak" in (await other.retrieve("kayak", user="ann")).items[0].record.text
    await other.memorize(text="Ann moved to Oslo.", user="ann")
    assert await other.integrity() == []
    await other.close()
    with pytest.raises(EmbedderMismatch):
        async with MemoryService(config(tmp_path, plugin, "bundled")):
            pass


async def test_a_reindex_that_fails_half_way_leaves_a_store_that_says_so(tmp_path: Path, plugin: str) -> None:
    async with MemoryService(config(tmp_path, plugin, "bundled")) as service:
        await service.memorize(text="Ann owns a kayak.", user="ann")
    broken = MemoryService(config(tmp_path, plugin, "failing"))
    with pytest.raises(ModelError, match="away"):
        await broken.reindex()
    await broken.close()
    for backend in ("bundled", "small"):
        service = MemoryService(config(tmp_path, plugin, backend))
        with pytest.raises(EmbedderMismatch, match="unfinished reindex"):
            await service.retrieve("kayak", user="ann")
        await service.close()
    service = MemoryService(config(tmp_path, plugin, "bundled"))
    await service.reindex()
    assert "kayak" in (await service.retrieve("kayak", user="ann")).items[0].record.text
    await service.close()
