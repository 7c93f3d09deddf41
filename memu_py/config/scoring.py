"""`scoring`: scoring profiles of your own, beside the built-in ones."""

from pydantic import Field

from memu_py.config.section import Section


class ProfileSettings(Section):
    """A scoring profile: one of the others, with something changed."""

    like: str = Field(default="three_factor", description="the profile that it starts from")
    recency: float | None = Field(default=None, ge=0, le=1, description="weight of how fresh an item is")
    importance: float | None = Field(default=None, ge=0, le=1, description="weight of its importance")
    reinforcement: float | None = Field(
        default=None, ge=0, le=1, description="weight of how often it was said"
    )
    access: float | None = Field(default=None, ge=0, le=1, description="weight of how often it was retrieved")
    activation: float | None = Field(
        default=None, ge=0, le=1, description="weight of how often, how recently and how regularly it came up"
    )
    half_life_days: float | None = Field(default=None, gt=0, description="days until recency has halved")
    mentions_cap: int | None = Field(
        default=None, ge=1, description="mentions and accesses count up to so many"
    )
    activation_decay: float | None = Field(
        default=None, gt=0, lt=1, description="how fast a single presentation fades; ACT-R's d"
    )
    activation_threshold: float | None = Field(
        default=None, description="the activation, ages in days, at which that factor is one half"
    )
    activation_noise: float | None = Field(default=None, gt=0, description="how soft that threshold is")


class ScoringSettings(Section):
    """Scoring."""

    profiles: dict[str, ProfileSettings] = Field(default_factory=dict, description="profiles by name")
