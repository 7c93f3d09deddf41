"""How much less an item counts that does not fit the question."""

import numpy as np
import pytest

from memu_py.index.rows import Traits
from memu_py.index.speakers import NOBODY
from memu_py.steps.retrieve.fit import FitConfig, fit
from memu_py.steps.retrieve.question import Question

ANN, BOB = 0, 1
MANY = 1000
NO_RULE = FitConfig(other_speaker=0, undated=0, asks=0, short=0)


def question(*, speaker: int = NOBODY, asks_when: bool = False) -> Question:
    return Question(text="", tokens=(), vector=np.zeros(2, np.float32), speaker=speaker, asks_when=asks_when)


def traits(
    *speakers: int,
    words: int = MANY,
    dated: tuple[bool, ...] | None = None,
    asks: tuple[bool, ...] | None = None,
) -> Traits:
    nothing = (False,) * len(speakers)
    return Traits(
        speaker=np.array(speakers, dtype=np.int32),
        words=np.full(len(speakers), words, dtype=np.uint16),
        dated=np.array(dated or nothing, dtype=np.bool_),
        asks=np.array(asks or nothing, dtype=np.bool_),
    )


def test_who_is_named_counts_more_than_others_and_as_much_as_what_nobody_said() -> None:
    found = fit(question(speaker=ANN), traits(ANN, BOB, NOBODY), FitConfig(other_speaker=0.4))
    assert found.tolist() == pytest.approx([1, 0.6, 1])


def test_nobody_counts_less_when_nobody_is_named() -> None:
    assert fit(question(), traits(ANN, BOB, NOBODY), FitConfig()).tolist() == [1, 1, 1]


def test_a_question_for_a_time_prefers_what_has_one() -> None:
    dated = traits(ANN, NOBODY, ANN, dated=(True, False, False))
    assert fit(question(asks_when=True), dated, FitConfig()).tolist() == pytest.approx([1, 0.8, 0.8])
    assert fit(question(), dated, FitConfig()).tolist() == [1, 1, 1]


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
