r"""What somebody is likely to turn to now, by a statistic over topics, recency and habit.

A topic is a category, or an item that is in none. For each topic t, with an item's times of being said i in t::

    fresh(i)    = 2 ** (-age(i) / 30 days)                         age(i) is 0 for times that lie ahead
    near(i)     = exp(-(hours apart on the clock / 2) ** 2 / 2) * day(i)
    day(i)      = 1 on the same day of the week, 0.5 where both are working days or both weekend, else 0.25
    share(t)    = sum of fresh in t / sum of fresh in all
    habit(t)    = (sum of fresh * near in t / sum of fresh in t) * days(t) / (days(t) + 3)
    relevance(t) = the best score of an item of t that the context brings to mind, 0 without one
    confidence(t) = 0.5 * relevance(t) + 0.25 * share(t) + 0.25 * habit(t)

`days(t)` is on how many different days t was said: what came up once is no habit. Every part lies in [0, 1] and the
weights add up to 1, so a confidence lies in [0, 1]. Without a context it is 0.5 at most: a guess. Clock and days of the
week are those of the user's time zone.
"""

import dataclasses
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo

from memu_py.records.record import Record
from memu_py.records.said import Said

HALF_LIFE_S = 30 * 86_400.0
NEAR_HOURS = 2.0
SAME_KIND_OF_DAY = 0.5
OTHER_KIND_OF_DAY = 0.25
HABIT_DAYS = 3
WEIGHTS = (0.5, 0.25, 0.25)
"""Of relevance, share and habit."""
SATURDAY = 5
DAY_HOURS = 24.0


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Topic(Record):
    """What may come up next.

    Attributes:
        id: of the category, or of the item that is in none.
        confidence: in [0, 1].
        item_ids: its items, those that speak for it most first.
    """

    id: str
    confidence: float
    item_ids: tuple[str, ...]


def likely_topics(
    said: Sequence[Said], relevance: Mapping[str, float], *, now: datetime, zone: tzinfo
) -> list[Topic]:
    """Return topics, the likeliest first; equal ones in order of id.

    Args:
        said: each time that an item was said.
        relevance: in [0, 1], of items that the context brings to mind, by id.
        now: the moment of the prediction.
        zone: the user's.
    """
    fresh = [freshness(one.at, now) for one in said]
    near = [nearness(one.at, now, zone) for one in said]
    total = sum(fresh)
    members: defaultdict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(said):
        for topic in one.category_ids or (one.item_id,):
            members[topic].append(place)
    found = []
    for topic, places in members.items():
        mass = sum(fresh[place] for place in places)
        days = len({said[place].at.astimezone(zone).date() for place in places})
        regular = sum(fresh[place] * near[place] for place in places) / mass if mass else 0.0
        best = max(relevance.get(said[place].item_id, 0.0) for place in places)
        parts = (best, mass / total if total else 0.0, regular * days / (days + HABIT_DAYS))
        confidence = sum(weight * part for weight, part in zip(WEIGHTS, parts, strict=True))
        strength: defaultdict[str, float] = defaultdict(float)
        for place in places:
            strength[said[place].item_id] += fresh[place] * near[place]
        ordered = sorted(strength, key=lambda one: (-relevance.get(one, 0.0), -strength[one], one))
        found.append(Topic(id=topic, confidence=min(1.0, confidence), item_ids=tuple(ordered)))
    return sorted(found, key=lambda topic: (-topic.confidence, topic.id))


def freshness(at: datetime, now: datetime) -> float:
    """Return how fresh a moment is, in [0, 1]: a half is left after 30 days."""
    age = max(0.0, (now - at).total_seconds())
    return math.exp2(-age / HALF_LIFE_S)


def nearness(at: datetime, now: datetime, zone: tzinfo) -> float:
    """Return how near two moments are in a week, in [0, 1]: by the clock, and by the day."""
    then, today = at.astimezone(zone), now.astimezone(zone)
    apart = abs(_hours(then) - _hours(today))
    apart = min(apart, DAY_HOURS - apart)
    return math.exp(-((apart / NEAR_HOURS) ** 2) / 2) * _day(then.weekday(), today.weekday())


def _hours(moment: datetime) -> float:
    return moment.hour + moment.minute / 60 + moment.second / 3600


def _day(one: int, other: int) -> float:
    if one == other:
        return 1.0
    return SAME_KIND_OF_DAY if (one >= SATURDAY) == (other >= SATURDAY) else OTHER_KIND_OF_DAY
