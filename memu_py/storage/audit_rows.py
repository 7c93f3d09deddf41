"""What is kept of erasures, as rows."""

from collections.abc import Mapping

from sqlalchemy import Connection, insert, select

from memu_py.records.audit import AuditLine
from memu_py.records.ids import new_id
from memu_py.storage.plain import clean_text
from memu_py.storage.schema_audit import audit
from memu_py.storage.unit import Unit

FORGET = "forget"
"""An erasure of all that somebody had."""


def write_line(unit: Unit, counts: Mapping[str, int]) -> AuditLine:
    """Keep that something was erased.

    Args:
        unit: the transaction.
        counts: rows by table.
    """
    told = {name: number for name, number in counts.items() if number}
    line = AuditLine(id=new_id(), op=FORGET, actor=clean_text(unit.actor), at=unit.now, counts=told)
    row = {"id": line.id, "op": line.op, "actor": line.actor, "at": line.at, "counts": dict(told)}
    unit.connection.execute(insert(audit), [row])
    return line


def read_lines(connection: Connection, limit: int) -> list[AuditLine]:
    """Return the newest lines, newest first."""
    statement = select(audit).order_by(audit.c.at.desc(), audit.c.id.desc()).limit(limit)
    return [AuditLine(**row) for row in connection.execute(statement).mappings()]
