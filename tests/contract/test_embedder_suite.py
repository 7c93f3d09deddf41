"""Every embedder of ours keeps the contract."""

from collections.abc import AsyncIterator, Mapping, Sequence

import numpy as np
import pytest

from memu_py.config.load import load_settings
from memu_py.embedding.bundled import BundledEmbedder
from memu_py.embedding.cache import CachedEmbedder, Vector
from memu_py.embedding.embedder import Embedder
from memu_py.embedding.factory import build_openai
from memu_py.testing.embedder import CountingEmbedder, HashingEmbedder
from memu_py.testing.embedder_suite import EmbedderSuite
from memu_py.testing.server import ScriptedServer


class DictCache:
    """A cache in a dictionary."""

    def __init__(self) -> None:
        self.rows: dict[bytes, Vector] = {}

    async def load(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        return {key: self.rows[key] for key in keys if key in self.rows}

    async def save(self, vectors: Mapping[bytes, Vector]) -> None:
        self.rows.update(vectors)


class TestHashing(EmbedderSuite):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashingEmbedder()


class TestCounting(EmbedderSuite):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return CountingEmbedder(HashingEmbedder(dimension=32, seed=7))


class TestBundled(EmbedderSuite):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return BundledEmbedder()


class TestCached(EmbedderSuite):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return CachedEmbedder(HashingEmbedder(), DictCache())


class TestOpenAI(EmbedderSuite):
    @pytest.fixture
    async def embedder(self) -> AsyncIterator[Embedder]:
        async with ScriptedServer() as server:
            own = {"backend": "openai", "base_url": server.base_url, "model": "any", "batch_size": 16}
            embedder = build_openai(load_settings({"embedding": own}), env={})
            yield embedder
            await embedder.close()


async def test_hashing_is_the_same_on_every_machine() -> None:
    (row,) = await HashingEmbedder(dimension=4).embed(["咖啡 coffee"], kind="query")

    assert row.tolist() == pytest.approx([-0.6456727, 0.4754859, 0.2216570, 0.5548766], abs=1e-5)
    (other,) = await HashingEmbedder(dimension=4, seed=1).embed(["咖啡 coffee"], kind="query")
    assert not np.allclose(row, other)
