"""Moods: what somebody felt over days, as sums that grow and shrink with the memories that they rest on."""

import dataclasses
import math
from datetime import date
from typing import Literal, Self

from memu_py.records.item import Emotion, Item
from memu_py.records.record import Record

SCALE = 10_000
"""Feelings are summed as whole numbers of this part, so that what was added can be taken away without a rest."""

Part = Literal["all", "label", "entity"]
"""What a sum is over: all feelings of a day, those of one label, those of items that name somebody or something."""
By = Literal["day", "week", "month"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Tally(Record):
    """Sums over feelings, in parts of `SCALE`.

    Attributes:
        count: how many.
        valence: sum of valences.
        valence_squares: sum of their squares.
        arousal: sum of arousals.
        arousal_squares: sum of their squares.
    """

    count: int = 0
    valence: int = 0
    valence_squares: int = 0
    arousal: int = 0
    arousal_squares: int = 0

    @classmethod
    def of(cls, emotion: Emotion) -> Self:
        """Return the sums over one feeling."""
        valence, arousal = round(emotion.valence * SCALE), round(emotion.arousal * SCALE)
        return cls(
            count=1,
            valence=valence,
            valence_squares=valence**2,
            arousal=arousal,
            arousal_squares=arousal**2,
        )

    def plus(self, other: "Tally", sign: int = 1) -> "Tally":
        """Return both together; with a sign of -1, this one without the other."""
        sums = {
            field.name: getattr(self, field.name) + sign * getattr(other, field.name)
            for field in dataclasses.fields(self)
        }
        return Tally(**sums)

    @property
    def mean_valence(self) -> float | None:
        """From −1 to 1; None of nothing."""
        return self.valence / self.count / SCALE if self.count else None

    @property
    def mean_arousal(self) -> float | None:
        """From 0 to 1; None of nothing."""
        return self.arousal / self.count / SCALE if self.count else None

    @property
    def valence_spread(self) -> float | None:
        """Standard deviation of the valences."""
        return _spread(self.count, self.valence, self.valence_squares)

    @property
    def arousal_spread(self) -> float | None:
        """Standard deviation of the arousals."""
        return _spread(self.count, self.arousal, self.arousal_squares)


def _spread(count: int, total: int, squares: int) -> float | None:
    # Whole numbers up to the root: nothing cancels out.
    return math.sqrt(count * squares - total**2) / count / SCALE if count else None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, order=True)
class MoodKey(Record):
    """What a sum is over.

    Attributes:
        day: when it was said, UTC.
        speaker: who said it; empty where nobody is known.
        part: what it is over.
        name: of the label, or the key of the entity.
    """

    day: date
    speaker: str
    part: Part = "all"
    name: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Felt(Record):
    """An emotion by name.

    Attributes:
        label: its name.
        count: how many memories have it.
        share: of all that have a feeling.
    """

    label: str
    count: int
    share: float


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Trigger(Record):
    """Somebody or something that feelings are about.

    Attributes:
        name: as it is written in the newest of the memories that are cited.
        count: how many memories with a feeling name it.
        valence: their mean.
        arousal: their mean.
        item_ids: some of them, the strongest first.
    """

    name: str
    count: int
    valence: float
    arousal: float
    item_ids: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class MoodState(Record):
    """How somebody has felt of late.

    Attributes:
        first: the first day, UTC.
        last: the last one.
        count: memories with a feeling that were said in these days.
        valence: their mean; None where there are none.
        arousal: their mean.
        trend: mean valence of the newer half of the days less that of the older; None where one has none.
        emotions: by name, the most frequent first.
        items: some that it rests on, the strongest first.
    """

    first: date
    last: date
    count: int = 0
    valence: float | None = None
    arousal: float | None = None
    trend: float | None = None
    emotions: tuple[Felt, ...] = ()
    items: tuple[Item, ...] = ()


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class MoodProfile(Record):
    """How somebody feels in the long run, and what about.

    Attributes:
        count: memories with a feeling.
        first: day of the first one, UTC.
        last: day of the last one.
        valence: their mean; None where there are none.
        arousal: their mean.
        valence_spread: standard deviation.
        arousal_spread: standard deviation.
        emotions: by name, the most frequent first.
        triggers: those that feelings are most about, by the sum of their valences, whatever its sign.
    """

    count: int = 0
    first: date | None = None
    last: date | None = None
    valence: float | None = None
    arousal: float | None = None
    valence_spread: float | None = None
    arousal_spread: float | None = None
    emotions: tuple[Felt, ...] = ()
    triggers: tuple[Trigger, ...] = ()


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class MoodPeriod(Record):
    """How somebody felt in one day, week or month.

    Attributes:
        start: its first day, UTC; weeks begin on Monday.
        count: memories with a feeling.
        valence: their mean.
        arousal: their mean.
        emotion: the most frequent one, where any has a name.
    """

    start: date
    count: int
    valence: float
    arousal: float
    emotion: str | None = None
