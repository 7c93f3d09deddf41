"""Grants as rows, each change in the log."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from memu_py.errors import Conflict
from memu_py.records.change import Operation
from memu_py.records.grant import Grant
from memu_py.records.scope import Scope
from memu_py.storage import change_log
from memu_py.storage.change_log import Entry
from memu_py.storage.plain import clean_text
from memu_py.storage.schema_grants import grants
from memu_py.storage.scoping import owner_of, partition_values, within
from memu_py.storage.unit import Unit


def load_grants(connection: Connection, scope: Scope) -> list[Grant]:
    """Return the grants of a partition; see `GrantStore.all`."""
    statement = select(grants).where(within(grants, scope)).order_by(grants.c.from_agent, grants.c.to_agent)
    return [_grant(row) for row in connection.execute(statement).mappings()]


def _grant(row: RowMapping) -> Grant:
    return Grant(
        id=row["id"],
        scope=owner_of(row["partition"]),
        from_agent=row["from_agent"],
        to_agent=row["to_agent"],
        rights=("read", "write") if row["writes"] else ("read",),
        given_at=row["given_at"],
        given_by=row["given_by"],
    )


def write_grant(unit: Unit, grant: Grant) -> Grant:
    """Write a grant; see `GrantStore.give`."""
    wanted = grant.evolve(
        scope=unit.scope.owner,
        from_agent=clean_text(grant.from_agent),
        to_agent=clean_text(grant.to_agent),
        given_by=clean_text(grant.given_by),
        given_at=unit.now,
    )
    known = _known(unit, wanted.from_agent, wanted.to_agent)
    if known is not None and known.rights == wanted.rights:
        return known
    row = {"writes": "write" in wanted.rights, "given_at": unit.now, "given_by": wanted.given_by}
    if known is None:
        names = {"id": wanted.id, "from_agent": wanted.from_agent, "to_agent": wanted.to_agent}
        _insert(unit, wanted, {**partition_values(unit.scope), **names, **row})
        change_log.append(unit, [_entry(wanted, "create")])
    else:
        wanted = wanted.evolve(id=known.id)
        this = _between(unit, wanted.from_agent, wanted.to_agent)
        if not unit.connection.execute(update(grants).where(this).values(**row)).rowcount:
            raise _changed(wanted)
    before = {} if known is None else known.told
    change_log.append(unit, change_log.updated(wanted.scope, "grant", wanted.id, before, wanted.told))
    return wanted


def _insert(unit: Unit, grant: Grant, row: Mapping[str, Any]) -> None:
    try:
        unit.connection.execute(insert(grants), [row])
    except IntegrityError as error:
        raise _changed(grant) from error


def _changed(grant: Grant) -> Conflict:
    agents = f"{grant.from_agent!r} and {grant.to_agent!r}"
    return Conflict(f"what is granted between agents {agents} has just changed; try again")


def delete_grant(unit: Unit, from_agent: str, to_agent: str) -> Grant | None:
    """Delete a grant; see `GrantStore.revoke`."""
    known = _known(unit, clean_text(from_agent), clean_text(to_agent))
    if known is None:
        return None
    unit.connection.execute(delete(grants).where(_between(unit, known.from_agent, known.to_agent)))
    change_log.append(unit, [_entry(known, "delete")._replace(before=known.told)])
    return known


def clear_grants(unit: Unit) -> None:
    """Take back what an agent gave and was given, where a scope names one and nothing narrower."""
    if unit.scope.attributes.keys() != {"agent"}:
        return
    agent = unit.scope.agent
    mine = and_(within(grants, unit.scope), or_(grants.c.from_agent == agent, grants.c.to_agent == agent))
    found = [_grant(row) for row in unit.connection.execute(select(grants).where(mine)).mappings()]
    unit.connection.execute(delete(grants).where(mine))
    change_log.append(unit, [_entry(one, "delete")._replace(before=one.told) for one in found])


def _entry(grant: Grant, op: Operation) -> Entry:
    return Entry(scope=grant.scope, kind="grant", record_id=grant.id, op=op)


def _known(unit: Unit, from_agent: str, to_agent: str) -> Grant | None:
    statement = select(grants).where(_between(unit, from_agent, to_agent))
    row = unit.connection.execute(statement).mappings().one_or_none()
    return None if row is None else _grant(row)


def _between(unit: Unit, from_agent: str, to_agent: str) -> ColumnElement[bool]:
    agents = and_(grants.c.from_agent == from_agent, grants.c.to_agent == to_agent)
    return and_(within(grants, unit.scope), agents)
