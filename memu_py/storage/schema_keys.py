"""The table of keys to the server. It belongs to no partition: a key may open all of them."""

from sqlalchemy import Column, Table, Text

from memu_py.storage.columns import Bytes, JsonText, UtcMicros
from memu_py.storage.shapes import metadata

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Text, primary_key=True),
    # SHA-256 of the whole key, which is long and random: nothing slower would make it safer.
    Column("hash", Bytes(32), nullable=False),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    # The named parts of the scope; NULL opens everything.
    Column("scope", JsonText),
    Column("created_at", UtcMicros, nullable=False),
    Column("expires_at", UtcMicros),
    Column("revoked_at", UtcMicros),
)
