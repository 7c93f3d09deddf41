"""What texts become in the keyword index, with fixed vectors."""

import numpy as np
import pytest

from memu_py import _core


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("?! …", []),
        ("Running dogs", ["run", "dog"]),
        ("I don't know Ann's cat", ["i", "don't", "know", "ann", "cat"]),
        ("don’t", ["don't"]),
        ("Café naïve", ["cafe", "naiv"]),
        ("Straße", ["strass"]),
        ("gpt-4", ["gpt-4", "gpt", "4"]),
        ("C++, C# and F#", ["c++", "c#", "and", "f#"]),
        ("C++17", ["c++17", "c++", "17"]),
        ("node.js", ["node.js", "node", "js"]),
        ("ABC-123", ["abc-123", "abc", "123"]),
        ("a.b@c.org", ["a.b@c.org", "a", "b", "c", "org"]),
        ("v2.1.0", ["v2.1.0", "v2", "1", "0"]),
        ("E0308", ["e0308"]),
        ("ERR_CONN-42", ["err_conn-42", "err", "conn", "42"]),
        ("std::vec", ["std::vec", "std", "vec"]),
        (".env", [".env", "env"]),
        ("wait...what", ["wait", "what"]),
        ("10:30", ["10:30", "10", "30"]),
        ("$1,000.50", ["1000.50", "1000", "50"]),
        ("U.S.A.", ["usa"]),
        ("https://docs.rs/pyo3", ["docs.rs/pyo3", "doc", "rs", "pyo3"]),
        (
            "www.x.org/?q=tea&p=2#top",
            ["www.x.org", "www", "x", "org", "q", "tea&p", "tea", "p", "2", "top"],
        ),
        ("コーヒーが好き", ["コー", "ーヒ", "ヒー", "が", "好", "き"]),
        ("東京都庁に行く", ["東京", "京都", "都庁", "に", "行", "く"]),
        ("커피를 마신다", ["커피", "피를", "마신", "신다"]),
        ("Привет мир", ["привет", "мир"]),
        ("हिन्दी", ["हिन्दी"]),
        ("ＧＰＴ－４", ["gpt-4", "gpt", "4"]),
        ("用GPT-4写诗", ["用", "gpt-4", "gpt", "4", "写诗"]),
        ("\ud800tea", ["tea"]),
    ],
)
def test_tokens(text: str, tokens: list[str]) -> None:
    assert _core.tokenize([text]) == [tokens]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("用户喜欢什么类型的咖啡？", ["喜欢", "咖啡"]),
        ("用户喜欢什么类型的电影?", ["喜欢", "电影"]),
        ("他的妹妹住在哪里？", ["妹妹", "住"]),
        ("What kind of coffee does the user like?", ["coffe", "like"]),
        ("When did Caroline move to Paris?", ["carolin", "move", "pari"]),
        ("What's the user's name?", ["name"]),
        ("She is kind", ["kind"]),
        ("I do not like tea", ["not", "like", "tea"]),
        ("我不喜欢茶", ["不", "喜欢", "茶"]),
        ("Who are you?", ["who", "are", "you"]),
        ("什么？", ["什么"]),
        ("", []),
    ],
)
def test_content_words(question: str, words: list[str]) -> None:
    assert _core.content_words([question]) == [words]


def test_a_chinese_question_finds_its_answer_by_keyword_alone() -> None:
    texts = [
        "我在一家软件公司上班。",
        "我喜欢喝美式咖啡，不加糖不加奶。每周五会去星巴克。",
        "我喜欢看科幻电影。",
        "周末我常去爬山。",
    ]
    index = _core.KeywordIndex()
    places = np.zeros(4, dtype=np.int64)
    index.add(
        np.arange(4, dtype=np.uint32), ["\n".join(tokens) for tokens in _core.tokenize(texts)], places, places
    )
    assert index.search(_core.content_words(["用户喜欢什么类型的咖啡？"])[0], 4)[0].tolist()[0] == 1


@pytest.mark.parametrize(
    "word", ["gpt-4", "C++", "ABC-123", "node.js", "a.b@c.org", "E0308", "コーヒー", "커피", "咖啡"]
)
def test_a_word_of_any_kind_finds_the_row_that_has_it(word: str) -> None:
    texts = ["nothing of the kind", f"Yesterday: {word}, again.", "C is a letter", "an ABC of 123 things"]
    index = _core.KeywordIndex()
    places = np.full(4, -1, dtype=np.int64)
    index.add(
        np.arange(4, dtype=np.uint32), ["\n".join(tokens) for tokens in _core.tokenize(texts)], places, places
    )
    assert index.search(_core.tokenize([word])[0], 4)[0].tolist()[0] == 1


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  I like\tTea. ", "i like tea"),
        ("我喜欢茶。", "我喜欢茶"),
        ("Ｔｅａ！", "tea"),
        ("Tea?", "tea?"),
        ("...", "..."),
        ("", ""),
        ("\ud800", "\ufffd\ufffd\ufffd"),
    ],
)
def test_normal_form(text: str, normal: str) -> None:
    assert _core.normalize_text(text) == normal


def test_an_unknown_chinese_name_is_found_whatever_stands_around_it() -> None:
    name = set("欧阳锤")
    for text in ("欧阳锤喜欢茶", "我认识欧阳锤。", "欧阳锤"):
        tokens = "".join(_core.tokenize([text])[0])
        assert name <= set(tokens)
        assert "锤" in _core.tokenize([text])[0]


def test_hashes_are_blake3() -> None:
    empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
    assert _core.bytes_hash(b"") == _core.content_hash(" ") == empty


def test_the_tokeniser_has_a_name() -> None:
    assert _core.TOKENIZER_ID == "memu-2"
