"""`blocks`: small named texts that stand in every prompt."""

from pydantic import Field

from memu_py.config.section import Section


class BlockSettings(Section):
    """Blocks."""

    in_context: bool = Field(default=True, description="begin the block for a prompt of `retrieve` with them")
    max_chars: int = Field(
        default=2000, ge=1, description="characters of a block for which nothing else is said"
    )
