"""How much less an item counts that does not fit the question."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from memu_py.index.rows import Traits
from memu_py.index.speakers import NOBODY
from memu_py.records.span import TimeSpan
from memu_py.steps.retrieve.fit import FitConfig, closeness, fit
from memu_py.steps.retrieve.question import Question
from memu_py.storage.index_rows import UNKNOWN
from memu_py.storage.plain import to_micros

ANN, BOB = 0, 1
MANY = 1000
NO_RULE = FitConfig(other_speaker=0, undated=0, off_date=0, asks=0, short=0)
DAY = datetime(2023, 5, 7, tzinfo=UTC)


def question(*, speaker: int = NOBODY, asks_when: bool = False, span: TimeSpan | None = None) -> Question:
    nothing = np.zeros(2, np.float32)
    return Question(text="", tokens=(), vector=nothing, speaker=speaker, asks_when=asks_when, span=span)


def traits(
    *speakers: int,
    words: int = MANY,
    said: Sequence[datetime | None] = (),
    happened: Sequence[datetime | None] = (),
    asks: tuple[bool, ...] | None = None,
) -> Traits:
    nothing = (False,) * len(speakers)
    return Traits(
        speaker=np.array(speakers, dtype=np.int32),
        words=np.full(len(speakers), words, dtype=np.uint16),
        said=times(said, len(speakers)),
        happened=times(happened, len(speakers)),
        asks=np.array(asks or nothing, dtype=np.bool_),
    )


def times(given: Sequence[datetime | None], count: int) -> NDArray[np.int64]:
    known = [*given, *(None for _ in range(count - len(given)))]
    return np.array([UNKNOWN if time is None else to_micros(time) for time in known], dtype=np.int64)


def test_who_is_named_counts_more_than_others_and_as_much_as_what_nobody_said() -> None:
    found = fit(question(speaker=ANN), traits(ANN, BOB, NOBODY), FitConfig(other_speaker=0.4))
    assert found.tolist() == pytest.approx([1, 0.6, 1])


def test_nobody_counts_less_when_nobody_is_named() -> None:
    assert fit(question(), traits(ANN, BOB, NOBODY), FitConfig()).tolist() == [1, 1, 1]


def test_a_question_for_a_time_prefers_what_has_one() -> None:
    dated = traits(ANN, NOBODY, ANN, happened=(DAY, None, None))
    assert fit(question(asks_when=True), dated, FitConfig()).tolist() == pytest.approx([1, 0.8, 0.8])
    assert fit(question(), dated, FitConfig()).tolist() == [1, 1, 1]


def test_a_question_that_names_a_time_prefers_what_was_said_or_happened_then() -> None:
    day = TimeSpan(start=DAY, until=DAY + timedelta(days=1), precision="day", words="that day")
    noon = DAY + timedelta(hours=12)
    later, long_ago = DAY + timedelta(days=2), DAY - timedelta(days=900)
    known = traits(
        ANN,
        ANN,
        ANN,
        ANN,
        NOBODY,
        said=(noon, long_ago, later, long_ago, None),
        happened=(long_ago, noon, None, None, None),
    )
    found = fit(question(span=day), known, FitConfig(off_date=0.5))
    assert found.tolist() == pytest.approx([1, 1, 1 - 0.5 * (1 - math.exp(-1)), 0.5, 1])


def test_the_longer_the_time_that_is_named_the_more_is_near_it() -> None:
    item = traits(ANN, said=(DAY - timedelta(days=10),))
    near = [
        closeness(item, TimeSpan(start=DAY, until=DAY + timedelta(days=days), precision="range", words=""))[0]
        for days in (1, 7, 31, 365)
    ]
    assert near == sorted(near)
    assert near[0] < 0.001
    assert near[-1] > 0.95


def test_what_asks_counts_less() -> None:
    found = fit(question(), traits(ANN, NOBODY, ANN, asks=(True, True, False)), FitConfig(asks=0.5))
    assert found.tolist() == pytest.approx([0.5, 0.5, 1])


def test_a_short_turn_counts_less_the_shorter_it_is_and_a_short_passage_does_not() -> None:
    counts = [fit(question(), traits(ANN, words=words), FitConfig(short=0.5))[0] for words in (0, 1, 8, 40)]
    assert counts == sorted(counts)
    assert counts[0] == pytest.approx(0.5)
    assert counts[-1] > 0.99
    assert fit(question(), traits(NOBODY, words=0), FitConfig(short=0.5)).tolist() == [1]


def test_every_rule_can_be_turned_off() -> None:
    odd = traits(BOB, NOBODY, words=0, asks=(True, True))
    assert fit(question(speaker=ANN, asks_when=True), odd, NO_RULE).tolist() == [1, 1]


def test_nothing_fits_nothing() -> None:
    assert fit(question(speaker=ANN), traits(), FitConfig()).tolist() == []
