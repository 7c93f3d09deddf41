"""The contract of a store's parts, by name."""

from typing import Protocol

from memu_py.jobs.fleet import Fleet
from memu_py.jobs.queue import JobQueue
from memu_py.records.category import Category
from memu_py.records.item import Item
from memu_py.records.resource import Resource
from memu_py.storage.blocks import BlockStore
from memu_py.storage.facets import Facets
from memu_py.storage.foresight import Foresight
from memu_py.storage.grants import GrantStore
from memu_py.storage.graph import Graph
from memu_py.storage.kept import KeptConversations
from memu_py.storage.keys import KeyStore
from memu_py.storage.kv import KeyValues
from memu_py.storage.models import AnswerStore, EmbeddingCache, UsageStore
from memu_py.storage.moods import Moods
from memu_py.storage.past import Past
from memu_py.storage.reading import Collection
from memu_py.storage.reflections import Reflections
from memu_py.storage.rights import Rights
from memu_py.storage.search import Search
from memu_py.storage.timeline import Timeline
from memu_py.storage.upkeep import Maintenance


class Parts(Protocol):
    """What a database of memories keeps beside its one transaction for memorizing."""

    @property
    def items(self) -> Collection[Item]:
        """Items."""
        ...

    @property
    def categories(self) -> Collection[Category]:
        """Categories."""
        ...

    @property
    def resources(self) -> Collection[Resource]:
        """Resources."""
        ...

    @property
    def cache(self) -> EmbeddingCache:
        """Embeddings by content."""
        ...

    @property
    def answers(self) -> AnswerStore:
        """Answers of chat models by content."""
        ...

    @property
    def usage(self) -> UsageStore:
        """What chat models cost."""
        ...

    @property
    def jobs(self) -> JobQueue:
        """Work that is written down before it is done."""
        ...

    @property
    def fleet(self) -> Fleet | None:
        """Calls workers of all processes to jobs; None where they look for themselves."""
        ...

    @property
    def keys(self) -> KeyStore:
        """Keys to the server."""
        ...

    @property
    def timeline(self) -> Timeline:
        """When things were."""
        ...

    @property
    def facets(self) -> Facets:
        """What items claim of a person."""
        ...

    @property
    def kv(self) -> KeyValues:
        """Values by name."""
        ...

    @property
    def foresight(self) -> Foresight:
        """Habits, occasions and feedback."""
        ...

    @property
    def past(self) -> Past:
        """What was, and memory put back to it."""
        ...

    @property
    def rights(self) -> Rights:
        """Whole partitions: taken along, given back, and what is kept of erasures."""
        ...

    @property
    def moods(self) -> Moods:
        """What was felt, by day."""
        ...

    @property
    def conversations(self) -> KeptConversations:
        """Conversations with their messages."""
        ...

    @property
    def blocks(self) -> BlockStore:
        """Texts that stand in every prompt."""
        ...

    @property
    def grants(self) -> GrantStore:
        """What agents of a user may see and change of one another's memory."""
        ...

    @property
    def graph(self) -> Graph:
        """Relations between names."""
        ...

    @property
    def reflections(self) -> Reflections:
        """Up to where items were looked at together."""
        ...

    @property
    def maintenance(self) -> Maintenance:
        """Work across scopes."""
        ...

    @property
    def search(self) -> Search | None:
        """Searching in the database itself; None where an index in the process is made of its rows."""
        ...
