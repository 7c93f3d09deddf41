"""Blocks as rows, each change in the log."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from memu_py.errors import Conflict
from memu_py.records.block import Block
from memu_py.records.scope import Scope
from memu_py.storage import change_log
from memu_py.storage.change_log import Entry
from memu_py.storage.plain import clean_text
from memu_py.storage.schema_blocks import blocks
from memu_py.storage.scoping import owner_of, partition_values, within
from memu_py.storage.unit import Unit

_SAME = (
    "id",
    "name",
    "text",
    "description",
    "max_chars",
    "max_tokens",
    "read_only",
    "version",
    "created_at",
    "updated_at",
)


def load_blocks(connection: Connection, scope: Scope) -> list[Block]:
    """Return the blocks of a partition; see `BlockStore.all`."""
    statement = select(blocks).where(within(blocks, scope)).order_by(blocks.c.id)
    return [_block(row) for row in connection.execute(statement).mappings()]


def _block(row: RowMapping) -> Block:
    scope = owner_of(row["partition"])
    return Block(
        scope=scope.evolve(agent=row["holder"]) if row["holder"] else scope,
        shared_with=tuple(row["shared_with"]),
        **{name: row[name] for name in _SAME},
    )


def write_block(unit: Unit, block: Block) -> Block:
    """Write a block; see `BlockStore.write`."""
    known = _known(unit, block.id)
    version = known.version if known else None
    wanted = block.version if known or block.version > 1 else None
    if version != wanted:
        raise _changed(block)
    stored = block.evolve(
        name=clean_text(block.name),
        text=clean_text(block.text),
        description=clean_text(block.description),
        version=1 if known is None else known.version + 1,
        updated_at=unit.now,
    )
    if known is None:
        _insert(unit, stored)
    else:
        statement = update(blocks).where(_this(unit, block.id))
        unit.connection.execute(statement.values(_row(stored)))
    change_log.append(unit, _entries(known, stored))
    return stored


def _insert(unit: Unit, block: Block) -> None:
    row = {**partition_values(unit.scope), **_row(block)}
    try:
        unit.connection.execute(insert(blocks), [row])
    except IntegrityError as error:
        raise _changed(block) from error


def delete_block(unit: Unit, block: Block) -> None:
    """Delete a block; see `BlockStore.delete`."""
    known = _known(unit, block.id)
    if known is None or known.version != block.version:
        raise _changed(block)
    unit.connection.execute(delete(blocks).where(_this(unit, block.id)))
    gone = Entry(scope=known.scope, kind="block", record_id=known.id, op="delete", before=known.told)
    change_log.append(unit, [gone])


def clear_blocks(unit: Unit) -> None:
    """Erase the blocks of an agent, where a scope names one and nothing narrower."""
    if unit.scope.attributes.keys() == {"agent"}:
        mine = and_(within(blocks, unit.scope), blocks.c.holder == unit.scope.agent)
        unit.connection.execute(delete(blocks).where(mine))


def _entries(known: Block | None, stored: Block) -> list[Entry]:
    if known is None:
        told = dict(stored.told)
        return [
            Entry(scope=stored.scope, kind="block", record_id=stored.id, op="create"),
            *change_log.updated(stored.scope, "block", stored.id, {}, told),
        ]
    return change_log.updated(stored.scope, "block", stored.id, known.told, stored.told)


def _row(block: Block) -> dict[str, Any]:
    same = {name: getattr(block, name) for name in _SAME}
    return {**same, "holder": block.agent or "", "shared_with": list(block.shared_with)}


def _known(unit: Unit, block_id: str) -> Block | None:
    row = unit.connection.execute(select(blocks).where(_this(unit, block_id))).mappings().one_or_none()
    return None if row is None else _block(row)


def _this(unit: Unit, block_id: str) -> ColumnElement[bool]:
    return and_(within(blocks, unit.scope), blocks.c.id == block_id)


def _changed(block: Block) -> Conflict:
    return Conflict(f"block {block.name!r} was changed since it was read; read again and retry")
