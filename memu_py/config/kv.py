"""`kv`: values by name."""

from pydantic import Field

from memu_py.config.section import Section


class KeyValueSettings(Section):
    """Values by name."""

    value_kb: int = Field(
        default=64, ge=1, description="size of one value as JSON, in kilobytes of 1024 bytes"
    )
