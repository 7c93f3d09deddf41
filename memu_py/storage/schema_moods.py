"""The table of moods: sums over the live items of a partition that have a feeling, by the day they were said."""

from sqlalchemy import BigInteger, Column, PrimaryKeyConstraint, Table, Text

from memu_py.storage.shapes import metadata, partition

SUMS = ("count", "valence", "valence_squares", "arousal", "arousal_squares")

moods = Table(
    "moods",
    metadata,
    *partition(),
    # An ISO date, UTC.
    Column("day", Text, nullable=False),
    # Empty where nobody is known.
    Column("speaker", Text, nullable=False),
    # `all`, `label` or `entity`, and which one.
    Column("part", Text, nullable=False),
    Column("name", Text, nullable=False),
    *(Column(name, BigInteger, nullable=False) for name in SUMS),
    PrimaryKeyConstraint("partition_hash", "day", "speaker", "part", "name"),
)
