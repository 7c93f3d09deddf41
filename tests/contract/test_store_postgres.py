"""PostgreSQL keeps the contract of stores."""

from collections.abc import AsyncIterator, Iterator

import postgres_kit
import pytest

from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.storage.store import Store
from memu_py.testing.store_suite import StoreSuite


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with postgres_kit.server() as address:
        yield address


class TestPostgres(StoreSuite):
    @pytest.fixture
    async def store(self, address: str) -> AsyncIterator[Store]:
        with postgres_kit.database(address) as dsn:
            store = build_store(StoreSettings(backend="postgres", dsn=dsn))
            await store.open()
            yield store
            await store.close()
