"""PostgreSQL keeps the contract of stores."""

from collections.abc import AsyncIterator

import pytest

from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.storage.store import Store
from memu_py.testing.store_suite import StoreSuite


class TestPostgres(StoreSuite):
    @pytest.fixture
    async def store(self, shared_dsn: str) -> AsyncIterator[Store]:
        store = build_store(StoreSettings(backend="postgres", dsn=shared_dsn))
        await store.open()
        yield store
        await store.close()
