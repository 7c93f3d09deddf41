"""The tables of procrastinate beside ours: PostgreSQL only, in a schema of their own.

It brings their SQL with it, and one file for each step from an older version; the comment of the schema names the last
one that stands in it. `set_up` and `memu migrate` call `bring_job_schema`, so that one command owns both schemas.
"""

import importlib.util
from pathlib import Path

from sqlalchemy import Connection, text

from memu_py.errors import ConfigError, SchemaMismatch

SCHEMA = "memu_jobs"
EXTRA = "memu_py[postgres]"

_FOUND = text(f"SELECT to_regnamespace('{SCHEMA}') IS NOT NULL")
_STANDS = text(f"SELECT obj_description(to_regnamespace('{SCHEMA}'), 'pg_namespace')")
_PATH = text("SELECT set_config('search_path', :path, true)")
# An index for `storage/tickets.py`, and functions that find their tables whatever the caller's search path is.
_OURS = f"""
CREATE INDEX IF NOT EXISTS memu_tickets_job ON {SCHEMA}.procrastinate_jobs ((args ->> 'job'));
DO $$
DECLARE
    found regprocedure;
BEGIN
    FOR found IN SELECT oid FROM pg_proc WHERE pronamespace = '{SCHEMA}'::regnamespace LOOP
        EXECUTE format('ALTER FUNCTION %%s SET search_path = {SCHEMA}, pg_temp', found);
    END LOOP;
END;
$$
"""  # noqa: S608 - a name of ours


def bring_job_schema(connection: Connection) -> None:
    """Make the schema, or bring it to what the installed procrastinate wants; again is a no-op.

    Args:
        connection: inside a transaction.

    Raises:
        ConfigError: procrastinate is not installed.
    """
    folder = _folder()
    steps = _steps(folder)
    if not connection.scalar(_FOUND):
        connection.exec_driver_sql(f"CREATE SCHEMA {SCHEMA}")
        _run(connection, [folder / "schema.sql"])
    else:
        stands = _stands(connection)
        _run(connection, [step for step in steps if step.name > stands])
    connection.exec_driver_sql(f"COMMENT ON SCHEMA {SCHEMA} IS '{steps[-1].name}'")
    connection.exec_driver_sql(_OURS)


def check_job_schema(connection: Connection, where: str) -> None:
    """Check that the schema is as the installed procrastinate wants it.

    Args:
        connection: inside a transaction.
        where: the database, for the message.

    Raises:
        SchemaMismatch: it is older, or newer, or not there.
        ConfigError: procrastinate is not installed.
    """
    wanted, stands = _steps(_folder())[-1].name, _stands(connection)
    if stands == wanted:
        return
    if stands < wanted:
        msg = f"the schema {SCHEMA} of {where} is of an older procrastinate, or missing"
        raise SchemaMismatch(msg, hint="run `memu migrate`")
    msg = f"the schema {SCHEMA} of {where} is of a newer procrastinate"
    raise SchemaMismatch(msg, hint=f'upgrade: pip install -U "{EXTRA}"')


def _stands(connection: Connection) -> str:
    return connection.scalar(_STANDS) or ""


def _folder() -> Path:
    """Return where procrastinate keeps its SQL; it is not imported for that, which takes its time."""
    found = importlib.util.find_spec("procrastinate")
    if found is None or not found.submodule_search_locations:
        msg = f'the postgres backend needs procrastinate, which is not installed: pip install "{EXTRA}"'
        raise ConfigError(msg)
    return Path(found.submodule_search_locations[0]) / "sql"


def _steps(folder: Path) -> list[Path]:
    """Return the steps from version to version; their names sort in their order."""
    return sorted((folder / "migrations").glob("*.sql"))


def _run(connection: Connection, files: list[Path]) -> None:
    """Run SQL that names no schema in ours."""
    before = connection.scalar(text("SELECT current_setting('search_path')"))
    connection.execute(_PATH, {"path": SCHEMA})
    for file in files:
        # The driver reads a percent sign as the beginning of a value.
        connection.exec_driver_sql(file.read_text(encoding="utf-8").replace("%", "%%"))
    connection.execute(_PATH, {"path": before})
