"""The parts of a store over a database, by name."""

from memu_py.jobs.fleet import Fleet
from memu_py.records.category import Category
from memu_py.records.item import Item
from memu_py.records.resource import Resource
from memu_py.storage.collection import CATEGORIES, ITEMS, RESOURCES, SqlCollection
from memu_py.storage.database import Database
from memu_py.storage.job_queue import SqlJobQueue
from memu_py.storage.key_rows import SqlKeys
from memu_py.storage.maintenance import SqlMaintenance
from memu_py.storage.search import Search
from memu_py.storage.settings import Clock
from memu_py.storage.snapshot_files import SnapshotFiles
from memu_py.storage.sql_blocks import SqlBlocks
from memu_py.storage.sql_facets import SqlFacets
from memu_py.storage.sql_foresight import SqlForesight
from memu_py.storage.sql_grants import SqlGrants
from memu_py.storage.sql_graph import SqlGraph
from memu_py.storage.sql_kept import SqlConversations
from memu_py.storage.sql_kv import SqlKeyValues
from memu_py.storage.sql_models import SqlAnswers, SqlCache, SqlUsage
from memu_py.storage.sql_moods import SqlMoods
from memu_py.storage.sql_past import SqlPast
from memu_py.storage.sql_reflections import SqlReflections
from memu_py.storage.sql_rights import SqlRights
from memu_py.storage.sql_timeline import SqlTimeline
from memu_py.storage.units import Units


class SqlParts(Units):
    """`Parts` over a database.

    Args:
        database: where the units of work run.
        clock: gives the time of changes.
        snapshots: where indexes of it may be kept.
        keep_changes_days: how long `maintenance.prune_changes` keeps the log; None for ever.
        keep_answers_days: how long `maintenance.prune_answers` keeps answers; None for ever.
        search: searches in the database, where that is what it is for.
        fleet: calls workers to jobs, where the database can.
    """

    def __init__(
        self,
        database: Database,
        *,
        clock: Clock,
        snapshots: SnapshotFiles,
        keep_changes_days: int | None,
        keep_answers_days: int | None,
        search: Search | None = None,
        fleet: Fleet | None = None,
    ) -> None:
        super().__init__(database, clock=clock)
        self._search = search
        self._fleet = fleet
        self._snapshots = snapshots
        self._items = SqlCollection(database, ITEMS, clock=clock)
        self._categories = SqlCollection(database, CATEGORIES, clock=clock)
        self._resources = SqlCollection(database, RESOURCES, clock=clock)
        self._cache = SqlCache(self)
        self._jobs = SqlJobQueue(database, clock=clock)
        self._keys = SqlKeys(database)
        self._answers = SqlAnswers(self)
        self._usage = SqlUsage(self)
        self._timeline = SqlTimeline(database, clock=clock)
        self._facets = SqlFacets(database, clock=clock)
        self._kv = SqlKeyValues(database, clock=clock)
        self._foresight = SqlForesight(database, clock=clock)
        self._past = SqlPast(database, clock=clock)
        self._rights = SqlRights(database, clock=clock)
        self._moods = SqlMoods(database, clock=clock)
        self._blocks = SqlBlocks(self)
        self._conversations = SqlConversations(database, clock=clock)
        self._grants = SqlGrants(database, clock=clock)
        self._graph = SqlGraph(database, clock=clock)
        self._reflections = SqlReflections(database, clock=clock)
        self._maintenance = SqlMaintenance(
            database, clock=clock, keep_changes_days=keep_changes_days, keep_answers_days=keep_answers_days
        )

    @property
    def items(self) -> SqlCollection[Item]:
        """See `Parts.items`."""
        return self._items

    @property
    def categories(self) -> SqlCollection[Category]:
        """See `Parts.categories`."""
        return self._categories

    @property
    def resources(self) -> SqlCollection[Resource]:
        """See `Parts.resources`."""
        return self._resources

    @property
    def cache(self) -> SqlCache:
        """See `Parts.cache`."""
        return self._cache

    @property
    def answers(self) -> SqlAnswers:
        """See `Parts.answers`."""
        return self._answers

    @property
    def usage(self) -> SqlUsage:
        """See `Parts.usage`."""
        return self._usage

    @property
    def jobs(self) -> SqlJobQueue:
        """See `Parts.jobs`."""
        return self._jobs

    @property
    def fleet(self) -> Fleet | None:
        """See `Parts.fleet`."""
        return self._fleet

    @property
    def keys(self) -> SqlKeys:
        """See `Parts.keys`."""
        return self._keys

    @property
    def timeline(self) -> SqlTimeline:
        """See `Parts.timeline`."""
        return self._timeline

    @property
    def facets(self) -> SqlFacets:
        """See `Parts.facets`."""
        return self._facets

    @property
    def kv(self) -> SqlKeyValues:
        """See `Parts.kv`."""
        return self._kv

    @property
    def foresight(self) -> SqlForesight:
        """See `Parts.foresight`."""
        return self._foresight

    @property
    def past(self) -> SqlPast:
        """See `Parts.past`."""
        return self._past

    @property
    def rights(self) -> SqlRights:
        """See `Parts.rights`."""
        return self._rights

    @property
    def moods(self) -> SqlMoods:
        """See `Parts.moods`."""
        return self._moods

    @property
    def conversations(self) -> SqlConversations:
        """See `Parts.conversations`."""
        return self._conversations

    @property
    def blocks(self) -> SqlBlocks:
        """See `Parts.blocks`."""
        return self._blocks

    @property
    def grants(self) -> SqlGrants:
        """See `Parts.grants`."""
        return self._grants

    @property
    def graph(self) -> SqlGraph:
        """See `Parts.graph`."""
        return self._graph

    @property
    def reflections(self) -> SqlReflections:
        """See `Parts.reflections`."""
        return self._reflections

    @property
    def search(self) -> Search | None:
        """See `Parts.search`."""
        return self._search

    @property
    def maintenance(self) -> SqlMaintenance:
        """See `Parts.maintenance`."""
        return self._maintenance
