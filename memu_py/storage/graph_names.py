"""Names of the graph as rows: kept while a relation has them, and taken for one another where that is safe.

What a name is taken for follows from the names of its family, so that it is taken back when another name makes it
ambiguous, or when the relation that made it known is deleted. What somebody said by hand stays.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, exists, literal, not_, or_, select, update

from memu_py.language.same_names import Seen, form_of, same_names
from memu_py.records.ids import new_id
from memu_py.records.record import Record
from memu_py.records.scope import Scope
from memu_py.storage.bulk import insert_rows
from memu_py.storage.schema_graph import graph_names, relations
from memu_py.storage.scoping import beside, partition_values, within
from memu_py.storage.unit import Unit, chunks

BY_HAND = ("hand", "apart")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Named(Record):
    """A name of the graph.

    Attributes:
        id: UUIDv7.
        name: as it was first written.
        name_key: what it is unique by.
        family: see `Form`.
        person: it is known to be a person's.
        speaks: somebody of this name has said something.
        same_as: id of the name that it is taken for.
        tie: why.
        node: id of the name that stands for it in the end.
    """

    id: str
    name: str
    name_key: str
    family: str
    person: bool = False
    speaks: bool = False
    same_as: str | None = None
    tie: str | None = None
    node: str


def load_names(
    connection: Connection,
    scope: Scope,
    *,
    keys: Iterable[str] = (),
    ids: Iterable[str] = (),
    families: Iterable[str] = (),
) -> list[Named]:
    """Return names of a partition with one of the keys, ids or families."""
    wanted = ((graph_names.c.name_key, keys), (graph_names.c.id, ids), (graph_names.c.family, families))
    found: dict[str, Named] = {}
    for column, values in wanted:
        for part in chunks(sorted(set(values))):
            statement = select(graph_names).where(within(graph_names, scope), column.in_(part))
            found.update((row["id"], _named_of(row)) for row in connection.execute(statement).mappings())
    return list(found.values())


def all_names(connection: Connection, scope: Scope) -> list[Named]:
    """Return all names of a partition, in order of key."""
    statement = select(graph_names).where(within(graph_names, scope)).order_by(graph_names.c.name_key)
    return [_named_of(row) for row in connection.execute(statement).mappings()]


def _named_of(row: Mapping[Any, Any]) -> Named:
    return Named(**{field.name: row[field.name] for field in dataclasses.fields(Named)})


def keep_names(
    unit: Unit, seen: Mapping[str, Seen], names: Mapping[str, str]
) -> tuple[dict[str, Named], set[str]]:
    """Write the names that are new, and what is newly known of the others.

    Args:
        unit: the transaction.
        seen: what is known of names, by key.
        names: as they are written, by key.

    Returns:
        The names by key, and the families that must be settled anew.
    """
    known = {one.name_key: one for one in load_names(unit.connection, unit.scope, keys=seen)}
    fresh = [_fresh(seen[key], names[key]) for key in seen if key not in known]
    insert_rows(
        unit.connection, graph_names, ({**partition_values(unit.scope), **_values(one)} for one in fresh)
    )
    changed = []
    for key, one in known.items():
        told = one.evolve(person=one.person or seen[key].person, speaks=one.speaks or seen[key].speaks)
        if told != one:
            known[key] = told
            changed.append(told)
    _update(unit, changed)
    known |= {one.name_key: one for one in fresh}
    return known, {one.family for one in (*fresh, *changed)}


def _fresh(seen: Seen, name: str) -> Named:
    identifier = new_id()
    return Named(
        id=identifier,
        name=name,
        name_key=seen.key,
        family=form_of(seen.key).family,
        person=seen.person,
        speaks=seen.speaks,
        node=identifier,
    )


def _values(one: Named) -> dict[str, Any]:
    return {field.name: getattr(one, field.name) for field in dataclasses.fields(Named)}


def _update(unit: Unit, changed: Sequence[Named]) -> None:
    if not changed:
        return
    columns: dict[str, Any] = {
        name: bindparam(f"new_{name}") for name in ("person", "speaks", "same_as", "tie", "node")
    }
    mine = (within(graph_names, unit.scope), graph_names.c.id == bindparam("row_id"))
    rows = [{"row_id": one.id} | {f"new_{name}": getattr(one, name) for name in columns} for one in changed]
    unit.connection.execute(update(graph_names).where(*mine).values(columns), rows)


def tie_by_hand(unit: Unit, one: Named, *, same_as: str | None, tie: str) -> set[str]:
    """Set what a name is taken for, and return the nodes whose relations are others now."""
    changed = one.evolve(same_as=same_as, tie=tie)
    _update(unit, [changed])
    return settle_families(unit, [one.family], ids=[one.id])


def settle_families(unit: Unit, families: Collection[str], *, ids: Collection[str] = ()) -> set[str]:
    """Work out anew which names of families mean the same, and write it into names and relations.

    Args:
        unit: the transaction.
        families: any number.
        ids: further names whose place must be looked at.

    Returns:
        The nodes whose relations are others now.
    """
    if not families and not ids:
        return set()
    rows = {one.id: one for one in load_names(unit.connection, unit.scope, families=families, ids=ids)}
    tied = _tied(rows.values(), _pairs(unit, rows))
    nodes = _Nodes(unit, tied)
    moved: dict[str, tuple[str, str]] = {}
    changed = []
    for one in tied.values():
        settled = one.evolve(node=nodes.of(one.id))
        if settled != rows[one.id]:
            changed.append(settled)
        if settled.node != rows[one.id].node:
            moved[one.id] = rows[one.id].node, settled.node
    _update(unit, changed)
    moved |= _followers(unit, {one_id: node for one_id, (_, node) in moved.items()}, known=set(rows))
    return _move_relations(unit, moved)


def _tied(rows: Collection[Named], pairs: Collection[frozenset[str]]) -> dict[str, Named]:
    free: defaultdict[str, list[Named]] = defaultdict(list)
    found = {one.id: one for one in rows}
    for one in rows:
        if one.tie not in BY_HAND:
            free[one.family].append(one)
    for members in free.values():
        ids = {one.name_key: one.id for one in members}
        seen = [Seen(key=one.name_key, person=one.person, speaks=one.speaks) for one in members]
        same = same_names(seen, pairs)
        for one in members:
            head = same.get(one.name_key)
            tie = "auto" if head else None
            found[one.id] = one.evolve(same_as=ids[head] if head else None, tie=tie)
    return found


def _pairs(unit: Unit, rows: Mapping[str, Named]) -> set[frozenset[str]]:
    """Return the keys of names that a relation leads from one to the other: nobody is his own sister."""
    found: set[frozenset[str]] = set()
    for part in chunks(sorted(rows)):
        statement = select(relations.c.subject_id, relations.c.object_id).where(
            within(relations, unit.scope, attributes=False), relations.c.subject_id.in_(part)
        )
        for subject, object_ in unit.connection.execute(statement):
            if object_ in rows and subject != object_:
                found.add(frozenset((rows[subject].name_key, rows[object_].name_key)))
    return found


class _Nodes:
    """Which name stands for which in the end."""

    def __init__(self, unit: Unit, rows: Mapping[str, Named]) -> None:
        self._rows = rows
        outside = {one.same_as for one in rows.values() if one.same_as} - rows.keys()
        self._outside = {one.id: one.node for one in load_names(unit.connection, unit.scope, ids=outside)}

    def of(self, name_id: str) -> str:
        """Return the id of the name that stands for this one."""
        seen = [name_id]
        while True:
            one = self._rows.get(seen[-1])
            if one is None:
                return self._outside.get(seen[-1], seen[-1])
            if one.same_as is None:
                return one.id
            seen.append(one.same_as)


def _followers(unit: Unit, moved: Mapping[str, str], *, known: set[str]) -> dict[str, tuple[str, str]]:
    """Move the names that are taken by hand for one that has moved."""
    found: dict[str, tuple[str, str]] = {}
    ahead = dict(moved)
    while ahead:
        behind: list[Named] = []
        for part in chunks(sorted(ahead)):
            statement = select(graph_names).where(
                within(graph_names, unit.scope), graph_names.c.same_as.in_(part)
            )
            behind += map(_named_of, unit.connection.execute(statement).mappings())
        behind = [one for one in behind if one.id not in known]
        known |= {one.id for one in behind}
        changed = [one.evolve(node=ahead[str(one.same_as)]) for one in behind]
        _update(unit, changed)
        found |= {one.id: (one.node, new.node) for one, new in zip(behind, changed, strict=True)}
        ahead = {one.id: one.node for one in changed}
    return found


def _move_relations(unit: Unit, moved: Mapping[str, tuple[str, str]]) -> set[str]:
    """Write new nodes into relations; returns the subjects whose relations must be looked at again."""
    touched = {node for pair in moved.values() for node in pair}
    ends = (
        (relations.c.subject_id, relations.c.subject_node),
        (relations.c.object_id, relations.c.object_node),
    )
    rows = [{"name_id": name_id, "new_node": node} for name_id, (_, node) in moved.items()]
    for named, placed in ends if rows else ():
        for part in chunks(sorted(moved)):
            theirs = (within(relations, unit.scope, attributes=False), named.in_(part))
            touched.update(
                unit.connection.scalars(select(relations.c.subject_node).where(*theirs).distinct())
            )
        mine = (within(relations, unit.scope, attributes=False), named == bindparam("name_id"))
        unit.connection.execute(
            update(relations).where(*mine).values({placed.name: bindparam("new_node")}), rows
        )
    return touched


def forget_names(unit: Unit, ids: Collection[str]) -> set[str]:
    """Remove those of these names that no relation has and nobody tied by hand; returns their families."""
    used = exists(
        select(literal(1))
        .select_from(relations)
        .where(
            beside(relations, graph_names),
            or_(relations.c.subject_id == graph_names.c.id, relations.c.object_id == graph_names.c.id),
        )
    )
    other = graph_names.alias("other")
    followed = exists(
        select(literal(1))
        .select_from(other)
        .where(beside(other, graph_names), other.c.same_as == graph_names.c.id, other.c.tie == "hand")
    )
    families: set[str] = set()
    for part in chunks(sorted(ids)):
        mine = (
            within(graph_names, unit.scope),
            graph_names.c.id.in_(part),
            or_(graph_names.c.tie.is_(None), graph_names.c.tie == "auto"),
            not_(used),
            not_(followed),
        )
        gone = list(unit.connection.execute(select(graph_names.c.id, graph_names.c.family).where(*mine)))
        families |= {row.family for row in gone}
        for some in chunks([row.id for row in gone]):
            statement = delete(graph_names).where(within(graph_names, unit.scope), graph_names.c.id.in_(some))
            unit.connection.execute(statement)
    return families
