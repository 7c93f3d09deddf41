"""What chat models cost, by day, profile and purpose; a partition's own."""

from collections.abc import Sequence
from datetime import date

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects import postgresql, sqlite

from memu_py.records.scope import Scope
from memu_py.records.usage import Usage, UsageRow
from memu_py.storage.schema import USAGE_COUNTERS, usage
from memu_py.storage.scoping import partition_values, within
from memu_py.storage.unit import Unit

KEY = ("partition_hash", "day", "profile", "purpose")


def add_usage(unit: Unit, rows: Sequence[UsageRow]) -> None:
    """Add to the counters; each row stands for another day, profile or purpose."""
    dialect = sqlite if unit.connection.dialect.name == "sqlite" else postgresql
    statement = dialect.insert(usage).values([_values(unit.scope, row) for row in rows])
    grown = {name: usage.c[name] + statement.excluded[name] for name in USAGE_COUNTERS}
    unit.connection.execute(statement.on_conflict_do_update(index_elements=KEY, set_=grown))


def _values(scope: Scope, row: UsageRow) -> dict[str, object]:
    counters = {name: getattr(row.usage, name) for name in USAGE_COUNTERS}
    key = {"day": row.day.isoformat(), "profile": row.profile, "purpose": row.purpose}
    return {**partition_values(scope), **key, **counters}


def usage_since(connection: Connection, scope: Scope, day: date) -> list[UsageRow]:
    """Return the rows from a day on, the newest day first, then by profile and purpose."""
    statement = (
        select(usage)
        .where(within(usage, scope), usage.c.day >= day.isoformat())
        .order_by(usage.c.day.desc(), usage.c.profile, usage.c.purpose)
    )
    return [
        UsageRow(
            day=date.fromisoformat(row["day"]),
            profile=row["profile"],
            purpose=row["purpose"],
            usage=Usage(**{name: row[name] for name in USAGE_COUNTERS}),
        )
        for row in connection.execute(statement).mappings()
    ]


def tokens_on(connection: Connection, scope: Scope, day: date) -> int:
    """Return the tokens of a day, sent and answered."""
    total = func.coalesce(func.sum(usage.c.prompt_tokens + usage.c.completion_tokens), 0)
    statement = select(total).where(within(usage, scope), usage.c.day == day.isoformat())
    return int(connection.scalar(statement) or 0)
