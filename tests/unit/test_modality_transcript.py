"""Transcripts: turns, speakers, times."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memu_py.errors import InvalidInput
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.modality.transcript import UNCLEAR_DAYS, TranscriptParser


def parsed(content: str, options: ParseOptions = DEFAULT_OPTIONS, name: str | None = None) -> Parsed:
    result = TranscriptParser().parse(Raw(data=content.encode(), name=name), options=options)
    for place, segment in enumerate(result.segments):
        assert result.text[segment.start : segment.end] == segment.text
        assert segment.ordinal == place
    return result


def turns(content: str) -> list[tuple[str | None, str]]:
    return [(segment.speaker, segment.text) for segment in parsed(content).segments]


def times(content: str, options: ParseOptions = DEFAULT_OPTIONS) -> list[str | None]:
    return [
        segment.said_at.isoformat(" ", "minutes").removesuffix("+00:00") if segment.said_at else None
        for segment in parsed(content, options).segments
    ]


def test_a_line_is_a_turn() -> None:
    result = parsed("Ann: I like tea.\nBob:  So do I. \r\nAnn: Good.")
    assert [(one.kind, one.speaker, one.text) for one in result.segments] == [
        ("turn", "Ann", "I like tea."),
        ("turn", "Bob", "So do I."),
        ("turn", "Ann", "Good."),
    ]
    assert (result.modality, result.media_type, result.title) == ("transcript", "text/plain", "I like tea.")


def test_lines_that_name_nobody_go_on_with_the_turn_above() -> None:
    content = "Ann: first\nsecond\n\nNote: third\nBob:\nfourth\nCarl:\n"
    assert turns(content) == [("Ann", "first\nsecond\n\nNote: third"), ("Bob", "fourth")]


def test_what_stands_above_the_first_turn_is_context() -> None:
    heading, *rest = parsed("Meeting of the board\n\nAnn: hi\nBob: yo").segments
    assert (heading.kind, heading.text, heading.speaker) == ("context", "Meeting of the board", None)
    assert [one.speaker for one in rest] == ["Ann", "Bob"]


def test_chinese_colons_need_no_space() -> None:
    assert turns("小美：你好\n阿木:你好呀") == [("小美", "你好"), ("阿木", "你好呀")]


@pytest.mark.parametrize(
    ("line", "speaker"),
    [
        ("Mary-Jane O'Neil: hi", "Mary-Jane O'Neil"),
        ("Dr. Lee : hi", "Dr. Lee"),
        ("Ludwig van Beethoven: hi", "Ludwig van Beethoven"),
        ("Élodie (guest): hi", "Élodie (guest)"),
        ("**Ann:** hi", "Ann"),
        ("**Ann**: hi", "Ann"),
    ],
)
def test_names_may_have_several_words(line: str, speaker: str) -> None:
    assert turns(line) == [(speaker, "hi")]


@pytest.mark.parametrize(
    "line", ["Ann:hi", "http://example.org", "Is it so: yes", "x" * 41 + ": hi", "12:30 hi"]
)
def test_other_colons_name_nobody(line: str) -> None:
    with pytest.raises(InvalidInput, match="Name: text"):
        parsed(line)


def test_roles_are_no_names() -> None:
    result = parsed("System: be kind\nUser: I like tea\nAssistant: Nice\n用户：我也是")
    assert [(one.kind, one.role, one.speaker) for one in result.segments] == [
        ("context", "system", None),
        ("turn", "user", None),
        ("turn", "assistant", None),
        ("turn", "user", None),
    ]


@pytest.mark.parametrize(
    "stamp",
    [
        "[2023-05-08 13:56] ",
        "[2023-05-08 13:56:00] ",
        "[2023-05-08T13:56:00Z] ",
        "[2023-05-08 15:56:00.123+02:00] ",
        "(2023/5/8 13:56) ",
        "2023-05-08 13:56 ",
        "2023-05-08 1:56 PM - ",
        "2023.5.8, 1:56pm – ",
        "2023年5月8日 13:56 ",
        "【2023年5月8日 13:56】",
        "[08.05.2023, 13:56:00] ",
        "08.05.23, 13:56 - ",
        "\u200e[2023-05-08, 1:56\u202fPM] ",
    ],
)
def test_times_are_read_in_every_usual_form(stamp: str) -> None:
    assert times(f"{stamp}Ann: hi") == ["2023-05-08 13:56"]


def test_any_label_behind_a_time_is_a_speaker() -> None:
    assert turns("[13:56] Note: hi") == [("Note", "hi")]


def test_a_day_alone_is_its_midnight_in_the_zone_of_the_call() -> None:
    assert times("2023-05-08 Ann: hi", ParseOptions(zone=ZoneInfo("Asia/Shanghai"))) == ["2023-05-07 16:00"]


def test_a_clock_alone_belongs_to_the_day_above() -> None:
    content = "13:50 Ann: a\n[2023-05-08 13:56] Ann: b\n13:57 Bob: c\n13:55 Ann: d\n00:03 Bob: e\n0:10 Ann: f"
    assert times(content) == [
        None,
        "2023-05-08 13:56",
        "2023-05-08 13:57",
        "2023-05-08 13:55",
        "2023-05-09 00:03",
        "2023-05-09 00:10",
    ]
    assert parsed(content).segments[0].metadata == {"time": "13:50"}
    assert parsed(content).segments[1].metadata == {}


@pytest.mark.parametrize(
    ("lines", "first"),
    [
        (["08/05/2023, 13:56", "13/05/2023, 13:57"], "2023-05-08 13:56"),
        (["05/08/2023, 13:56", "05/13/2023, 13:57"], "2023-05-08 13:56"),
        (["5/8/23, 1:56 PM", "5/13/23, 1:57 PM"], "2023-05-08 13:56"),
    ],
)
def test_the_order_of_day_and_month_is_what_all_times_allow(lines: list[str], first: str) -> None:
    content = "\n".join(f"{line} - Ann: hi" for line in lines)
    assert times(content)[0] == first
    assert parsed(content).warnings == ()


def test_where_the_order_is_not_clear_times_are_told_and_kept() -> None:
    result = parsed("08/05/2023, 13:56 - Ann: hi\n09/05/2023, 13:57 - Bob: yo")
    assert [segment.said_at for segment in result.segments] == [None, None]
    assert result.segments[0].metadata == {"time": "08/05/2023, 13:56"}
    assert result.warnings == (UNCLEAR_DAYS,)


@pytest.mark.parametrize(
    "stamp", ["2023-02-30 13:56", "2023-05-08 25:00", "2023-05-08 13:56 PM", "2023-05-08 13:56+99:99"]
)
def test_a_time_that_does_not_exist_is_kept_as_words(stamp: str) -> None:
    (segment,) = parsed(f"[{stamp}] Ann: hi").segments
    assert (segment.said_at, segment.metadata) == (None, {"time": stamp})


def test_a_time_is_no_time_without_what_closes_it() -> None:
    with pytest.raises(InvalidInput):
        parsed("[2023-05-08 13:56 Ann: hi")
    with pytest.raises(InvalidInput):
        parsed("13:56Ann: hi")


def test_equal_turns_have_the_hash_of_equal_messages() -> None:
    one, other = parsed("[2023-05-08 13:56] Ann: I like tea.\nann: i like tea").segments
    assert one.hash == other.hash


def test_a_long_turn_is_split_between_sentences() -> None:
    content = "Ann: " + "This sentence says something. " * 10
    segments = parsed(content, ParseOptions(turn_chars=100)).segments
    assert len(segments) > 2
    assert all(len(segment.text) <= 100 and segment.speaker == "Ann" for segment in segments)


def test_a_transcript_in_which_nobody_speaks_is_refused() -> None:
    with pytest.raises(InvalidInput, match="nobody says anything"):
        parsed("Ann:\nBob:\n")


def test_the_title_is_the_file() -> None:
    assert parsed("Ann: hi", name="chat.txt").title == "chat.txt"


def test_times_carry_their_own_zone() -> None:
    (segment,) = parsed("2023-05-08 13:56 -0330 Ann: hi").segments
    assert segment.said_at == datetime(2023, 5, 8, 17, 26, tzinfo=UTC)
