"""Which sentences of a conversation are kept."""

import pytest

from memu_py.features.condense import WORTHWHILE, condense, said
from memu_py.language.budget import count_tokens
from memu_py.records.conversation import Line


def lines(*texts: str) -> list[Line]:
    return [Line(ordinals=(place,), speaker="user", text=text) for place, text in enumerate(texts)]


def test_a_message_is_cut_into_sentences_without_courtesies() -> None:
    found = said(3, "Ann", "Hello!  I moved to   Lisbon. 我喜欢茶。谢谢！")
    assert [str(one) for one in found] == ["[3] Ann: I moved to Lisbon.", "[3] Ann: 我喜欢茶。"]


def test_what_is_concrete_stays_and_in_its_order() -> None:
    found = condense(
        lines("It is nice here.", "We meet Carla at 7:40 in Porto.", "Well, yes.", "我们和小梅十月去京都。"),
        max_tokens=60,
        least=WORTHWHILE,
    )
    assert [one.ordinals[0] for one in found] == [1, 3]


def test_what_is_said_again_is_told_once_and_as_it_was_said_last() -> None:
    found = condense(lines("Carla moved to Porto.", "Yes.", "In May Carla moved to Porto."), max_tokens=100)
    assert [one.ordinals[0] for one in found if "Carla" in one.text] == [2]


def test_a_question_is_worth_less_than_its_answer() -> None:
    (found,) = condense(lines("Does Carla live in Porto now?", "Carla lives in Porto now."), max_tokens=14)
    assert found.ordinals == (1,)


@pytest.mark.parametrize("tokens", [3, 10, 25])
def test_a_budget_is_kept_and_the_best_is_cut_where_nothing_fits(tokens: int) -> None:
    found = condense(
        lines("Carla moved to Porto in May 2023 with her two cats.", "小梅十月搬到了京都。"),
        max_tokens=tokens,
    )
    assert found and count_tokens(found[0].text) <= tokens
    assert condense((), max_tokens=tokens) == ()
