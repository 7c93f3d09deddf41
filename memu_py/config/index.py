"""`index`: the in-process indexes."""

from pydantic import Field

from memu_py.config.section import Section


class IndexSettings(Section):
    """Indexes."""

    memory_mb: int = Field(
        default=512, ge=1, description="memory for indexes, in MB; the least recently used users' go first"
    )
    snapshot_from: int | None = Field(
        default=2000,
        ge=1,
        description="items from which on a user's index is kept in a file beside the database; null keeps none",
    )
