"""The table of erasures. It belongs to no partition: what is kept must not tell whose it was."""

from sqlalchemy import Column, Table, Text

from memu_py.storage.columns import JsonText, UtcMicros
from memu_py.storage.shapes import metadata

audit = Table(
    "audit",
    metadata,
    Column("id", Text, primary_key=True),
    Column("op", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("at", UtcMicros, nullable=False),
    # Rows by table: numbers, and no names.
    Column("counts", JsonText, nullable=False),
)
