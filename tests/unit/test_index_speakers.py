"""People are found by the names that a question has."""

import pytest

from memu_py import _core
from memu_py.index.speakers import NOBODY, Speakers

PEOPLE = ("Ann", "Mary Smith", "Mary Jones", "小李")


@pytest.fixture
def speakers() -> Speakers:
    known = Speakers()
    for name in PEOPLE:
        known.number(name)
    return known


def test_a_name_has_one_number_and_no_name_has_none(speakers: Speakers) -> None:
    assert [speakers.number(name) for name in PEOPLE] == [0, 1, 2, 3]
    assert speakers.number(None) == speakers.number("") == NOBODY


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What does Ann like?", ["Ann"]),
        ("What is ann's sister called?", ["Ann"]),
        ("What do Ann and Mary Smith like?", ["Mary Smith"]),
        ("What does Mary like?", ["Mary Smith", "Mary Jones"]),
        ("What does Mary Jones like?", ["Mary Jones"]),
        ("What does Annabel like?", []),
        ("小李住在哪里？", ["小李"]),
        ("", []),
    ],
)
def test_a_question_names_those_of_whose_names_it_has_most(
    speakers: Speakers, question: str, named: list[str]
) -> None:
    assert list(speakers.named(_core.content_words([question])[0])) == named
