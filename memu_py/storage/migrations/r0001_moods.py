"""The first schema's table of moods; frozen, as its migration is."""

import sqlalchemy as sa
from alembic import op


def create_moods() -> None:
    """Create the table."""
    op.create_table(
        "moods",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("speaker", sa.Text(), nullable=False),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("valence", sa.BigInteger(), nullable=False),
        sa.Column("valence_squares", sa.BigInteger(), nullable=False),
        sa.Column("arousal", sa.BigInteger(), nullable=False),
        sa.Column("arousal_squares", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash", "day", "speaker", "part", "name"),
    )
