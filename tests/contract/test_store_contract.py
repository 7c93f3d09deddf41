"""The contract of stores, kept by both backends."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.storage.store import Store
from memu_py.testing.store_suite import StoreSuite


class TestMemory(StoreSuite):
    @pytest.fixture
    async def store(self) -> AsyncIterator[Store]:
        store = build_store(StoreSettings(backend="memory"))
        await store.open()
        yield store
        await store.close()


class TestSqlite(StoreSuite):
    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        store = build_store(StoreSettings(path=tmp_path / "folder" / "memu.db"))
        await store.open()
        yield store
        await store.close()
