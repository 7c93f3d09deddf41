"""The terms that name a group of texts."""

import pytest

from memu_py.errors import InvalidInput
from memu_py.language.terms import top_terms

HIKES = [
    "I love hiking in the Alps",
    "We went hiking near Zermatt",
    "Hiking boots are new",
    "She hikes in the Alps",
]
REST = ["I love tea", "my dog Rex is new", "We went home"]


def test_the_term_that_most_texts_share_is_on_top_as_most_write_it() -> None:
    assert top_terms(HIKES, REST, 2) == ["hiking", "Alps"]


def test_what_the_background_is_full_of_names_nothing() -> None:
    assert top_terms(["my dog swims", "the dog swims"], ["dog food", "a dog", "dog days"], 1) == ["swims"]


def test_chinese_terms_are_words() -> None:
    texts = ["我喜欢喝美式咖啡", "每周五去星巴克喝咖啡", "咖啡不加糖"]

    assert top_terms(texts, ["我喜欢看电影", "我的狗叫旺财"], 1) == ["咖啡"]


def test_identifiers_are_terms() -> None:
    assert top_terms(["GPT-4 is slow", "I use GPT-4", "gpt-4"], ["slow day"], 1) == ["GPT-4"]


def test_a_term_within_another_is_not_named_twice() -> None:
    assert top_terms(["GPT-4 and GPT", "GPT-4 or GPT"], [], 3) == ["GPT-4"]


def test_stop_words_numbers_and_single_letters_are_no_terms() -> None:
    assert top_terms(["the a 42 3.5 x", "it is 42"], [], 5) == []


def test_no_texts_have_no_terms() -> None:
    assert top_terms([], ["tea"], 3) == []
    assert top_terms(HIKES, REST, 0) == []


def test_a_count_below_zero_is_refused() -> None:
    with pytest.raises(InvalidInput, match="-1"):
        top_terms(HIKES, REST, -1)
