"""Records of one kind: read by id, by page, counted."""

import dataclasses
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, Table, and_, func, select, true

from memu_py.records.category import Category
from memu_py.records.conversation import Conversation
from memu_py.records.item import Item
from memu_py.records.job import Job
from memu_py.records.page import Page, Query, Where
from memu_py.records.resource import Resource
from memu_py.records.scope import Scope
from memu_py.storage.category_rows import category_of, load_categories, select_categories
from memu_py.storage.database import Database
from memu_py.storage.fields import CATEGORY_FIELDS, ITEM_FIELDS, JOB_FIELDS, RESOURCE_FIELDS, Fields
from memu_py.storage.filters import compile_filter
from memu_py.storage.item_rows import at_hand, holding, item_of, load_items, sources_of
from memu_py.storage.job_rows import job_of, load_jobs, select_jobs
from memu_py.storage.paging import Keyset
from memu_py.storage.plain import clean_text
from memu_py.storage.resource_rows import load_resources, resource_of
from memu_py.storage.schema import categories, items, jobs, resources
from memu_py.storage.scoping import within
from memu_py.storage.settings import Clock

T = TypeVar("T", Item, Category, Resource, Job, Conversation)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Shape(Generic[T]):
    """How one kind of record is read.

    Attributes:
        name: of the kind.
        table: where it lies.
        fields: what can be asked for.
        columns: the select of whole rows.
        live: the condition that a record counts.
        at_hand: the condition that it is not put away at a moment.
        load: records by id.
        build: rows to records.
    """

    name: str
    table: Table
    fields: Fields
    columns: Callable[[], Select[Any]]
    live: Callable[[], ColumnElement[bool]]
    at_hand: Callable[[datetime], ColumnElement[bool]]
    load: Callable[[Connection, Scope, Sequence[str]], dict[str, T]]
    build: Callable[[Connection, Scope, Sequence[RowMapping]], list[T]]


class SqlCollection(Generic[T]):
    """`Collection` over a database."""

    def __init__(self, database: Database, shape: Shape[T], *, clock: Clock) -> None:
        self._database = database
        self._shape: Shape[T] = shape
        self._clock = clock

    async def get(self, scope: Scope, ids: Sequence[str]) -> dict[str, T]:
        """See `Collection.get`."""
        wanted = [one for one in ids if one == clean_text(one)]
        return await self._database.read(
            lambda connection: self._shape.load(connection, scope, wanted), partition=scope.partition_hash
        )

    async def page(self, scope: Scope, query: Query) -> Page[T]:
        """See `Collection.page`."""
        condition = self._condition(scope, query.where, live=query.live, archived=query.archived)
        keyset = Keyset(query, self._shape.fields, kind=self._shape.name)
        statement = keyset.apply(self._shape.columns().where(condition))
        return await self._database.read(
            lambda connection: self._page(connection, scope, keyset, statement, query.limit),
            partition=scope.partition_hash,
        )

    def _page(
        self, connection: Connection, scope: Scope, keyset: Keyset, statement: Select[Any], limit: int
    ) -> Page[T]:
        rows = connection.execute(statement).mappings().all()
        records = self._shape.build(connection, scope, rows[:limit])
        if len(rows) <= limit:
            return Page(records=tuple(records))
        return Page(records=tuple(records), next_cursor=keyset.cursor(rows[limit - 1]))

    async def count(self, scope: Scope, where: Where | None = None) -> int:
        """See `Collection.count`."""
        condition = self._condition(scope, where, live=True, archived=False)
        statement = select(func.count()).select_from(self._shape.table).where(condition)
        return await self._database.read(
            lambda connection: connection.scalar(statement) or 0, partition=scope.partition_hash
        )

    async def ids(self, scope: Scope, where: Where | None = None) -> list[str]:
        """See `Collection.ids`."""
        column = self._shape.table.c.id
        statement = (
            select(column).where(self._condition(scope, where, live=False, archived=True)).order_by(column)
        )
        return await self._database.read(
            lambda connection: list(connection.scalars(statement)), partition=scope.partition_hash
        )

    def _condition(
        self, scope: Scope, where: Where | None, *, live: bool, archived: bool
    ) -> ColumnElement[bool]:
        counting = self._shape.live() if live else true()
        there = true() if archived else self._shape.at_hand(self._clock())
        wanted = compile_filter(where, self._shape.fields)
        return and_(within(self._shape.table, scope), counting, there, wanted)


def _items(connection: Connection, scope: Scope, rows: Sequence[RowMapping]) -> list[Item]:
    found = sources_of(connection, scope, [row["id"] for row in rows])
    return [item_of(row, found.get(row["id"], ())) for row in rows]


ITEMS: Shape[Item] = Shape(
    name="item",
    table=items,
    fields=ITEM_FIELDS,
    columns=lambda: select(items),
    live=holding,
    at_hand=at_hand,
    load=load_items,
    build=_items,
)
RESOURCES: Shape[Resource] = Shape(
    name="resource",
    table=resources,
    fields=RESOURCE_FIELDS,
    columns=lambda: select(resources),
    live=true,
    at_hand=lambda _: true(),
    load=load_resources,
    build=lambda _connection, _scope, rows: [resource_of(row) for row in rows],
)
CATEGORIES: Shape[Category] = Shape(
    name="category",
    table=categories,
    fields=CATEGORY_FIELDS,
    columns=select_categories,
    live=true,
    at_hand=lambda _: true(),
    load=load_categories,
    build=lambda _connection, _scope, rows: [category_of(row) for row in rows],
)
JOBS: Shape[Job] = Shape(
    name="job",
    table=jobs,
    fields=JOB_FIELDS,
    columns=select_jobs,
    live=true,
    at_hand=lambda _: true(),
    load=load_jobs,
    build=lambda _connection, _scope, rows: [job_of(row) for row in rows],
)
