"""What filled the indexes, as the database remembers it."""

import dataclasses

from sqlalchemy import Connection

from memu_py.errors import EmbedderMismatch
from memu_py.storage.dialect import POSTGRES
from memu_py.storage.meta import read_meta, write_meta
from memu_py.storage.postgres_index import create_vector_index
from memu_py.storage.upkeep import Fingerprint

FINGERPRINT = "fingerprint"


def read_fingerprint(connection: Connection) -> Fingerprint | None:
    """Return what filled the indexes; None when nothing has."""
    found = read_meta(connection, FINGERPRINT)
    return None if found is None else Fingerprint(**found)


def write_fingerprint(connection: Connection, fingerprint: Fingerprint) -> None:
    """Record what fills the indexes, whatever did before."""
    if connection.dialect.name == POSTGRES:
        create_vector_index(connection, fingerprint.dimension)
    write_meta(connection, FINGERPRINT, dataclasses.asdict(fingerprint))


def claim_fingerprint(connection: Connection, fingerprint: Fingerprint) -> None:
    """Record what fills the indexes; the same again is a no-op.

    Raises:
        EmbedderMismatch: another one is recorded.
    """
    known = read_fingerprint(connection)
    if known is None:
        write_fingerprint(connection, fingerprint)
    elif known != fingerprint:
        msg = f"the store was filled by {_described(known)}, and this is {_described(fingerprint)}"
        raise EmbedderMismatch(
            msg, hint="run `memu reindex`, or configure the embedder that filled the store"
        )


def _described(fingerprint: Fingerprint) -> str:
    return (
        f"`{fingerprint.embedder}` ({fingerprint.dimension} dimensions, tokeniser `{fingerprint.tokenizer}`)"
    )
