"""`blobs`: where originals are kept, and which files may be read."""

from pathlib import Path

from pydantic import Field

from memu_py.config.secret import SecretOptions
from memu_py.config.section import ConfigPath, Section, StorageRoot

MB = 1024 * 1024


def _working_directory() -> tuple[Path, ...]:
    return (Path.cwd(),)


class BlobSettings(Section):
    """The originals of what was memorized."""

    root: StorageRoot | None = Field(
        default=None,
        description="folder of the originals, or an address such as s3://bucket/prefix; beside the database if unset",
    )
    options: SecretOptions = Field(
        default_factory=dict,
        description="with an address: options of its file system, such as `key` and `secret`",
    )
    allowed_roots: tuple[ConfigPath, ...] = Field(
        default_factory=_working_directory,
        description="folders whose files may be memorized by path; the working directory if unset",
    )
    max_bytes: int = Field(default=50 * MB, ge=1, description="the largest input that is taken")
