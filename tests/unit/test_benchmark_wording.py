"""The words of answers against those of the right ones."""

import pytest

from benchmarks.sample import in_turn
from benchmarks.wording import f1, says_unknown


@pytest.mark.parametrize(
    ("answer", "expected", "category", "figure"),
    [
        ("The cello.", "cello", "4", 1.0),
        ("He was painting sunrises", "paint a sunrise", "4", 2 / 3),
        ("7 May 2023", "7 May, 2023", "2", 1.0),
        ("May 2023", "7 May 2023", "2", 0.8),
        ("Kickboxing", "Kickboxing, Taekwondo", "1", 0.5),
        ("Taekwondo, kickboxing", "Kickboxing, Taekwondo", "1", 1.0),
        ("No", "No; he works high up", "3", 1.0),
        ("cello", "violin", "4", 0.0),
        ("", "violin", "4", 0.0),
        ("Not mentioned.", "cello", "5", 1.0),
        ("cello", "cello", "5", 0.0),
    ],
)
def test_words_are_compared_by_the_rule_of_the_category(
    answer: str, expected: str, category: str, figure: float
) -> None:
    assert f1(answer, expected, category) == pytest.approx(figure)


def test_what_says_that_nothing_is_known() -> None:
    assert says_unknown("There is no information available on that.")
    assert not says_unknown("Nobody mentioned a cello.")


def test_a_sample_has_of_every_kind_in_turn() -> None:
    listed = ["a1", "a2", "a3", "b1", "c1"]

    assert in_turn(listed, lambda one: one[0], ["a", "b"], None) == ["a1", "b1", "a2", "a3"]
    assert in_turn(listed, lambda one: one[0], ["b", "a"], 2) == ["b1", "a1"]
    assert in_turn([], lambda one: one, ["a"], 2) == []
