"""Arithmetic of moods: what sums by day say of some days, of all of them, and of one period after the other. Pure."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from memu_py.records.mood import By, Felt, MoodKey, MoodPeriod, Part, Tally

Sums = Mapping[MoodKey, Tally]


def total(sums: Sums, part: Part = "all") -> Tally:
    """Return the sums over all days and speakers of one part."""
    return _together(tally for key, tally in sums.items() if key.part == part)


def by_name(sums: Sums, part: Part) -> dict[str, Tally]:
    """Return the sums over all days and speakers of each name of a part."""
    found: dict[str, Tally] = {}
    for key, tally in sums.items():
        if key.part == part:
            found[key.name] = found.get(key.name, Tally()).plus(tally)
    return found


def emotions(sums: Sums) -> tuple[Felt, ...]:
    """Return the emotions by name, the most frequent first, then by name."""
    count = total(sums).count
    felt = (
        Felt(label=name, count=tally.count, share=tally.count / count)
        for name, tally in by_name(sums, "label").items()
    )
    return tuple(sorted(felt, key=lambda one: (-one.count, one.label)))


def trend(sums: Sums, first: date, last: date) -> float | None:
    """Return the mean valence of the newer half of some days less that of the older half; None where one has none."""
    middle = first + timedelta(days=((last - first).days + 1) // 2)
    older = total({key: tally for key, tally in sums.items() if key.day < middle}).mean_valence
    newer = total({key: tally for key, tally in sums.items() if key.day >= middle}).mean_valence
    return None if older is None or newer is None else newer - older


def periods(sums: Sums, by: By) -> list[MoodPeriod]:
    """Return one period after the other, the oldest first; those without a feeling are left out."""
    parts: dict[date, dict[MoodKey, Tally]] = {}
    for key, tally in sums.items():
        parts.setdefault(start_of(key.day, by), {})[key] = tally
    return [_period(start, part) for start, part in sorted(parts.items())]


def start_of(day: date, by: By) -> date:
    """Return the first day of the period of a day.

    >>> start_of(date(2026, 3, 4), "week"), start_of(date(2026, 3, 4), "month")
    (datetime.date(2026, 3, 2), datetime.date(2026, 3, 1))
    """
    if by == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if by == "month" else day


def _period(start: date, sums: Sums) -> MoodPeriod:
    every, felt = total(sums), emotions(sums)
    return MoodPeriod(
        start=start,
        count=every.count,
        valence=every.mean_valence or 0.0,
        arousal=every.mean_arousal or 0.0,
        emotion=felt[0].label if felt else None,
    )


def _together(tallies: Iterable[Tally]) -> Tally:
    found = Tally()
    for one in tallies:
        found = found.plus(one)
    return found
