"""Where somebody speaks, and which words belong there."""

import pytest

from memu_py.transcription.faster_whisper import Word, stretches, voiced

VOICES = [(0.0, 2.5), (5.2, 8.0)]


def said(*words: tuple[str, float, float]) -> list[tuple[str, float, float]]:
    found = voiced([Word(f" {text}", start, end) for text, start, end in words], VOICES)
    return [(one.text.strip(), one.start_s, one.end_s) for one in found]


def test_a_segment_that_runs_over_a_pause_is_two_utterances() -> None:
    assert said(("I", 0.1, 0.3), ("bake,", 0.4, 3.0), ("you", 4.4, 5.5), ("eat", 5.6, 6.0)) == [
        ("I bake,", 0.1, 2.5),
        ("you eat", 5.2, 6.0),
    ]


@pytest.mark.parametrize("last", [(2.4, 4.9), (4.6, 4.9), (5.3, 5.9)])
def test_the_last_word_of_a_sentence_stays_with_it_wherever_the_model_puts_it(
    last: tuple[float, float],
) -> None:
    ((text, start, end),) = said(("in", 1.4, 1.8), ("Berlin.", *last))

    assert (text, start, end) == ("in Berlin.", 1.4, 2.5)


def test_a_sentence_that_begins_behind_a_full_stop_has_its_own_place() -> None:
    assert [one[0] for one in said(("Yes.", 1.0, 1.5), ("No.", 5.5, 6.0))] == ["Yes.", "No."]


def test_what_is_heard_where_nobody_speaks_is_left_out() -> None:
    assert said(("Thank", 3.0, 3.5), ("you.", 3.5, 4.0)) == []


def test_no_word_is_lost_and_no_time_runs_backwards() -> None:
    found = said(("a", 4.9, 5.0), ("b", 5.1, 5.1), ("c", 1.0, 9.0))

    assert " ".join(text for text, _, _ in found) == "a b c"
    assert all(start <= end for _, start, end in found)


def test_long_pauses_are_not_given_to_the_model() -> None:
    assert stretches([], 60.0) == []
    assert stretches([(0.0, 60.0)], 60.0) == [(0.0, 60.0)]
    assert len(stretches([(0.0, 1.0), (7.0, 8.0), (30.0, 31.0)], 60.0)) == 2
