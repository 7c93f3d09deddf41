"""The contract of job queues, kept by all backends."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.storage.store import Store
from memu_py.testing.clock import FixedClock
from memu_py.testing.job_suite import JobSuite


class TestMemory(JobSuite):
    @pytest.fixture
    async def store(self, clock: FixedClock) -> AsyncIterator[Store]:
        store = build_store(StoreSettings(backend="memory"), clock=clock)
        await store.open()
        yield store
        await store.close()


class TestPostgres(JobSuite):
    @pytest.fixture
    async def store(self, clock: FixedClock, shared_dsn: str) -> AsyncIterator[Store]:
        store = build_store(StoreSettings(backend="postgres", dsn=shared_dsn), clock=clock)
        await store.open()
        yield store
        await store.close()


class TestSqlite(JobSuite):
    @pytest.fixture
    async def store(self, clock: FixedClock, tmp_path: Path) -> AsyncIterator[Store]:
        store = build_store(StoreSettings(path=tmp_path / "memu.db"), clock=clock)
        await store.open()
        yield store
        await store.close()
