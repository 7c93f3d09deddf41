"""Row-level security of PostgreSQL: a second wall behind `storage/scoping.py`.

A transaction says whose rows it is about, and the server shows and takes no others, whatever its statements forget to
say; one that says nothing sees nothing. Superusers and those who may bypass row security are not held by it, and who
may send any statement may also say that it is about somebody else.
"""

from sqlalchemy import Connection

from memu_py.errors import ConfigError
from memu_py.storage.database import QUEUE
from memu_py.storage.job_schema import SCHEMA
from memu_py.storage.tables import PARTITIONED

SETTING = "memu.partition"
EVERYBODY = "*"
"""What work on the whole database says."""
GUARDED = "memu_guarded"
"""Execution option of a connection that is held: COPY is refused to it."""

_POLICY = "memu_partition"
_MINE = f"current_setting('{SETTING}', true) IN ('{EVERYBODY}', encode(partition_hash, 'hex'))"
_PASSES = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
_FORCED = "SELECT relforcerowsecurity FROM pg_class WHERE oid = to_regclass('items')"


_TICKETS = f"{SCHEMA}.procrastinate_jobs"
_MY_TICKET = f"current_setting('{SETTING}', true) IN ('{EVERYBODY}', args ->> 'partition')"


def secure(connection: Connection) -> None:
    """Have the server hold every partitioned table, and the tickets of jobs; again is a no-op."""
    for name, mine in _held(connection):
        connection.exec_driver_sql(
            f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY; ALTER TABLE {name} FORCE ROW LEVEL SECURITY; "
            f"DROP POLICY IF EXISTS {_POLICY} ON {name}; "
            f"CREATE POLICY {_POLICY} ON {name} USING ({mine}) WITH CHECK ({mine})"
        )


def release(connection: Connection) -> None:
    """Take the wall away; where there is none, this is a no-op."""
    if not connection.exec_driver_sql(_FORCED).scalar():
        return
    for name, _ in _held(connection):
        connection.exec_driver_sql(
            f"DROP POLICY IF EXISTS {_POLICY} ON {name}; "
            f"ALTER TABLE {name} NO FORCE ROW LEVEL SECURITY; ALTER TABLE {name} DISABLE ROW LEVEL SECURITY"
        )


def _held(connection: Connection) -> list[tuple[str, str]]:
    """Return each table that is held, by its name in SQL, and the condition that a row is of whom it is about."""
    quote = connection.dialect.identifier_preparer.quote
    return [*((quote(table.name), _MINE) for table in PARTITIONED), (_TICKETS, _MY_TICKET)]


def about(partition: bytes | None) -> str:
    """Return the statement by which a transaction says whose rows it is about; None and `QUEUE` are everybody's."""
    return (
        f"SET LOCAL {SETTING} = '{EVERYBODY if partition is None or partition == QUEUE else partition.hex()}'"
    )


def check_security(connection: Connection, where: str, *, wanted: bool) -> None:
    """Check that a database is held as configured, and its user with it.

    Args:
        connection: inside a transaction.
        where: the database, for the message.
        wanted: `database.row_level_security`.

    Raises:
        ConfigError: it is not.
    """
    found = bool(connection.exec_driver_sql(_FORCED).scalar())
    if found and not wanted:
        msg = f"{where} has row-level security, and `database.row_level_security` is off"
        raise ConfigError(msg, hint="switch it on, or run `memu migrate` to take it away")
    if wanted and not found:
        msg = f"{where} has no row-level security, and `database.row_level_security` is on"
        raise ConfigError(msg, hint="run `memu migrate`")
    if wanted and connection.exec_driver_sql(_PASSES).scalar():
        msg = f"row-level security does not hold the user of {where}: it is a superuser, or may bypass it"
        raise ConfigError(msg, hint="name another user in `database.dsn`")
