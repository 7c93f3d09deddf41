"""Sensitive data is found however it is written, and nothing is that is a version, a date or a price."""

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from memu_py.language.sensitive import find_sensitive, narrow
from memu_py.language.sensitive_numbers import bank_cards, id_cards, id_check, luhn

CARDS = st.integers(0, 10**14 - 1).map(lambda number: _with_check(f"4{number:014}"))
DAYS = st.dates(date(1800, 1, 1), date(2099, 12, 31))
PEOPLE = st.tuples(st.integers(100000, 999999), DAYS, st.integers(0, 999))
GAPS = st.text(" .-\n\u3000\u00a0", max_size=2)
SMALL = st.integers(0, 999)
HARMLESS = st.one_of(
    st.lists(SMALL, min_size=2, max_size=5).map(lambda parts: ".".join(map(str, parts))),
    DAYS.map(lambda day: f"{day:%Y-%m-%d}"),
    DAYS.map(lambda day: f"{day:%d.%m.%Y}"),
    DAYS.map(lambda day: f"{day:%d-%m-%Y}"),
    DAYS.map(lambda day: f"{day.year}年{day.month}月{day.day}日"),
    st.tuples(st.sampled_from("$€¥"), st.integers(0, 99999), st.integers(0, 99)).map(
        lambda price: f"{price[0]}{price[1]:,}.{price[2]:02}"
    ),
    st.integers(0, 99999).map(lambda price: f"{price / 100:.2f}"),
)


def _with_check(digits: str) -> str:
    return next(f"{digits}{last}" for last in range(10) if luhn(f"{digits}{last}"))


def wide(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if char.isascii() and char.isalnum() else char for char in text)


@given(card=CARDS, gap=GAPS, before=st.sampled_from(["", "no.", "No. ", "卡号", "2024 "]), full=st.booleans())
def test_a_card_in_fours_is_found(card: str, gap: str, before: str, full: bool) -> None:
    written = gap.join(card[place : place + 4] for place in range(0, 16, 4))
    written = wide(written) if full else written
    text = f"{before}{written}"
    assert [(one.start, one.end) for one in find_sensitive(text, ["bank_card"])] == [(len(before), len(text))]


@given(person=PEOPLE, gap=GAPS, before=st.sampled_from(["", "No.", "证号"]), full=st.booleans())
def test_an_identity_card_is_found(person: tuple[int, date, int], gap: str, before: str, full: bool) -> None:
    digits = f"{person[0]}{person[1]:%Y%m%d}{person[2]:03}"
    written = gap.join((digits[:6], digits[6:14], digits[14:] + id_check(digits)))
    written = wide(written) if full else written
    text = f"{before}{written}"
    assert [(one.start, one.end) for one in find_sensitive(text, ["id_card"])] == [(len(before), len(text))]


@settings(deadline=None)
@given(parts=st.lists(HARMLESS, max_size=12), gap=st.sampled_from([" ", ", ", "\n", "、", "; "]))
def test_versions_dates_and_prices_are_none(parts: list[str], gap: str) -> None:
    assert find_sensitive(gap.join(parts), ["bank_card", "id_card", "email", "address"]) == []


@given(text=st.text())
def test_full_width_text_keeps_its_places(text: str) -> None:
    assert len(narrow(text)) == len(text)
    assert narrow(wide(text)) == narrow(text)


def test_long_tables_of_digits_come_to_an_end() -> None:
    """With time that grows as the square of the length, this would last for hours."""
    for text in (
        "1" * 200_000,
        "4111 " * 40_000,
        "1 " * 100_000,
        "110105 1949" * 20_000,
        "4111.1111\n" * 20_000,
    ):
        assert all(end - start < 40 for find in (bank_cards, id_cards) for start, end in find(text))
