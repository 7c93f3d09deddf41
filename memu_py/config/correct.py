"""`correct`: how surely a memory must be meant before it is changed."""

from pydantic import Field

from memu_py.config.section import Section


class CorrectSettings(Section):
    """Corrections that name no memory."""

    candidates: int = Field(default=10, ge=1, le=100, description="memories that are looked at")
    least_score: float = Field(
        default=0.35, ge=0, le=1, description="score from which a memory may be the one that is meant"
    )
    margin: float = Field(
        default=0.1, ge=0, le=1, description="by how much its score must be above that of the next one"
    )
    profile: str = Field(
        default="default", description="the model profile that is asked where this is not clear"
    )
