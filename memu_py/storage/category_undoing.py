"""Categories put back to as they were."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, update

from memu_py.records.category import Category
from memu_py.records.plain import plain, restored
from memu_py.records.rollback import Undo
from memu_py.records.scope import Scope
from memu_py.storage.category_rows import load_categories, logged_category
from memu_py.storage.category_writes import insert_categories, write_category
from memu_py.storage.deletion import delete_categories
from memu_py.storage.schema import categories
from memu_py.storage.scoping import within
from memu_py.storage.undoing import Then, Undone
from memu_py.storage.unit import Unit, chunks


def category_undos(connection: Connection, scope: Scope, found: Undone) -> list[Undo]:
    """Return what happens to categories."""
    now = load_categories(connection, scope, _ids(found))
    told: list[Undo] = []
    for then in _of(found):
        known = now.get(then.record_id)
        before = None if known is None else logged_category(known)
        if then.there is False:
            told += [_told(then, "delete", known.name)] if known else []
        elif before is None:
            told += [_told(then, "create", then.fields["name"])] if then.there else []
        else:
            fields = tuple(name for name, value in then.fields.items() if before.get(name) != value)
            told += [_told(then, "update", then.fields.get("name", before["name"]), fields)] if fields else []
    return told


def _told(then: Then, op: Any, text: str, fields: tuple[str, ...] = ()) -> Undo:
    return Undo(kind="category", record_id=then.record_id, op=op, text=text, fields=fields)


def _of(found: Undone) -> list[Then]:
    return [then for then in found.values() if then.kind == "category"]


def _ids(found: Undone) -> list[str]:
    return [then.record_id for then in _of(found)]


def remove_new_categories(unit: Unit, found: Undone) -> None:
    """Delete categories that were not there."""
    delete_categories(unit, [then.record_id for then in _of(found) if then.there is False])


def put_back_categories(unit: Unit, found: Undone) -> None:
    """Give categories their fields of then, and bring back those that are gone.

    Their summaries are those of then, and count as stale: they are made again with the next memorize.
    """
    now = load_categories(unit.connection, unit.scope, _ids(found))
    changed = [(known, _category(then, known)) for then in _of(found) if (known := now.get(then.record_id))]
    differing = [(known, then) for known, then in changed if logged_category(known) != logged_category(then)]
    _free_names(unit, [then.id for known, then in differing if known.name != then.name])
    for known, then in differing:
        write_category(unit, known, then.evolve(stale=True))
    insert_categories(
        unit,
        [
            _category(then, None).evolve(stale=True, version=then.changes + 1, updated_at=unit.now)
            for then in _of(found)
            if then.there and then.record_id not in now
        ],
    )


def _category(then: Then, now: Category | None) -> Category:
    told: Mapping[str, Any] = {} if now is None else logged_category(now)
    fields = {**told, **then.fields, "id": then.record_id, "scope": plain(then.scope.owner)}
    made: Category = restored(Category, {"updated_at": fields["created_at"], **fields})
    return made if now is None else now.evolve(**{name: getattr(made, name) for name in told})


def _free_names(unit: Unit, ids: list[str]) -> None:
    """Let go of names: one category may get what another still has."""
    for part in chunks(ids):
        mine = within(categories, unit.scope), categories.c.id.in_(part)
        unit.connection.execute(update(categories).where(*mine).values(name_key="\n" + categories.c.id))
