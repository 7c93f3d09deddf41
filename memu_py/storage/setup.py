"""Setting up an empty database, and refusing one of another version.

The schema is made from `schema.py` at once; a test holds that equal to running all migrations.
"""

from sqlalchemy import (
    Column,
    Connection,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    insert,
    inspect,
    select,
)

from memu_py.errors import SchemaMismatch, StoreError
from memu_py.storage.dialect import POSTGRES
from memu_py.storage.job_schema import bring_job_schema, check_job_schema
from memu_py.storage.postgres_functions import create_functions, create_vector_type
from memu_py.storage.postgres_index import create_search
from memu_py.storage.sqlite_planner import teach_planner
from memu_py.storage.tables import HEAD, REVISIONS, metadata

# Alembic's own table, written without loading Alembic.
version_table = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def needs_setup(connection: Connection, where: str) -> bool:
    """Say whether the database is empty.

    Raises:
        StoreError: it is somebody else's.
    """
    names = inspect(connection).get_table_names()
    if names and version_table.name not in names:
        msg = f"{where} is not a memu database: it has the tables {', '.join(sorted(names))}"
        raise StoreError(msg, hint="name another path")
    return not names


def set_up(connection: Connection) -> None:
    """Make all tables in an empty database."""
    if connection.dialect.name == POSTGRES:
        create_vector_type(connection)
    metadata.create_all(connection)
    version_table.create(connection)
    connection.execute(insert(version_table).values(version_num=HEAD))
    teach(connection)


def teach(connection: Connection) -> None:
    """Give a database, beside its tables, what this code wants of it; again after each migration."""
    if connection.dialect.name == POSTGRES:
        create_functions(connection)
        create_search(connection)
        bring_job_schema(connection)
    else:
        teach_planner(connection)


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database's schema."""
    return connection.scalar(select(version_table.c.version_num))


def check_revision(connection: Connection, where: str) -> None:
    """Check that this code knows the database's schema.

    Raises:
        SchemaMismatch: it is older or newer, or that of the jobs is.
    """
    revision = revision_of(connection)
    if revision == HEAD:
        if connection.dialect.name == POSTGRES:
            check_job_schema(connection, where)
        return
    if revision in REVISIONS or revision is None:
        msg = f"{where} was made by an older version (schema {revision}, and this is {HEAD})"
        raise SchemaMismatch(msg, hint="run `memu migrate`")
    raise newer(where, revision)


def newer(where: str, revision: str) -> SchemaMismatch:
    """Return the error for a database that a newer version made."""
    msg = f"{where} was made by a newer version (schema {revision}, and this knows {HEAD})"
    return SchemaMismatch(msg, hint="install that version of memu_py; `memu migrate` cannot go back")
