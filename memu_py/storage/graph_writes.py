"""Relations follow the items that say them: written with them, ended with them, gone with them.

What an item says is in the item, and so in the change log; only what is done to a relation by hand has rows of its own.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, or_, select, update

from memu_py.language.same_names import Seen
from memu_py.language.sentences import sentences
from memu_py.records.entity import entity_key
from memu_py.records.ids import new_id
from memu_py.records.item import Item
from memu_py.records.predicate import BUILT_IN
from memu_py.records.relation import RelationDraft
from memu_py.storage.bulk import insert_rows
from memu_py.storage.graph_names import Named, forget_names, keep_names, settle_families
from memu_py.storage.schema_graph import relations
from memu_py.storage.scoping import owner_values, within
from memu_py.storage.unit import CHUNK, Unit, chunks
from memu_py.storage.validity import Statement, grouped

Row = dict[str, Any]
Triple = tuple[str, str, str, bool]


def keep_relations(unit: Unit, records: Iterable[Item]) -> None:
    """Write what new items say of names."""
    insert_relations(unit, [row for item in records for row in _rows_of(item)])


def relate_items(unit: Unit, pairs: Iterable[tuple[Item, Item]]) -> None:
    """Make relations follow what changed items say now, and whether they still hold.

    Args:
        unit: the transaction.
        pairs: each item as it was, and as it is.
    """
    both = [(before, after) for before, after in pairs if before.relations or after.relations]
    restated = [after for before, after in both if _told(before) != _told(after)]
    ended = [after for before, after in both if _told(before) == _told(after) and _end(before) != _end(after)]
    if restated:
        _restate(unit, restated)
    for item in ended:
        mine = (within(relations, unit.scope, attributes=False), relations.c.item_id == item.id)
        unit.connection.execute(update(relations).where(*mine).values(item_ended_at=_end(item)))
    if ended:
        settle_rows(unit, _of_items(unit, [item.id for item in ended]))


def _told(item: Item) -> tuple[Any, ...]:
    return item.relations, since(item), item.speaker


def _end(item: Item) -> datetime | None:
    return item.valid_to or (item.updated_at if item.superseded_by else None)


def since(item: Item) -> datetime:
    """Return when what an item says began, UTC: when it happened, or was said where it tells of several things."""
    said = item.said_at or item.created_at
    happened = item.happened.start if item.happened else None
    if happened is None or happened > said or len(sentences(item.text)) > 1:
        return said
    return happened


def _rows_of(item: Item) -> list[Row]:
    return [
        relation_row(
            one,
            {**owner_values(item.scope), "item_id": item.id, "said_by": item.speaker},
            begins=since(item),
            now=item.created_at,
        )
        | {"item_ended_at": _end(item)}
        for one in dict.fromkeys(item.relations)
        if entity_key(one.subject) and entity_key(one.object) and one.predicate
    ]


def relation_row(one: RelationDraft, owner: Mapping[str, Any], *, begins: datetime, now: datetime) -> Row:
    """Return the row of a relation, but for its names.

    Args:
        one: what it says.
        owner: columns of its owner, `item_id` and `said_by`.
        begins: since when it holds.
        now: when it is made.
    """
    return {
        **owner,
        "id": new_id(),
        "subject": one.subject,
        "predicate": one.predicate,
        "object": one.object,
        "confidence": one.confidence,
        "single": one.single,
        "denied": one.denied,
        "valid_from": begins,
        "ended_at": None,
        "item_ended_at": None,
        "valid_to": None,
        "own_valid_to": None,
        "created_at": now,
    }


def insert_relations(unit: Unit, rows: Sequence[Row]) -> None:
    """Write new relations with their names, and end what they end."""
    if not rows:
        return
    seen, names = _seen(rows)
    known, families = keep_names(unit, seen, names)
    insert_rows(unit.connection, relations, (row | _ends(row, known) for row in rows))
    subjects = settle_families(unit, families | _told_apart(rows, known))
    settle_rows(unit, [row | _ends(row, known) for row in rows])
    settle_subjects(unit, subjects)


def _seen(rows: Iterable[Row]) -> tuple[dict[str, Seen], dict[str, str]]:
    seen: dict[str, Seen] = {}
    names: dict[str, str] = {}
    for row in rows:
        people = BUILT_IN[row["predicate"]].people if row["predicate"] in BUILT_IN else ""
        speaker = entity_key(row["said_by"]) if row["said_by"] else None
        for end, letter in (("subject", "s"), ("object", "o")):
            key = entity_key(row[end])
            before = seen.get(key, Seen(key=key))
            speaks = before.speaks or key == speaker
            person = before.person or letter in people or speaks
            seen[key] = Seen(key=key, person=person, speaks=speaks)
            names.setdefault(key, row[end])
    return seen, names


def _told_apart(rows: Iterable[Row], known: Mapping[str, Named]) -> set[str]:
    """Return the families with two names between which there is a relation: they cannot mean the same."""
    pairs = ((known[entity_key(row["subject"])], known[entity_key(row["object"])]) for row in rows)
    return {one.family for one, other in pairs if one.family == other.family and one.id != other.id}


def _ends(row: Row, known: Mapping[str, Named]) -> Row:
    subject, object_ = known[entity_key(row["subject"])], known[entity_key(row["object"])]
    return {
        "subject_id": subject.id,
        "subject_node": subject.node,
        "object_id": object_.id,
        "object_node": object_.node,
    }


def _restate(unit: Unit, records: Sequence[Item]) -> None:
    old = _of_items(unit, [item.id for item in records])
    kept = {(row["item_id"], _triple(row)): row for row in old}
    drop_rows(unit, old)
    fresh: list[Row] = []
    for row in (row for item in records for row in _rows_of(item)):
        before = kept.get((row["item_id"], _triple(row)))
        # It is the same one, ended by hand if it was.
        same = {} if before is None else {name: before[name] for name in ("id", "ended_at", "created_at")}
        fresh.append(row | same)
    insert_relations(unit, fresh)
    settle_rows(unit, old)
    _forget(unit, old)


def _triple(row: Mapping[str, Any]) -> Triple:
    return entity_key(row["subject"]), row["predicate"], entity_key(row["object"]), row["denied"]


def _of_items(unit: Unit, item_ids: Sequence[str]) -> list[Row]:
    found: list[Row] = []
    for part in chunks(item_ids):
        statement = select(relations).where(
            within(relations, unit.scope, attributes=False), relations.c.item_id.in_(part)
        )
        found += map(dict, unit.connection.execute(statement).mappings())
    return found


def drop_rows(unit: Unit, rows: Iterable[Row]) -> None:
    """Delete relations, and nothing else."""
    for part in chunks([row["id"] for row in rows]):
        unit.connection.execute(
            delete(relations).where(within(relations, unit.scope, attributes=False), relations.c.id.in_(part))
        )


def remove_rows(unit: Unit, rows: Sequence[Row]) -> None:
    """Delete relations; what they ended holds again, and names that nothing else has are gone."""
    drop_rows(unit, rows)
    settle_rows(unit, rows)
    _forget(unit, rows)


def _forget(unit: Unit, rows: Iterable[Row]) -> None:
    names = {row[end] for row in rows for end in ("subject_id", "object_id")}
    if names:
        settle_subjects(unit, settle_families(unit, forget_names(unit, names)))


def forget_relations(unit: Unit, records: Iterable[Item]) -> None:
    """Delete what items say of names, before they are deleted."""
    remove_rows(unit, _of_items(unit, [item.id for item in records if item.relations]))


def forget_by_hand(unit: Unit) -> None:
    """Delete the relations of the scope that no item says."""
    statement = select(relations).where(within(relations, unit.scope), relations.c.item_id.is_(None))
    remove_rows(unit, [dict(row) for row in unit.connection.execute(statement).mappings()])


def move_session(unit: Unit, item_id: str, session: str | None) -> None:
    """Write the session of an item that has another one now."""
    mine = (within(relations, unit.scope, attributes=False), relations.c.item_id == item_id)
    unit.connection.execute(update(relations).where(*mine).values(session=session))


def settle_rows(unit: Unit, rows: Collection[Mapping[str, Any]]) -> None:
    """Work out anew until when the relations hold that these may end or be ended by."""
    objects = {row["object_node"] for row in rows}
    every = any(_denies_all(row) for row in rows)
    _settle(
        unit,
        {row["subject_node"] for row in rows},
        predicates={row["predicate"] for row in rows},
        objects=objects if len(objects) < CHUNK and not every else None,
    )


def settle_subjects(unit: Unit, nodes: Collection[str]) -> None:
    """The same for all relations of subjects."""
    _settle(unit, nodes)


def _settle(
    unit: Unit,
    subjects: Collection[str],
    *,
    predicates: Collection[str] | None = None,
    objects: Collection[str] | None = None,
) -> None:
    table = relations.c
    for part in chunks(sorted(subjects)):
        statement = select(relations).where(
            within(relations, unit.scope, attributes=False), table.subject_node.in_(part)
        )
        if predicates is not None and len(predicates) < CHUNK:
            statement = statement.where(table.predicate.in_(sorted(predicates)))
        if objects is not None:
            all_of_them = table.object_id == table.subject_id
            statement = statement.where(
                or_(table.single, all_of_them, table.object_node.in_(sorted(objects)))
            )
        rows = unit.connection.execute(statement).mappings().all()
        said = [(_told_of(row), _statement(row)) for row in rows]
        every = grouped(said)
        own = grouped(((*of, _told_to(row)), one) for row, (of, one) in zip(rows, said, strict=True))
        changed = [
            {"row_id": row["id"], "end": every[row["id"]], "own_end": own[row["id"]]}
            for row in rows
            if (row["valid_to"], row["own_valid_to"]) != (every[row["id"]], own[row["id"]])
        ]
        if changed:
            ended = update(relations).where(
                within(relations, unit.scope, attributes=False), table.id == bindparam("row_id")
            )
            ends = {
                "valid_to": bindparam("end", type_=table.valid_to.type),
                "own_valid_to": bindparam("own_end", type_=table.own_valid_to.type),
            }
            unit.connection.execute(ended.values(ends), changed)


def _told_of(row: Mapping[Any, Any]) -> tuple[str, str]:
    return row["subject_node"], row["predicate"]


def _told_to(row: Mapping[Any, Any]) -> tuple[str | None, tuple[tuple[str, str], ...]]:
    """Return who was told: what one agent hears does not end what another one knows."""
    return row["agent"], tuple(sorted(row["custom"].items()))


def _statement(row: Mapping[Any, Any]) -> Statement:
    given = [at for at in (row["ended_at"], row["item_ended_at"]) if at is not None]
    return Statement(
        id=row["id"],
        object=row["object_node"],
        since=row["valid_from"],
        denied=row["denied"],
        single=row["single"],
        ended_at=min(given) if given else None,
        whatever=_denies_all(row),
    )


def _denies_all(row: Mapping[Any, Any]) -> bool:
    return bool(row["denied"] and row["subject_id"] == row["object_id"])
