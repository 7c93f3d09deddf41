"""Dates: time zones, what is refused, what is imported when."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest

from memu_py.errors import InvalidInput
from memu_py.language.dates import FoundDate, first_date, resolve_dates
from memu_py.language.zones import zone

NOON = datetime(2023, 5, 10, 12, tzinfo=UTC)


def _only(text: str, said_at: datetime, name: str = "UTC") -> FoundDate:
    (found,) = resolve_dates(text, said_at=said_at, zone=zone(name))
    return found


def test_a_day_begins_at_midnight_of_the_speakers_zone() -> None:
    found = _only("yesterday", NOON, "Asia/Shanghai")

    assert found.span.start == datetime(2023, 5, 8, 16, tzinfo=UTC)
    assert found.span.until == datetime(2023, 5, 9, 16, tzinfo=UTC)


def test_today_is_the_day_in_the_speakers_zone() -> None:
    late = datetime(2023, 5, 10, 20, tzinfo=UTC)

    assert _only("today", late, "Asia/Shanghai").span.start == datetime(2023, 5, 10, 16, tzinfo=UTC)
    assert _only("today", late, "America/New_York").span.start == datetime(2023, 5, 10, 4, tzinfo=UTC)


def test_said_at_may_be_in_any_zone() -> None:
    said = datetime(2023, 5, 10, 23, tzinfo=timezone(timedelta(hours=-5)))

    assert _only("today", said).span.start == datetime(2023, 5, 11, tzinfo=UTC)


def test_the_day_on_which_clocks_change_has_twenty_three_hours() -> None:
    span = _only("on March 26, 2023", NOON, "Europe/Berlin").span

    assert span.until - span.start == timedelta(hours=23)


def test_a_clock_time_is_local() -> None:
    span = _only("tomorrow at 3pm", NOON, "Europe/Berlin").span

    assert (span.start, span.precision) == (datetime(2023, 5, 11, 13, tzinfo=UTC), "instant")
    assert span.until == span.start


def test_an_iso_moment_without_an_offset_is_local() -> None:
    span = _only("2023-05-07T10:30:15", NOON, "Asia/Tokyo").span

    assert span.start == datetime(2023, 5, 7, 1, 30, 15, tzinfo=UTC)


def test_a_message_time_without_a_zone_is_refused() -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        resolve_dates("yesterday", said_at=NOON.replace(tzinfo=None))


def test_places_are_those_of_the_words() -> None:
    text = "我 上週六 met Ann, on MAY 7th."
    found = resolve_dates(text, said_at=NOON)

    assert [text[one.start : one.end] for one in found] == ["上週六", "MAY 7th"]
    assert [one.span.words for one in found] == ["上週六", "MAY 7th"]


def test_the_first_date_is_the_first_in_the_text() -> None:
    found = first_date("Next week, not yesterday", said_at=NOON)

    assert found is not None
    assert found.words == "Next week"


def test_a_text_without_a_date_has_no_first_date() -> None:
    assert first_date("I like tea.", said_at=NOON) is None


@pytest.mark.parametrize(
    "text",
    [
        "9999 years ago",
        "900 decades ago",
        "in 9000 years I will rest",
        "九百年前的九百年前",
        "9999 months ago",
    ],
)
@pytest.mark.parametrize("said_at", [datetime(3, 1, 1, tzinfo=UTC), datetime(9998, 12, 31, tzinfo=UTC)])
def test_a_date_beyond_the_calendar_is_no_date_and_no_error(text: str, said_at: datetime) -> None:
    assert all(one.span.start <= one.span.until for one in resolve_dates(text, said_at=said_at))


@pytest.mark.parametrize("said_at", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
@pytest.mark.parametrize("name", ["America/New_York", "Asia/Shanghai"])
def test_the_edges_of_the_calendar_are_no_error(said_at: datetime, name: str) -> None:
    texts = (
        "today yesterday tomorrow last week next month last summer next winter two years ago 前年 后年 下周"
    )

    assert resolve_dates(texts, said_at=said_at, zone=zone(name)) is not None


def test_a_future_word_farther_away_than_a_past_one_does_not_count() -> None:
    text = "I will tell you what I did on Friday"

    assert _only(text, NOON).span.start == datetime(2023, 5, 5, tzinfo=UTC)


def test_a_word_in_another_sentence_does_not_count() -> None:
    assert _only("I met her on Friday. I will call.", NOON).span.start == datetime(2023, 5, 5, tzinfo=UTC)


def test_a_time_that_two_days_could_have_is_taken_once() -> None:
    found = resolve_dates("today at 3pm on Friday", said_at=NOON)

    assert [(one.span.words, one.span.precision) for one in found] == [
        ("today at 3pm", "instant"),
        ("Friday", "day"),
    ]


def test_a_since_in_the_future_is_no_span_up_to_now() -> None:
    assert _only("since tomorrow", NOON).span.words == "tomorrow"


def test_the_slow_parser_is_imported_only_for_a_written_date() -> None:
    program = (
        "import sys; from datetime import datetime, UTC\n"
        "from memu_py.language.dates import resolve_dates\n"
        "said = datetime(2023, 5, 10, tzinfo=UTC)\n"
        "resolve_dates('yesterday, 上周六, in May 2023', said_at=said)\n"
        "before = 'dateparser' in sys.modules\n"
        "resolve_dates('May 7, 2023', said_at=said)\n"
        "sys.exit(0 if (before, 'dateparser' in sys.modules) == (False, True) else 1)"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
