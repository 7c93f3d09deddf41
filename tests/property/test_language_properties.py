"""Rules that hold for every text."""

from datetime import UTC, datetime
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from memu_py.language.agreement import fuller, is_contained, signature
from memu_py.language.dates import resolve_dates
from memu_py.language.entities import entities
from memu_py.language.lexemes import lexemes
from memu_py.language.numbers import chinese_number, english_number
from memu_py.language.sentences import groups, sentences
from memu_py.language.terms import top_terms
from memu_py.language.tongue import language_of
from memu_py.language.value import assess
from memu_py.language.wordlist import words
from memu_py.language.zones import zone

PIECES = [
    *sorted(
        words(
            """
            the on in at from to since until between and by last next this every two 3 15 2023 31 a few half ago
            back yesterday today Friday Sat May may March weekend week month years summer Christmas 3pm noon
            5/7/2023 2023-05-07 7th ' ’ - – , . ! ? … : ; ( ) " “ ” ` ``` # Dr. e.g. p.m. I my Ann New York NASA
            gpt-4 C++ 昨天 上 下 周 六 星期 个 月 年 三 两 半 前 后 五月 七日 2023年 号 每 底 春天 去年 点 我 叫
            小明 北京 大学 。 ， ？ 不 没 😊 ß İ ﬁ ５ 週 Привет
            """
        )
    ),
    *"\n\r\t\u3000\u00a0\x1c",
    "\n\n",
]
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
)
TIMES = st.datetimes(timezones=st.just(UTC))
ZONES = st.sampled_from(["UTC", "Asia/Shanghai", "America/New_York", "Pacific/Apia", "Asia/Kathmandu"])


@settings(deadline=None)
@given(text=TEXTS, said_at=TIMES, name=ZONES)
def test_dates_are_ordered_and_their_words_stand_in_the_text(text: str, said_at: datetime, name: str) -> None:
    found = resolve_dates(text, said_at=said_at, zone=zone(name))

    for one in found:
        assert text[one.start : one.end] == one.span.words
        assert one.span.words
        assert one.span.start.tzinfo is UTC
        assert one.span.until.tzinfo is UTC
        assert one.span.start <= one.span.until
        assert (one.span.precision == "instant") == (one.span.start == one.span.until)
    assert all(left.end <= right.start for left, right in pairwise(found))


@settings(deadline=None)
@given(text=TEXTS)
def test_between_sentences_lies_only_white_space(text: str) -> None:
    spans = sentences(text)

    _covers(text, spans)
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)


@settings(deadline=None)
@given(text=TEXTS, size=st.integers(min_value=1, max_value=60))
def test_groups_lose_nothing_and_keep_the_limit(text: str, size: int) -> None:
    spans = groups(text, max_chars=size)

    _covers(text, spans)
    assert all(0 < end - start <= size for start, end in spans)


def _covers(text: str, spans: list[tuple[int, int]]) -> None:
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    assert edges == sorted(edges)
    gaps = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    assert not "".join(gaps).strip()


@settings(deadline=None)
@given(text=TEXTS)
def test_words_are_ordered_and_apart(text: str) -> None:
    spans = lexemes(text)

    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))


@settings(deadline=None)
@given(text=TEXTS)
def test_every_text_has_a_value_a_language_and_names_without_repeats(text: str) -> None:
    names = entities(text, speaker="Leo", names=["Ann", "小明"])

    assert len({name.casefold() for name in names}) == len(names)
    assert all(names)
    assert assess(text) in (None, "empty", "greeting", "farewell", "acknowledgement", "question")
    assert language_of(text) in ("en", "zh", "ja", "ko", "other")


@settings(deadline=None)
@given(one=TEXTS, other=TEXTS)
def test_containment_does_not_depend_on_the_order(one: str, other: str) -> None:
    a, b = signature(one), signature(other)

    assert is_contained(a, b) == is_contained(b, a)
    assert fuller(one, other) in (one, other)


@settings(deadline=None)
@given(text=TEXTS)
def test_a_text_of_two_words_contains_itself(text: str) -> None:
    found = signature(text)

    assert is_contained(found, found) == (len(found.words) > 1)


@settings(deadline=None)
@given(texts=st.lists(TEXTS, max_size=4), background=st.lists(TEXTS, max_size=4), n=st.integers(0, 5))
def test_terms_are_written_as_in_the_texts(texts: list[str], background: list[str], n: int) -> None:
    terms = top_terms(texts, background, n)

    assert len(terms) <= n
    assert len(set(terms)) == len(terms)
    assert all(any(term in text for text in texts) for term in terms)


@settings(deadline=None)
@given(number=st.integers(min_value=0, max_value=9999))
def test_a_chinese_number_by_its_digits_and_places(number: int) -> None:
    digits = "零一二三四五六七八九"

    assert chinese_number("".join(digits[int(char)] for char in str(number))) == number
    assert chinese_number(_by_place(number)) == number
    assert english_number(str(number)) == number


def _by_place(number: int) -> str:
    if number == 0:
        return "零"
    text = ""
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, unit)
        if digit:
            text += "零一二三四五六七八九"[digit] + name
        elif text and number:
            text += "零"
    return text
