"""The text kernels hold for any Unicode."""

import re
import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memu_py import _core
from memu_py.scoring import reference

MAX_TOKEN_CHARS = 64

ANY_TEXT = st.text(st.characters(exclude_categories=()))
"""Surrogates and unassigned characters too."""

SIGNS = st.sampled_from(list("-_.@/:&+#',?=~ \n　。、ー・々'’́‍"))
TRICKY_TEXT = st.text(st.characters(exclude_categories=()) | SIGNS | st.sampled_from("abAB019ßİéか가กไ中文"))

KNOWN_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cn", "Co")))
"""What the standard library's Unicode knows; assigned characters never change their normal form."""

ALPHANUMERIC = "abcxyzABCXYZ0189"
IDENTIFIERS = st.builds(
    lambda first, rest: first + "".join(rest),
    st.text("abcxyzABC", min_size=2, max_size=8),
    st.lists(
        st.builds(str.__add__, st.sampled_from("-_."), st.text(ALPHANUMERIC, min_size=1, max_size=6)),
        min_size=1,
        max_size=3,
    ),
)
BEFORE = st.sampled_from(["", "see ", "(", "用", "、", "“", "\n", "コ", "값 "])
AFTER = st.sampled_from(["", " now", ")", "写", "、", "”", "\n", "コ", ", ", ". ", "!"])


@settings(deadline=None)
@given(ANY_TEXT | TRICKY_TEXT)
@example("\ud800")
@example("http://" * 500)
@example("a-" * 5000)
@example("1,000" * 1000)
@example("'" * 100 + "a'b")
@example("مرحبا कृपया ไทย")
def test_tokens_are_short_words_without_space_or_capitals(text: str) -> None:
    for token in _core.tokenize([text])[0]:
        assert 0 < len(token) <= MAX_TOKEN_CHARS
        assert not any(character.isspace() for character in token)
        assert token == token.casefold()


@settings(deadline=None)
@given(ANY_TEXT | TRICKY_TEXT)
def test_content_words_are_tokens_in_order(text: str) -> None:
    tokens, words = _core.tokenize([text])[0], _core.content_words([text])[0]
    rest = iter(tokens)
    assert all(word in rest for word in words)
    assert bool(words) == bool(tokens)


@settings(deadline=None)
@given(st.lists(TRICKY_TEXT, max_size=5))
def test_a_long_batch_gives_what_single_texts_give(texts: list[str]) -> None:
    filler = ["the quick brown fox"] * 300
    batch = _core.tokenize([*texts, *filler])
    assert batch[: len(texts)] == [_core.tokenize([text])[0] for text in texts]


def test_equal_tokens_of_a_batch_are_one_object() -> None:
    (first, *_), (second, *_) = _core.tokenize(["Walking home", "walked away"])
    assert first == "walk"
    assert first is second


@settings(deadline=None)
@given(KNOWN_TEXT)
def test_letters_and_digits_are_never_lost(text: str) -> None:
    has_word = any(character.isalnum() for character in unicodedata.normalize("NFKC", text))
    assert not has_word or _core.tokenize([text])[0]


@settings(deadline=None)
@given(BEFORE, IDENTIFIERS, AFTER)
def test_identifiers_are_found_whole_and_in_parts(before: str, name: str, after: str) -> None:
    tokens = _core.tokenize([f"{before}{name}{after}"])[0]
    assert name.lower() in tokens
    for part in re.split(r"[-_.]", name):
        assert _core.tokenize([part])[0][0] in tokens


@settings(deadline=None)
@given(TRICKY_TEXT)
def test_case_and_width_make_no_difference(text: str) -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    assert _core.tokenize([wide]) == _core.tokenize([text])
    assert _core.normalize_text(wide) == _core.normalize_text(text)


@settings(deadline=None)
@given(ANY_TEXT | TRICKY_TEXT)
def test_normalizing_twice_changes_nothing(text: str) -> None:
    once = _core.normalize_text(text)
    assert _core.normalize_text(once) == once


@settings(deadline=None)
@given(KNOWN_TEXT | st.text(SIGNS | st.sampled_from("aBß.!。…")))
def test_normalizing_agrees(text: str) -> None:
    assert _core.normalize_text(text) == reference.normalize_text(text)


@settings(deadline=None)
@given(KNOWN_TEXT)
def test_the_content_hash_is_that_of_the_normal_form(text: str) -> None:
    normal = _core.normalize_text(text)
    assert _core.content_hash(text) == _core.bytes_hash(normal.encode()) == _core.content_hash(f" {normal}\n")


@settings(deadline=None)
@given(st.binary(), st.binary())
def test_equal_hashes_mean_equal_bytes(left: bytes, right: bytes) -> None:
    assert (_core.bytes_hash(left) == _core.bytes_hash(right)) == (left == right)
    assert re.fullmatch("[0-9a-f]{64}", _core.bytes_hash(left))
