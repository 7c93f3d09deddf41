"""Scoring profiles (placeholder until the scoring engineer's lands)."""

import dataclasses

from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Profile(Record):
    """A scoring profile."""

    name: str
    recency: float = 0.0
    importance: float = 0.0
    reinforcement: float = 0.0
    access: float = 0.0
    half_life_days: float = 30.0
    mentions_cap: int = 16

    @property
    def weights(self) -> tuple[float, float, float, float]:
        """Weights in the kernel's order."""
        return (self.recency, self.importance, self.reinforcement, self.access)


PROFILES = {
    "similarity": Profile(name="similarity"),
    "three_factor": Profile(name="three_factor", recency=0.1, importance=0.1),
}
