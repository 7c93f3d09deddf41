"""What a database on PostgreSQL is searched by: the items' tokens as lexemes, and an index over the vectors.

Lexemes carry their partition, so that one index over all of them is searched as if each partition had its own.
"""

from collections.abc import Sequence

from sqlalchemy import Connection

from memu_py.records.scope import Scope

LEXEME_CHARS = 200
"""A longer token is cut: PostgreSQL keeps lexemes of up to 2046 bytes."""
HALF_MOST = 4000
"""Dimensions that an index over half-precision vectors can have."""
OWNER_BYTES = 8
"""Of the partition's hash, before each lexeme; a meeting of two partitions is told apart by the rows themselves."""

_LEXEMES = """
CREATE OR REPLACE FUNCTION memu_lexemes(owner bytea, tokens text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN array_to_tsvector(ARRAY(
    SELECT DISTINCT encode(substring(owner FOR 8), 'hex') || left(token, 200)
    FROM string_to_table(tokens, E'\\n') AS token WHERE token <> ''
))
"""
_STATEMENTS = (
    _LEXEMES,
    # A vector of 512 numbers fits a page beside its row; outside it, each would cost a look of its own.
    "ALTER TABLE item_vectors ALTER COLUMN vector SET STORAGE MAIN",
    "ALTER TABLE item_vectors ADD COLUMN IF NOT EXISTS lexemes tsvector "
    "GENERATED ALWAYS AS (memu_lexemes(partition_hash, tokens)) STORED",
    "CREATE INDEX IF NOT EXISTS ix_item_vectors_lexemes ON item_vectors USING gin (lexemes)",
    "CREATE INDEX IF NOT EXISTS ix_items_speaker ON items (partition_hash, speaker) WHERE speaker IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS ix_items_ended ON items (partition_hash, id) "
    "WHERE valid_to IS NOT NULL OR superseded_by IS NOT NULL OR archived_at IS NOT NULL OR expires_at IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS ix_entities_start ON entities (partition_hash, name_key text_pattern_ops)",
)
_OTHERS = """
SELECT indexname FROM pg_indexes WHERE tablename = 'item_vectors' AND schemaname = current_schema()
AND indexname LIKE %(like)s AND indexname <> %(name)s
"""
_NAME = "ix_item_vectors_near"


def create_search(connection: Connection) -> None:
    """Give a database on PostgreSQL what words are searched by."""
    for statement in _STATEMENTS:
        connection.exec_driver_sql(statement)


def create_vector_index(connection: Connection, dimension: int) -> None:
    """Give a database on PostgreSQL an index over the vectors of one dimension; those of others go.

    Args:
        connection: of work on the whole database.
        dimension: of the embedder that fills the store; above 4000 there is no index, and every vector is looked at.
    """
    name = f"{_NAME}_{dimension}"
    for other in connection.exec_driver_sql(_OTHERS, {"like": f"{_NAME}%", "name": name}).scalars().all():
        connection.exec_driver_sql(f'DROP INDEX "{other}"')
    if 0 < dimension <= HALF_MOST:
        connection.exec_driver_sql(
            f"CREATE INDEX IF NOT EXISTS {name} ON item_vectors USING hnsw "
            f"((vector::halfvec({dimension})) halfvec_cosine_ops) WHERE vector_dims(vector) = {dimension}"
        )


def lexeme(scope: Scope, token: str) -> str:
    """Return the lexeme that a token of a partition is kept as."""
    return scope.partition_hash[:OWNER_BYTES].hex() + token[:LEXEME_CHARS]


def query_of(scope: Scope, tokens: Sequence[str]) -> str:
    """Return a question for one of the tokens, as PostgreSQL writes them."""
    quoted = (lexeme(scope, token).replace("\\", "\\\\").replace("'", "''") for token in tokens)
    return " | ".join(f"'{one}'" for one in quoted)
