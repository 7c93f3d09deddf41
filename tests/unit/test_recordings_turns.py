"""Utterances become turns, and turns and pictures one time line."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memu_py.modality.blocks import Block
from memu_py.modality.parser import DEFAULT_OPTIONS, ParseOptions
from memu_py.recordings.began import began
from memu_py.recordings.time_line import Lined, TimeLine
from memu_py.recordings.turns import turns
from memu_py.records.locator import Locator
from memu_py.records.resource import Segment
from memu_py.records.transcript import Utterance


def said(text: str, start: float, end: float, speaker: str | None = None, **more: object) -> Utterance:
    return Utterance(text=text, start_s=start, end_s=end, speaker=speaker, **more)  # type: ignore[arg-type]


def texts(*utterances: Utterance, turn_chars: int = 1200) -> list[str]:
    return [one.text for one in turns(utterances, turn_chars=turn_chars)]


def lined(line: TimeLine, options: ParseOptions = DEFAULT_OPTIONS) -> Lined:
    made = line.lined(options)
    for place, segment in enumerate(made.segments):
        assert segment.ordinal == place
        assert made.text[segment.start : segment.end] == segment.text
    return made


def shown(text: str, at: float, kind: str = "paragraph") -> Block:
    return Block(text=text, locator=Locator(start_s=at), kind=kind)  # type: ignore[arg-type]


def test_pieces_of_a_sentence_are_joined_until_it_ends() -> None:
    found = list(
        turns(
            [said("I moved to", 0, 1.2), said("Lisbon.", 1.3, 2), said("It is warm.", 2, 3)], turn_chars=1200
        )
    )

    assert [(one.text, one.start_s, one.end_s) for one in found] == [
        ("I moved to Lisbon.", 0, 2),
        ("It is warm.", 2, 3),
    ]


def test_chinese_is_joined_without_a_space() -> None:
    assert texts(said("我喜欢", 0, 1), said("喝茶。", 1, 2), said("你呢？", 2, 3)) == [
        "我喜欢喝茶。",
        "你呢？",
    ]


@pytest.mark.parametrize(
    "second",
    [
        said("Lisbon", 1, 2, "Ben"),
        said("Lisbon", 3.5, 4, "Ann"),
        said("Lisbon", 1, 13, "Ann"),
        said("Lisbon", 1, 2, "Ann", emotion="joy"),
        said("[Music]", 1, 2, "Ann"),
    ],
)
def test_another_voice_a_pause_a_mood_or_too_much_begins_a_new_turn(second: Utterance) -> None:
    assert len(texts(said("I moved to", 0, 1, "Ann"), second)) == 2


def test_what_has_no_full_stops_is_cut_by_time_and_length() -> None:
    words = [said(f"word{place}", place, place + 1) for place in range(30)]

    assert len(texts(*words)) == 3
    assert all(len(one) <= 40 for one in texts(*words, turn_chars=40))


def test_a_long_utterance_is_cut_at_its_sentences_which_share_its_time() -> None:
    first, second = turns([said("One two three. Four five six.", 10, 40)], turn_chars=1200)

    assert (first.text, second.text) == ("One two three.", "Four five six.")
    assert (first.start_s, second.end_s) == (10, 40)
    assert first.end_s == pytest.approx(24.5, abs=1)
    assert second.start_s == pytest.approx(25.5, abs=1)


def test_a_sentence_without_end_is_cut_too() -> None:
    assert all(len(one) <= 60 for one in texts(said("word " * 100, 0, 60), turn_chars=60))


def test_of_what_is_joined_the_least_certain_counts() -> None:
    (one,) = turns([said("I am", 0, 1, confidence=0.9), said("here.", 1, 2, confidence=0.4)], turn_chars=99)

    assert one.confidence == 0.4


def test_a_time_line_is_a_transcript_with_places() -> None:
    line = TimeLine(
        utterances=[said("I like tea.", 1, 2, "Ann", confidence=0.9, emotion="joy"), said("Me too.", 3, 4)],
        language="en",
        began=datetime(2024, 5, 1, 10, tzinfo=UTC),
    )

    made = lined(line)

    assert made.text == "Ann: I like tea.\nMe too.\n"
    first, second = made.segments
    assert (first.kind, first.speaker, first.role) == ("turn", "Ann", "user")
    assert first.metadata == {
        "locator": {"start_s": 1, "end_s": 2},
        "language": "en",
        "confidence": 0.9,
        "emotion": "joy",
    }
    assert first.said_at == datetime(2024, 5, 1, 10, 0, 1, tzinfo=UTC)
    assert second.metadata == {"locator": {"start_s": 3, "end_s": 4}, "language": "en"}


def test_without_a_beginning_nothing_has_a_time_of_its_own() -> None:
    (one,) = lined(TimeLine(utterances=[said("Tea.", 1, 2)])).segments

    assert one.said_at is None


def test_pictures_stand_where_they_are_shown() -> None:
    line = TimeLine(
        utterances=[said("First.", 0, 1), said("Last.", 9, 10)],
        blocks=[shown("A slide", 0), shown("Prices\n3 euros", 4), shown("Page 2", 4.5)],
    )

    made = lined(line)

    assert made.text == "A slide\nFirst.\nPrices\n3 euros\n\nPage 2\nLast.\n"
    places = [(one.text, Locator.of(one.metadata)) for one in made.segments]
    assert [(text, place.start_s if place else None) for text, place in places] == [
        ("A slide", 0),
        ("First.", 0),
        ("Prices\n3 euros", 4),
        ("Page 2", 4.5),
        ("Last.", 9),
    ]


def test_what_is_heard_and_not_said_is_context() -> None:
    kinds: list[tuple[str, str]] = []
    segments: tuple[Segment, ...] = lined(
        TimeLine(
            utterances=[said("[Music]", 0, 1), said("Hi there.", 1, 2)], blocks=[shown("Frame", 3, "context")]
        )
    ).segments
    kinds = [(one.text, one.kind) for one in segments]

    assert kinds == [("[Music]", "context"), ("Hi there.", "turn"), ("Frame", "context")]


def test_what_cannot_be_stored_is_replaced() -> None:
    (one,) = lined(TimeLine(utterances=[said("a\0b\ud800", 0, 1, "A\0")])).segments

    assert one.text == "a\ufffdb\ufffd"


def test_nothing_is_nothing() -> None:
    assert lined(TimeLine()) == Lined("", ())


BERLIN = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("tags", "moment"),
    [
        ({"creation_time": "2024-05-01T10:00:00.000000Z"}, "2024-05-01T10:00:00"),
        ({"creation_time": "2024-05-01 10:00:00"}, "2024-05-01T08:00:00"),
        (
            {
                "creation_time": "2024-05-01T10:00:00Z",
                "com.apple.quicktime.creationdate": "2024-05-01T11:00:00+0200",
            },
            "2024-05-01T09:00:00",
        ),
        ({"date": "2024-05-01", "creation_time": "10:00:00"}, "2024-05-01T08:00:00"),
        ({"date": "2024-05-01T10:00:00Z"}, "2024-05-01T10:00:00"),
        ({"creation_time": "1904-01-01T00:00:00Z"}, None),
        ({"creation_time": "1970-01-01T00:00:00Z"}, None),
        ({"date": "2024"}, None),
        ({"date": "2024-05-01"}, None),
        ({"creation_time": "yesterday at noon"}, None),
        ({}, None),
    ],
)
def test_a_recording_says_when_it_began(tags: dict[str, str], moment: str | None) -> None:
    found = began(tags, BERLIN)

    assert (found.isoformat() if found else None) == (f"{moment}+00:00" if moment else None)
