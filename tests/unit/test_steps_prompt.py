"""Dates in the prompt block, and what fits into its budget."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memu_py.language.budget import count_tokens
from memu_py.records.hit import Hit
from memu_py.records.item import Item, Source
from memu_py.records.passage import Passage
from memu_py.records.resource import Segment
from memu_py.records.scope import Scope
from memu_py.records.span import Precision, TimeSpan
from memu_py.steps.memorize.summary import says
from memu_py.steps.retrieve.prompt import Template, show_span, write_prompt

DAY = datetime(2023, 5, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("precision", "days", "shown"),
    [
        ("year", 365, "2023"),
        ("month", 31, "2023-05"),
        ("instant", 0, "2023-05-07 00:00"),
        ("day", 1, "2023-05-07"),
        ("week", 7, "2023-05-07 … 2023-05-13"),
        ("season", 92, "2023-05-07 … 2023-08-06"),
        ("range", 2, "2023-05-07 … 2023-05-08"),
    ],
)
def test_a_span_is_shown_as_precisely_as_it_was_said(precision: Precision, days: int, shown: str) -> None:
    span = TimeSpan(start=DAY, until=DAY + timedelta(days=days), precision=precision, words="then")
    assert show_span(span, UTC) == shown


def test_a_day_is_the_day_of_the_zone_it_was_in() -> None:
    zone = ZoneInfo("Asia/Shanghai")
    start = datetime(2023, 5, 7, tzinfo=zone)
    span = TimeSpan(
        start=start.astimezone(UTC),
        until=(start + timedelta(days=1)).astimezone(UTC),
        precision="day",
        words="7日",
    )
    assert show_span(span, zone) == "2023-05-07"


def hit(text: str, *, speaker: str | None = None, type_: str = "fact") -> Hit[Item]:
    item = Item(
        type=type_,
        text=text,
        speaker=speaker,
        scope=Scope(user="u"),
        identity="",
        created_at=DAY,
        updated_at=DAY,
    )
    return Hit(record=item, score=1.0)


def block(hits: list[Hit[Item]], max_tokens: int, **caps: int) -> str:
    return write_prompt(hits, template=Template(), caps=caps, max_tokens=max_tokens, now=DAY, zone=UTC)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("- Mira likes\n  tea.\n- Tom does not.", "- Mira likes tea.; Tom does not."),
        ("* one", "- one"),
        ("first\n\n  second", "- first second"),
    ],
)
def test_a_list_is_one_line_without_its_marks(text: str, line: str) -> None:
    block = write_prompt([hit(text)], template=Template(), caps={}, max_tokens=500, now=DAY, zone=UTC)
    assert block.splitlines()[-1] == line


def test_the_date_of_a_memory_stands_beside_its_own_words() -> None:
    source = Source(resource_id="r", ordinal=1, start=0, end=1)
    item = hit("I moved.", speaker="Ann").record.evolve(sources=(source,), said_at=DAY)
    turns = tuple(
        Segment(ordinal=number, kind="turn", text=text, start=0, end=1, hash="", speaker="Ann")
        for number, text in enumerate(("Hello.", "I moved.", "I like tea."))
    )
    passage = Passage(resource_id="r", segments=turns, item_ids=(item.id,))
    text = write_prompt(
        [Hit(record=item, score=1.0)],
        [passage],
        template=Template(),
        caps={},
        max_tokens=500,
        now=DAY,
        zone=UTC,
    )
    assert text.splitlines()[-3:] == [
        "- Ann: Hello.",
        "  Ann: I moved. (said on 2023-05-07)",
        "  Ann: I like tea.",
    ]


@pytest.mark.parametrize("max_tokens", range(1, 120, 7))
def test_the_block_never_exceeds_its_budget(max_tokens: int) -> None:
    hits = [hit("word " * length, speaker="Ann") for length in (30, 3, 12, 1)]
    assert count_tokens(block(hits, max_tokens)) <= max_tokens


def test_a_long_one_makes_room_for_a_short_one_and_caps_hold_by_type() -> None:
    hits = [hit("long " * 80), hit("first fact"), hit("second fact"), hit("one skill", type_="skill")]
    text = block(hits, 60, fact=1)
    assert "first fact" in text
    assert "one skill" in text
    assert "second" not in text
    assert "long" not in text


@pytest.mark.parametrize(
    ("summary", "text", "found"),
    [
        ("Ann: I like\nBo: hi", "I like", True),
        ("Ann: I like tea", "I  like\ntea", True),
        ("a" * 60, "a" * 90, True),
        ("Ann: tea", "coffee", False),
        ("", "tea", False),
    ],
)
def test_a_summary_says_a_text_whole_or_cut(summary: str, text: str, found: bool) -> None:
    assert says(summary, text) is found
