"""`maintain`: what is put away by itself, and when."""

from pydantic import Field

from memu_py.config.section import Section


class MaintainSettings(Section):
    """Forgetting."""

    every_s: float = Field(
        default=0.0,
        ge=0,
        description="how often workers put away what has faded or expired, in seconds; 0 for never by themselves",
    )
    keep_types: tuple[str, ...] = Field(
        default=("profile", "skill", "tool", "procedure"),
        description="types of items that never fade; they expire all the same",
    )
