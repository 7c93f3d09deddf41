"""What the change log says of the state at one of its positions: read backwards, from the state of now."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, func, or_, select, true

from memu_py.errors import HistoryGone, InvalidInput
from memu_py.records.change import Change, RecordKind
from memu_py.records.identity import item_identity
from memu_py.records.item import Item
from memu_py.records.plain import plain, restored
from memu_py.records.rollback import Moment
from memu_py.records.scope import Scope
from memu_py.storage.change_log import change_of
from memu_py.storage.item_rows import load_items, logged_item
from memu_py.storage.schema import changes
from memu_py.storage.scoping import scope_of, within
from memu_py.storage.unit import chunks

FETCH = 1000


@dataclasses.dataclass(kw_only=True, slots=True)
class Then:
    """One record at a position of the log, against now.

    Attributes:
        kind: of the record.
        record_id: the record.
        scope: whose, as its last change says.
        there: whether it was there; None where it is there now, and was.
        fields: what it had: all of it when it is not there now, else what has changed since.
        changes: how often it has changed since.
        lost: what it had was erased.
    """

    kind: RecordKind
    record_id: str
    scope: Scope
    there: bool | None = None
    fields: dict[str, Any] = dataclasses.field(default_factory=dict)
    changes: int = 0
    lost: bool = False

    def undo(self, change: Change) -> None:
        """Go back over one change."""
        self.changes += 1
        if change.op == "create":
            self.there, self.fields, self.lost = False, {}, False
        elif change.before is None:
            self.there, self.lost = True if change.op == "delete" else self.there, True
        elif change.op == "delete":
            self.there, self.fields, self.lost = True, dict(change.before), False
        else:
            self.fields |= change.before


Undone = Mapping[tuple[RecordKind, str], Then]


def position(connection: Connection, scope: Scope, to: Moment) -> int:
    """Return the position of the log at a moment.

    Raises:
        InvalidInput: it is a position that the log has not reached.
        HistoryGone: the log does not reach back to it.
    """
    mine = within(changes, scope, attributes=False)
    last = connection.scalar(select(func.max(changes.c.seq)).where(mine)) or 0
    if isinstance(to, int):
        seq = to
        if not 0 <= seq <= last:
            msg = f"the log goes from 0 to {last}, and {seq} is outside of it"
            raise InvalidInput(msg)
    else:
        seq = connection.scalar(select(func.max(changes.c.seq)).where(mine, changes.c.at <= to)) or 0
    gap = select(changes.c.seq).where(mine, changes.c.seq > seq, changes.c.gap == true()).limit(1)
    if connection.scalar(gap) is not None:
        msg = "the history does not reach back that far: what was before is no longer kept, or was erased"
        raise HistoryGone(msg, hint="see `database.keep_changes_days`; `changes` shows what there is")
    return seq


def undone(
    connection: Connection,
    scope: Scope,
    seq: int,
    *,
    kind: RecordKind | None = None,
    ids: Sequence[str] | None = None,
) -> dict[tuple[RecordKind, str], Then]:
    """Return what records of the scope's partition that changed since a position of its log were then.

    Args:
        connection: inside a transaction.
        scope: whose.
        seq: the position.
        kind: only of this kind.
        ids: only these.

    Raises:
        HistoryGone: what one of them had was erased.
    """
    found: dict[tuple[RecordKind, str], Then] = {}
    for row in _later(connection, scope, seq, kind, ids):
        change = change_of(row)
        key = (change.kind, change.record_id)
        if key not in found:
            found[key] = Then(kind=change.kind, record_id=change.record_id, scope=scope_of(row))
        found[key].undo(change)
    for then in found.values():
        if then.lost:
            msg = f"what {then.kind} {then.record_id} was then has been erased"
            raise HistoryGone(msg, hint="name a later moment")
    return found


def _later(
    connection: Connection, scope: Scope, seq: int, kind: RecordKind | None, ids: Sequence[str] | None
) -> Iterator[RowMapping]:
    mine = and_(within(changes, scope, attributes=False), changes.c.seq > seq)
    wanted = mine if kind is None else and_(mine, changes.c.kind == kind)
    statement = select(changes).where(wanted).order_by(changes.c.seq.desc())
    if ids is None:
        yield from connection.execute(statement, execution_options={"yield_per": FETCH}).mappings()
        return
    for part in chunks(list(dict.fromkeys(ids))):
        yield from connection.execute(statement.where(changes.c.record_id.in_(part))).mappings()


def items_then(connection: Connection, scope: Scope, found: Undone) -> dict[str, Item | None]:
    """Return the items among what was undone as they were; None for those that were not there."""
    mine = {then.record_id: then for then in found.values() if then.kind == "item"}
    now = load_items(
        connection, scope, [one for one, then in mine.items() if then.there is None], attributes=False
    )
    return {item_id: _item_then(then, now.get(item_id)) for item_id, then in mine.items()}


def _item_then(then: Then, now: Item | None) -> Item | None:
    if then.there is None and now is not None:
        return item_of_log(then.fields, now)
    if not then.there:
        return None
    created_at = then.fields["created_at"]
    blank = {**then.fields, "scope": plain(then.scope), "id": then.record_id, "updated_at": created_at}
    return _identified(restored(Item, _public(blank)))


def item_of_log(fields: Mapping[str, Any], now: Item) -> Item:
    """Return an item with some of its fields as the log says them."""
    told = {
        **logged_item(now),
        **fields,
        "scope": plain(now.scope),
        "id": now.id,
        "updated_at": plain(now.updated_at),
    }
    item: Item = restored(Item, _public(told))
    reads = {"access_count": now.access_count, "last_accessed_at": now.last_accessed_at}
    return _identified(item.evolve(version=now.version, scope=now.scope, **reads))


def _public(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != "identity"}


def _identified(item: Item) -> Item:
    # Made anew: one that came from an import bears that of its former owner in the log.
    return item.evolve(identity=item_identity(item.scope, item))


def page(
    connection: Connection, scope: Scope, *, limit: int, before: int | None, kind: RecordKind | None
) -> list[Change]:
    """Return what happened in a scope, newest first; categories belong to their whole partition."""
    whole = and_(within(changes, scope, attributes=False), changes.c.kind == "category")
    conditions = [or_(within(changes, scope), whole)]
    conditions += [] if before is None else [changes.c.seq < before]
    conditions += [] if kind is None else [changes.c.kind == kind]
    statement = select(changes).where(*conditions).order_by(changes.c.seq.desc()).limit(limit)
    return [change_of(row) for row in connection.execute(statement).mappings()]


def seen(scope: Scope, then: Mapping[str, Item | None]) -> dict[str, Item | None]:
    """Return the items of a scope's partition as they were, without those that its attributes hide."""
    return {
        item_id: item if item is not None and _lies_in(scope, item) else None
        for item_id, item in then.items()
    }


def _lies_in(scope: Scope, item: Item) -> bool:
    own = item.scope.attributes
    sessions = {own.get("session"), *(source.session for source in item.sources)}
    return all(
        value in sessions if name == "session" else scope.admits(name, own.get(name))
        for name, value in scope.attributes.items()
    )
