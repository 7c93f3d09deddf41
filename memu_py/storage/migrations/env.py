"""Alembic's entry: it runs on the connection that `storage/migrating.py` hands over."""

from alembic import context

from memu_py.storage.tables import metadata

# The name under which Alembic loads this file; whoever else imports it wants no migration.
if __name__ == "env_py":
    context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
    context.run_migrations()
