"""`blobs`: where originals are kept, and which files may be read."""

from pathlib import Path

from pydantic import Field

from memu_py.config.section import ConfigPath, Section

MB = 1024 * 1024


def _working_directory() -> tuple[Path, ...]:
    return (Path.cwd(),)


class BlobSettings(Section):
    """The originals of what was memorized."""

    root: ConfigPath | None = Field(
        default=None, description="folder of the originals; beside the database file if unset"
    )
    allowed_roots: tuple[ConfigPath, ...] = Field(
        default_factory=_working_directory,
        description="folders whose files may be memorized by path; the working directory if unset",
    )
    max_bytes: int = Field(default=50 * MB, ge=1, description="the largest input that is taken")
