"""The contract suite for stores.

::

    class TestMine(StoreSuite):
        @pytest.fixture
        async def store(self) -> AsyncIterator[Store]:
            store = MyStore()
            await store.open()
            yield store
            await store.close()
"""

import pytest

from memu_py.storage.store import Store
from memu_py.testing.store_suite_accesses import AccessSuite
from memu_py.testing.store_suite_commit import CommitSuite
from memu_py.testing.store_suite_conversations import BlockSuite, ConversationSuite
from memu_py.testing.store_suite_entities import EntitySuite
from memu_py.testing.store_suite_facets import FacetSuite
from memu_py.testing.store_suite_foresight import ForesightSuite
from memu_py.testing.store_suite_forgetting import ForgettingSuite
from memu_py.testing.store_suite_grants import GrantSuite
from memu_py.testing.store_suite_graph import GraphSuite
from memu_py.testing.store_suite_keys import KeySuite
from memu_py.testing.store_suite_kv import KeyValueSuite
from memu_py.testing.store_suite_log import LogSuite
from memu_py.testing.store_suite_models import ModelSuite
from memu_py.testing.store_suite_moods import MoodSuite
from memu_py.testing.store_suite_past import PastSuite
from memu_py.testing.store_suite_query import QuerySuite
from memu_py.testing.store_suite_records import RecordSuite
from memu_py.testing.store_suite_reflections import ReflectionSuite
from memu_py.testing.store_suite_rights import RightsSuite
from memu_py.testing.store_suite_search import SearchSuite
from memu_py.testing.store_suite_timeline import TimelineSuite
from memu_py.testing.store_suite_versions import VersionSuite


class StoreSuite(
    CommitSuite,
    VersionSuite,
    EntitySuite,
    QuerySuite,
    SearchSuite,
    RecordSuite,
    ModelSuite,
    ForesightSuite,
    ForgettingSuite,
    ReflectionSuite,
    AccessSuite,
    MoodSuite,
    ConversationSuite,
    BlockSuite,
    GrantSuite,
    GraphSuite,
    LogSuite,
    KeySuite,
    PastSuite,
    RightsSuite,
    KeyValueSuite,
    FacetSuite,
    TimelineSuite,
):
    """What every store must keep. Subclass it, and give the fixture `store`: open and empty."""

    @pytest.fixture
    async def store(self) -> Store:
        """Return the store under test; a subclass may yield it, and close it afterwards."""
        raise NotImplementedError
