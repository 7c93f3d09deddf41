"""Scoring profiles: how relevance, age, importance and use make one score.

All have one form, so that a score lies in [0, 1] and can be explained factor by factor::

    score = relevance * product over factors f of (1 - w_f + w_f * f)

Every factor lies in [0, 1] and the weights add up to at most 0.3, so all factors together cost a memory at most 30 % of
its relevance: a relevant old fact never vanishes under fresh noise. How the known forms map to it:

- `similarity`: relevance alone; all weights are 0.
- `three_factor`: the sum `relevance + recency + importance` of Generative Agents (Park et al., UIST 2023,
  section 4.1) as bounded factors. Their sum lets two factors outvote the third; the product does not.
- `salience`: memU's `similarity * ln(mentions + 1) * 0.5 ** (age / half_life)`. The logarithm is divided by that of the
  cap, and both factors are softened by their weights.
- `additive`: NeuroMemory's sum of signals as a mean, `(dense + keyword + entity / 2) / 2.5`, with no factor after it.
- `activation`: ACT-R's base level as the chance that a memory comes back to mind, which joins how often, how recently
  and how regularly it came up; see `scoring/activation.py`.

Recency is `exp(-ln2 * age / (half_life * (1 + arousal / 2)))`: what stirred fades more slowly, as in NeuroMemory. Its
`decay_rate` r, in `exp(-age / r)`, is a half-life of r * ln 2.
"""

import dataclasses
import math
from collections.abc import Mapping
from types import MappingProxyType

from memu_py.errors import InvalidInput
from memu_py.records.record import Record
from memu_py.scoring.activation import DEFAULT_DECAY, DEFAULT_NOISE, DEFAULT_THRESHOLD

MAX_WEIGHT_SUM = 0.3
"""The factors of a profile take at most this share of a score."""

DEFAULT_HALF_LIFE_DAYS = 30.0
"""A month."""

DEFAULT_MENTIONS_CAP = 10
"""Said so often, a memory is fully reinforced."""

MAX_MENTIONS_CAP = 2**32 - 1

_ROUNDING = 1e-9

FACTORS = ("recency", "importance", "reinforcement", "access")
"""Names of the factors, in the order in which the kernels take weights and return factors."""

ACTIVATION = "activation"
"""The factor that is worked out only where a profile minds it: it asks the store when memories came up."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Profile(Record):
    """How much each factor counts.

    Attributes:
        name: what configuration and requests call it.
        recency: weight of the decay since the memory's clock started.
        importance: weight of the judged importance.
        reinforcement: weight of how often it was said.
        access: weight of how often it was retrieved.
        activation: weight of how active it is: how often, how recently and how regularly it was said and retrieved.
        half_life_days: age at which half of the recency is left, at arousal 0.
        mentions_cap: number of mentions, or of accesses and one, at which the factor is full.
        activation_decay: ACT-R's d, between 0 and 1.
        activation_threshold: the activation at which that factor is one half.
        activation_noise: how soft that threshold is, above 0.
        sources: weights by which sources are averaged to the relevance; None leaves that to the fuse step.

    Raises:
        InvalidInput: a weight is outside [0, 1], they add up to more than 0.3, the half-life is not a finite number
            above 0, the cap is not in 1 to 2**32 - 1, activation's figures are not usable, or a weight of a source is
            negative or all are 0.
    """

    name: str
    recency: float = 0.0
    importance: float = 0.0
    reinforcement: float = 0.0
    access: float = 0.0
    activation: float = 0.0
    half_life_days: float = DEFAULT_HALF_LIFE_DAYS
    mentions_cap: int = DEFAULT_MENTIONS_CAP
    activation_decay: float = DEFAULT_DECAY
    activation_threshold: float = DEFAULT_THRESHOLD
    activation_noise: float = DEFAULT_NOISE
    sources: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        weights = dict(zip(FACTORS, self.weights, strict=True)) | {ACTIVATION: self.activation}
        for factor, weight in weights.items():
            if not 0.0 <= weight <= 1.0:
                raise self._refused(f"the weight of {factor} is {weight}; it must lie in [0, 1]")
        total = sum(weights.values())
        if total > MAX_WEIGHT_SUM + _ROUNDING:
            parts = " + ".join(f"{weight:g}" for weight in weights.values() if weight)
            raise self._refused(
                f"its weights add up to {total:g} ({parts}); at most {MAX_WEIGHT_SUM:g} keeps"
                " relevance on top"
            )
        if not (math.isfinite(self.half_life_days) and self.half_life_days > 0):
            raise self._refused(f"half_life_days is {self.half_life_days}; it must be finite and above 0")
        if not 1 <= self.mentions_cap <= MAX_MENTIONS_CAP:
            raise self._refused(
                f"mentions_cap is {self.mentions_cap}; it must lie in [1, {MAX_MENTIONS_CAP}]"
            )
        self._check_activation()
        self._check_sources()

    @property
    def weights(self) -> tuple[float, float, float, float]:
        """The weights in the order of `FACTORS`."""
        return (self.recency, self.importance, self.reinforcement, self.access)

    def _check_activation(self) -> None:
        if not 0.0 < self.activation_decay < 1.0:
            raise self._refused(f"activation_decay is {self.activation_decay}; it must lie between 0 and 1")
        if not math.isfinite(self.activation_threshold):
            raise self._refused(f"activation_threshold is {self.activation_threshold}; it must be finite")
        if not (math.isfinite(self.activation_noise) and self.activation_noise > 0):
            raise self._refused(f"activation_noise is {self.activation_noise}; it must be finite and above 0")

    def _check_sources(self) -> None:
        if self.sources is None:
            return
        for source, weight in self.sources.items():
            if not (math.isfinite(weight) and weight >= 0):
                raise self._refused(f"the weight of source {source} is {weight}; it must be 0 or more")
        if not any(self.sources.values()):
            raise self._refused("its sources have no weight above 0")

    def _refused(self, why: str) -> InvalidInput:
        return InvalidInput(f"profile {self.name}: {why}")


SIMILARITY = Profile(name="similarity")
THREE_FACTOR = Profile(name="three_factor", recency=0.15, importance=0.1)
SALIENCE = Profile(name="salience", recency=0.1, reinforcement=0.15)
ACTIVE = Profile(name="activation", importance=0.1, activation=0.15)
ADDITIVE = Profile(name="additive", sources=MappingProxyType({"dense": 1.0, "keyword": 1.0, "entity": 0.5}))

PROFILES: Mapping[str, Profile] = MappingProxyType(
    {profile.name: profile for profile in (SIMILARITY, THREE_FACTOR, SALIENCE, ACTIVE, ADDITIVE)}
)
"""The built-in profiles by name."""
