"""What SQLite's query planner should assume about our tables.

Without statistics it takes any first column of an index to select ten rows. Ours is the partition, which may select
all of them, so that it would read whole partitions where an id was given. Statistics of the data would do, but must
be renewed; these say once what is always so: a partition is large, and an id is not. `ANALYZE` by hand may replace
them.
"""

from sqlalchemy import Connection, column, delete, insert, table

from memu_py.storage.tables import metadata

ROWS = 1_000_000
"""Assumed rows of a table."""
ROWS_OF_PARTITION = 100_000
"""Assumed rows that share a partition."""
ROWS_OF_KEY = 10
"""Assumed rows that share a partition and the first column after it, where that is not unique."""

_statistics = table("sqlite_stat1", column("tbl"), column("idx"), column("stat"))


def teach_planner(connection: Connection) -> None:
    """Write what the planner should assume, and have it read that."""
    names = [one.name for one in metadata.sorted_tables]
    connection.exec_driver_sql("ANALYZE")
    connection.execute(delete(_statistics).where(_statistics.c.tbl.in_(names)))
    rows = [
        {"tbl": name, "idx": index, "stat": stat}
        for name in names
        for index, stat in _assumed(connection, name)
    ]
    connection.execute(insert(_statistics), rows)
    connection.exec_driver_sql("ANALYZE sqlite_schema")


def _assumed(connection: Connection, name: str) -> list[tuple[str, str]]:
    pragma = connection.dialect.identifier_preparer.quote(name)
    indexes = connection.exec_driver_sql(f"PRAGMA index_list({pragma})").all()
    return [(row[1], _stat(_columns(connection, row[1]), unique=bool(row[2]))) for row in indexes]


def _columns(connection: Connection, index: str) -> list[str]:
    pragma = connection.dialect.identifier_preparer.quote(index)
    return [row[2] for row in connection.exec_driver_sql(f"PRAGMA index_info({pragma})")]


def _stat(columns: list[str], *, unique: bool) -> str:
    counts = [ROWS_OF_PARTITION if columns[0] == "partition_hash" else ROWS_OF_KEY]
    counts += [ROWS_OF_KEY] * (len(columns) - 1)
    if unique or columns[-1] == "seq":
        counts[-1] = 1
    return " ".join(map(str, [ROWS, *counts]))
