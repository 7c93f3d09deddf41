"""Where sentences end and how they are grouped."""

import pytest

from memu_py.errors import InvalidInput
from memu_py.language.sentences import groups, sentences

CASES: list[tuple[str, list[str]]] = [
    ("", []),
    ("  \n\n ", []),
    ("I like tea", ["I like tea"]),
    ("I like tea. You like milk.", ["I like tea.", "You like milk."]),
    ("i like tea. you like milk.", ["i like tea.", "you like milk."]),
    ("Really?! Yes!! Good.", ["Really?!", "Yes!!", "Good."]),
    ("Dr. Lee met Mrs. May vs. Mr. Roe.", ["Dr. Lee met Mrs. May vs. Mr. Roe."]),
    ("He left at 5 p.m. Then he ate.", ["He left at 5 p.m.", "Then he ate."]),
    ("At 5 p.m. we ate tea, milk, etc. and left.", ["At 5 p.m. we ate tea, milk, etc. and left."]),
    (
        "J. K. Rowling wrote it. It was I. Then she left.",
        ["J. K. Rowling wrote it.", "It was I.", "Then she left."],
    ),
    ("No. 5 is alive. No. It is not.", ["No. 5 is alive.", "No.", "It is not."]),
    ("It costs 3.50, v2.1.0 is out.", ["It costs 3.50, v2.1.0 is out."]),
    ("Wait... what? Well... Maybe.", ["Wait... what?", "Well...", "Maybe."]),
    ("Hmm… ok. Hmm… Ok.", ["Hmm… ok.", "Hmm…", "Ok."]),
    ("See https://a.com/x?y=1. Fine.", ["See https://a.com/x?y=1.", "Fine."]),
    ("Write to a.b@c.org. Thanks.", ["Write to a.b@c.org.", "Thanks."]),
    ('She said "Stop!" and left. "No." Ok.', ['She said "Stop!" and left.', '"No."', "Ok."]),
    ("(He went.) She stayed.", ["(He went.)", "She stayed."]),
    ("**Bold.** Then *this.* End", ["**Bold.**", "Then *this.*", "End"]),
    ("Thanks! 😊👍 See you :) Bye", ["Thanks! 😊👍", "See you :) Bye"]),
    ("Great! :) Next one.", ["Great! :)", "Next one."]),
    ("我喜欢茶。你呢？真的！", ["我喜欢茶。", "你呢？", "真的！"]),
    ("“你好吗？”他问。“好。” 我走了。", ["“你好吗？”他问。", "“好。”", "我走了。"]),
    ("我想想……好吧。", ["我想想……好吧。"]),
    ("今天3.5元。明天", ["今天3.5元。", "明天"]),
    ("Hi!你好。", ["Hi!", "你好。"]),
    ("お茶が好き。コーヒーは？", ["お茶が好き。", "コーヒーは？"]),
    ("차를 좋아해요. 커피는?", ["차를 좋아해요.", "커피는?"]),
    ("hi\ni moved to Berlin\nmy dog is Rex", ["hi", "i moved to Berlin", "my dog is Rex"]),
    ("First part\n\nsecond part", ["First part", "second part"]),
    ("One.\r\nTwo.\rThree.", ["One.", "Two.", "Three."]),
    (
        "This long line of running prose was wrapped by its editor\nand goes on here. Good.",
        ["This long line of running prose was wrapped by its editor\nand goes on here.", "Good."],
    ),
    (
        "This long line of running prose stands above a list of things\n- one\n- two",
        ["This long line of running prose stands above a list of things", "- one", "- two"],
    ),
    (
        "# A heading that is quite long but is a heading all the same\nText",
        ["# A heading that is quite long but is a heading all the same", "Text"],
    ),
    (
        "Ann: this is quite a long thing to say without any full stop here\nBob: yes",
        ["Ann: this is quite a long thing to say without any full stop here", "Bob: yes"],
    ),
    ("1. Do it. Now.\n2. Then that.\na. Last.", ["1. Do it.", "Now.", "2. Then that.", "a. Last."]),
    ("Use `foo. bar` here. Done.", ["Use `foo. bar` here.", "Done."]),
    ("Code:\n```py\na. b\n\nc!\n```\nDone.", ["Code:", "```py\na. b\n\nc!\n```", "Done."]),
    ("Open\n```\nnever closed. Yes.", ["Open", "```", "never closed.", "Yes."]),
    ("```\na. b\n~~~\nc. d\n```\nEnd", ["```\na. b\n~~~\nc. d\n```", "End"]),
    ("```\n`x. y`\n```", ["```\n`x. y`\n```"]),
    ("...", ["..."]),
    ("a.b", ["a.b"]),
    ("Type 2. Next", ["Type 2.", "Next"]),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected


def test_groups_are_as_long_as_fits() -> None:
    text = "One two. Three four. Five."

    assert [text[start:end] for start, end in groups(text, max_chars=20)] == ["One two. Three four.", "Five."]


def test_a_group_does_not_cross_a_blank_line() -> None:
    text = "One.\n\nTwo.\nThree."

    assert [text[start:end] for start, end in groups(text, max_chars=100)] == ["One.", "Two.\nThree."]


def test_a_long_sentence_is_split_at_a_clause() -> None:
    text = "I went to the market in the morning, and then I came home again"

    assert [text[start:end] for start, end in groups(text, max_chars=40)] == [
        "I went to the market in the morning,",
        "and then I came home again",
    ]


def test_a_long_clause_is_split_at_white_space() -> None:
    text = "alpha beta gamma delta"

    assert [text[start:end] for start, end in groups(text, max_chars=11)] == ["alpha beta", "gamma delta"]


def test_what_has_no_white_space_is_split_at_the_limit() -> None:
    assert groups("abcdefgh", max_chars=3) == [(0, 3), (3, 6), (6, 8)]


def test_a_chinese_sentence_is_split_at_its_comma() -> None:
    text = "我早上去了市场，然后又回家了"

    assert [text[start:end] for start, end in groups(text, max_chars=9)] == [
        "我早上去了市场，",
        "然后又回家了",
    ]


@pytest.mark.parametrize("size", [0, -3])
def test_a_size_below_one_is_refused(size: int) -> None:
    with pytest.raises(InvalidInput, match="max_chars"):
        groups("text", max_chars=size)
