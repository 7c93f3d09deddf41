"""Whose rows: the only place where a scope becomes a condition.

Every statement on a partitioned table carries `within`, or meets such a statement by `beside`. A test listens
to all statements of every method and fails on one that does not.
"""

import functools
import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, FromClause, RowMapping, Table, and_, exists, or_, select

from memu_py.errors import InvalidScope
from memu_py.records.scope import Scope
from memu_py.storage.json_member import json_text_equals
from memu_py.storage.plain import canonical_json
from memu_py.storage.schema import changes, items, sources

CACHED_SCOPES = 1024
"""Scopes whose partition is kept at hand: a batch asks for the same one ten thousand times."""

ERASED = ""
"""The partition's text on rows of the log that outlive an erasure: they must not name whose they were."""


@functools.lru_cache(maxsize=CACHED_SCOPES)
def within(table: Table, scope: Scope, *, attributes: bool = True) -> ColumnElement[bool]:
    """Return the condition that a row lies in a scope.

    Args:
        table: a partitioned table.
        scope: whose rows.
        attributes: false takes the whole partition; tables without attributes always do. An item lies in the
            session it was first said in and in those in which it was said again. Rows of agents that the scope was
            granted lie in it as those of its own agent do.
    """
    owner = partition_values(scope)
    same_hash = table.c.partition_hash == owner["partition_hash"]
    parts = [same_hash, _partition_text(table, owner["partition"])]
    if attributes and "agent" in table.c:
        parts += [_attribute(table, scope, name, value) for name, value in scope.attributes.items()]
    return and_(*parts)


def _partition_text(table: Table, partition: str) -> ColumnElement[bool]:
    same: ColumnElement[bool] = table.c.partition == partition
    return or_(same, table.c.partition == ERASED) if table is changes else same


def _attribute(table: Table, scope: Scope, name: str, value: str) -> ColumnElement[bool]:
    if name == "agent" and scope.granted:
        return table.c.agent.in_((value, *scope.granted))
    if table is items and name == "session":
        return or_(table.c.session == value, _said_in(value))
    if name in ("agent", "session"):
        return table.c[name] == value
    return json_text_equals(table.c.custom, name, value)


def _said_in(session: str) -> ColumnElement[bool]:
    """Return the condition that an item was said again in a session: it belongs to each of them."""
    said = and_(beside(sources, items), sources.c.item_id == items.c.id, sources.c.session == session)
    # Only of the items is it: a statement that joins sources itself means others.
    return exists(select(sources.c.item_id).where(said).correlate(items))


def beside(table: FromClause, other: FromClause) -> ColumnElement[bool]:
    """Return the condition that rows of two tables lie in one partition; `other` is guarded by `within`."""
    return and_(table.c.partition_hash == other.c.partition_hash, table.c.partition == other.c.partition)


@functools.lru_cache(maxsize=CACHED_SCOPES)
def partition_values(scope: Scope) -> Mapping[str, Any]:
    """Return the partition columns of a new row; not to be written to."""
    return {"partition_hash": scope.partition_hash, "partition": scope.partition}


@functools.lru_cache(maxsize=CACHED_SCOPES)
def owner_values(scope: Scope) -> Mapping[str, Any]:
    """Return the partition and attribute columns of a new row; not to be written to."""
    attributes = {"agent": scope.agent, "session": scope.session, "custom": dict(scope.custom)}
    return {**partition_values(scope), **attributes}


def attribute_text(scope: Scope) -> str:
    """Return all attributes as one text, equal for equal attributes."""
    return canonical_json(scope.attributes)


def writer_text(scope: Scope) -> str:
    """Return the agent and the custom keys as one text: an address is theirs, in whatever session."""
    return attribute_text(scope.writer)


def scope_of(row: RowMapping) -> Scope:
    """Return the scope of a stored row from its partition and attribute columns."""
    return _scope(row["partition"], row["agent"], row["session"], tuple(row["custom"].items()))


@functools.lru_cache(maxsize=CACHED_SCOPES)
def _scope(
    partition: str, agent: str | None, session: str | None, custom: tuple[tuple[str, str], ...]
) -> Scope:
    return owner_of(partition).evolve(agent=agent, session=session, custom=custom)


def owner_of(partition: str) -> Scope:
    """Return the scope of a whole partition from its text."""
    kind, owner = json.loads(partition)
    ids: dict[str, Any] = {kind: owner}
    return Scope(**ids)


def require_within(scope: Scope, other: Scope, what: str) -> None:
    """Check that a record that is to be written lies in the scope of the call.

    Args:
        scope: of the call.
        other: of the record.
        what: the record, for the message.

    Raises:
        InvalidScope: it belongs to somebody else.
    """
    if other is scope:
        return
    if not scope.covers(other):
        msg = f"{what} lies outside the scope of the call"
        raise InvalidScope(msg)
