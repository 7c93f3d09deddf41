"""What a question asks for, and what is left of it without names."""

import pytest

from memu_py.language.asked import asks_when, without_names


@pytest.mark.parametrize(
    ("question", "when"),
    [
        ("When did Ann move?", True),
        ("How long has she lived there?", True),
        ("What year was that?", True),
        ("which month", True),
        ("In which city does she live?", False),
        ("What did she say whenever it rained?", False),
        ("What was the time signature?", False),
        ("小李是哪一年搬家的？", True),
        ("会议几点开始", True),
        ("她学了多久的琴？", True),
        ("他喜欢什么？", False),
    ],
)
def test_a_question_asks_for_a_time_or_not(question: str, when: bool) -> None:
    assert asks_when(question) is when


@pytest.mark.parametrize(
    ("question", "names", "rest"),
    [
        ("What does Ann like?", ["Ann"], "What does like?"),
        ("What is Ann's sister called?", ["Ann"], "What is sister called?"),
        ("What is ann’s job?", ["Ann"], "What is job?"),
        ("What does Annabel like?", ["Ann"], "What does Annabel like?"),
        ("Did Mary Smith and Mary go?", ["Mary Smith"], "Did and go?"),
        ("小李住在哪里？", ["小李"], "住在哪里？"),
        ("C++ and a.b", ["C++", "a.b"], "and"),
        ("Ann?", ["Ann"], "Ann?"),
        ("What now?", [], "What now?"),
    ],
)
def test_names_go_and_the_rest_stays(question: str, names: list[str], rest: str) -> None:
    assert without_names(question, names) == rest
