"""Changing the graph by hand, with rows in the change log."""

from datetime import datetime
from typing import Any

from sqlalchemy import select, update

from memu_py.errors import NotFound
from memu_py.records.entity import entity_key
from memu_py.records.graph import Alias
from memu_py.records.relation import Relation, RelationDraft
from memu_py.storage import change_log
from memu_py.storage.change_log import Entry
from memu_py.storage.graph_names import Named, load_names, tie_by_hand
from memu_py.storage.graph_reads import relation_of
from memu_py.storage.graph_writes import (
    insert_relations,
    relation_row,
    remove_rows,
    settle_rows,
    settle_subjects,
)
from memu_py.storage.plain import clean_text, finite, to_micros
from memu_py.storage.schema_graph import relations
from memu_py.storage.scoping import owner_values, within
from memu_py.storage.unit import Unit


def add_relation(
    unit: Unit, said: RelationDraft, valid_from: datetime | None, valid_to: datetime | None
) -> Relation:
    """Add a relation; see `Graph.add`."""
    clean = said.evolve(
        subject=clean_text(said.subject),
        predicate=clean_text(said.predicate),
        object=clean_text(said.object),
        confidence=finite(said.confidence, where="confidence"),
    )
    for at in (valid_from, valid_to):
        to_micros(at or unit.now, where="relation")
    owner = {**owner_values(unit.scope), "item_id": None, "said_by": None}
    row = relation_row(clean, owner, begins=valid_from or unit.now, now=unit.now) | {"ended_at": valid_to}
    insert_relations(unit, [row])
    made = _row(unit, row["id"])
    _log(unit, made, "create")
    return relation_of(made, unit.scope)


def end_relation(unit: Unit, relation_id: str, at: datetime | None) -> Relation:
    """End a relation; see `Graph.end`."""
    before = _row(unit, relation_id)
    moment = at or unit.now
    to_micros(moment, where="at")
    mine = (within(relations, unit.scope, attributes=False), relations.c.id == relation_id)
    unit.connection.execute(update(relations).where(*mine).values(ended_at=moment))
    settle_rows(unit, [before])
    after = _row(unit, relation_id)
    ended = relation_of(after, unit.scope)
    change = change_log.updated(ended.scope, "relation", relation_id, _logged(before), _logged(after))
    change_log.append(unit, change)
    return ended


def delete_relation(unit: Unit, relation_id: str) -> None:
    """Delete a relation; see `Graph.delete`."""
    before = _row(unit, relation_id)
    remove_rows(unit, [before])
    _log(unit, before, "delete")


def tie(unit: Unit, name: str, same_as: str | None) -> Alias:
    """Take a name for another one; see `Graph.alias`."""
    one = _named(unit, name)
    if same_as is None:
        settle_subjects(unit, tie_by_hand(unit, one, same_as=None, tie="apart"))
        return Alias(name=one.name, same_as=one.name, tie="apart")
    other = _named(unit, same_as)
    head = load_names(unit.connection, unit.scope, ids=[other.node])[0]
    # What stands for the other already needs no tie: the other is taken for it.
    moved, target = (other, one) if head.id == one.id else (one, head)
    if moved.id != target.id:
        settle_subjects(unit, tie_by_hand(unit, moved, same_as=target.id, tie="hand"))
    return Alias(name=moved.name, same_as=target.name, tie="hand")


def _named(unit: Unit, name: str) -> Named:
    found = load_names(unit.connection, unit.scope, keys=[entity_key(name)])
    if not found:
        msg = f"the graph has no name {name!r}"
        raise NotFound(msg, hint="a name is known once a relation has it")
    return found[0]


def _row(unit: Unit, relation_id: str) -> dict[str, Any]:
    statement = select(relations).where(within(relations, unit.scope), relations.c.id == relation_id)
    row = unit.connection.execute(statement).mappings().one_or_none()
    if row is None:
        msg = f"no relation {relation_id} in this scope"
        raise NotFound(msg)
    return dict(row)


def _logged(row: dict[str, Any]) -> dict[str, Any]:
    named = {name: row[name] for name in ("subject", "predicate", "object", "item_id")}
    return named | {"valid_to": to_micros(row["valid_to"]) if row["valid_to"] else None}


def _log(unit: Unit, row: dict[str, Any], op: Any) -> None:
    scope = relation_of(row, unit.scope).scope
    before = _logged(row) if op == "delete" else None
    change_log.append(unit, [Entry(scope=scope, kind="relation", record_id=row["id"], op=op, before=before)])
