"""SRT and WebVTT."""

import pytest

from memu_py.errors import InvalidInput
from memu_py.modality.detect import detect
from memu_py.modality.parser import Parsed
from memu_py.modality.raw import Raw
from memu_py.recordings.subtitles import SubtitleParser
from memu_py.records.locator import Locator
from memu_py.steps.builtin import BUILTIN_PARSERS

SRT = """1
00:00:01,000 --> 00:00:02,500
I moved to Lisbon
in May.

2
01:02:03,040 --> 01:02:05,000
<i>It is &amp; stays</i> warm.
"""

VTT = """WEBVTT - a talk
Kind: captions

STYLE
::cue { color: red }

NOTE
this is no cue

intro
00:01.000 --> 00:02.500 align:start position:0%
<v Ann Lee>I moved to Lisbon.</v>

00:00:03.000 --> 00:00:04.000
<v.loud Ben>And <c.yellow>I</c> stay.
"""

ROLLING = """WEBVTT

00:00:00.160 --> 00:00:02.389 align:start position:0%

so<00:00:00.400><c> today</c><00:00:00.800><c> we</c>

00:00:02.389 --> 00:00:02.399 align:start position:0%
so today we


00:00:02.399 --> 00:00:04.630 align:start position:0%
so today we
bake<00:00:02.800><c> bread</c>

00:00:04.630 --> 00:00:04.640 align:start position:0%
bake bread


00:00:04.640 --> 00:00:06.000 align:start position:0%
bake bread
with<00:00:05.000><c> rye</c>
"""


def parsed(text: str | bytes) -> Parsed:
    data = text if isinstance(text, bytes) else text.encode()
    made = SubtitleParser().parse(Raw(data=data, name="film.srt"))
    for segment in made.segments:
        assert made.text[segment.start : segment.end] == segment.text
    return made


def lines(text: str | bytes) -> list[tuple[str | None, str, float | None]]:
    found = []
    for segment in parsed(text).segments:
        place = Locator.of(segment.metadata)
        found.append((segment.speaker, segment.text, place.start_s if place else None))
    return found


@pytest.mark.parametrize(
    "text", [SRT, VTT, ROLLING, "\ufeff" + SRT, SRT.replace("\n", "\r\n"), SRT[2:], "WEBVTT"]
)
def test_subtitles_are_known_by_their_times(text: str) -> None:
    assert detect(Raw(data=text.encode()), parsers=BUILTIN_PARSERS) == "subtitles"


@pytest.mark.parametrize(
    "text", ["1\nAnn: hi\nBen: hello", "00:01 Ann: hi\n00:02 Ben: hello", "a --> b", "WEBVTTs are files"]
)
def test_other_texts_are_none(text: str) -> None:
    assert detect(Raw(data=text.encode()), parsers=BUILTIN_PARSERS) != "subtitles"


def test_srt_has_cues_with_their_seconds() -> None:
    made = parsed(SRT)

    assert lines(SRT) == [(None, "I moved to Lisbon in May.", 1.0), (None, "It is & stays warm.", 3723.04)]
    assert (made.modality, made.media_type, made.title) == ("subtitles", "application/x-subrip", "film.srt")
    first = Locator.of(made.segments[0].metadata)
    assert first == Locator(start_s=1.0, end_s=2.5)
    assert made.warnings == ()


def test_webvtt_has_voices_and_its_notes_are_none() -> None:
    assert lines(VTT) == [("Ann Lee", "I moved to Lisbon.", 1.0), ("Ben", "And I stay.", 3.0)]
    assert parsed(VTT).media_type == "text/vtt"


def test_lines_that_automatic_captions_repeat_are_said_once() -> None:
    assert parsed(ROLLING).text == "so today we bake bread with rye\n"


def test_who_says_the_same_twice_has_said_it_twice() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\nNo.\n\n2\n00:00:02,000 --> 00:00:03,000\nNo.\n\n"
    text += "".join(f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\nSentence number {n}.\n\n" for n in range(3, 9))

    assert [text for _, text, _ in lines(text)][:3] == ["No.", "No.", "Sentence number 3."]


def test_two_voices_in_one_cue_are_two_turns() -> None:
    cue = "1\n00:00:01,000 --> 00:00:02,000\n{}\n"

    assert lines(cue.format("- Where are you?\n- At home.")) == [
        (None, "Where are you?", 1.0),
        (None, "At home.", 1.0),
    ]
    labelled = cue.format("Ann: Hi\nthere.\nBen Ray: Hello.")
    assert lines(labelled) == [("Ann", "Hi there.", 1.0), ("Ben Ray", "Hello.", 1.0)]
    assert lines(cue.format("<v Ann>Hi.</v> <v Ben>Hello.</v>")) == [
        ("Ann", "Hi.", 1.0),
        ("Ben", "Hello.", 1.0),
    ]
    assert lines(cue.format("小美：你好。")) == [("小美", "你好。", 1.0)]
    assert lines(cue.format("Note: buy milk.")) == [(None, "Note: buy milk.", 1.0)]


def test_sounds_in_brackets_are_context_and_positions_are_nothing() -> None:
    made = parsed(
        "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}[Music]\n\n2\n00:00:03,000 --> 00:00:04,000\n<b>Tea.</b>\n"
    )

    assert [(one.kind, one.text) for one in made.segments] == [("context", "[Music]"), ("turn", "Tea.")]


def test_cues_without_blank_lines_between_and_out_of_order() -> None:
    text = "2\n00:00:05,000 --> 00:00:06,000\nSecond.\n1\n00:00:01,000 --> 00:00:00,500\nFirst.\n"

    assert lines(text) == [(None, "First.", 1.0), (None, "Second.", 5.0)]
    assert Locator.of(parsed(text).segments[0].metadata) == Locator(start_s=1.0, end_s=1.0)


def test_other_encodings_are_read_as_text_is() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\n我喜欢喝美式咖啡，不加糖。\n"

    assert lines(text.encode("utf-16")) == lines(text.encode())
    assert parsed(text.encode("gb18030")).warnings == ("the encoding is not UTF-8; read as gb18030",)
    assert lines(text.encode("gb18030")) == lines(text)


def test_only_music_says_nothing_and_says_so() -> None:
    made = parsed("WEBVTT\n\n00:01.000 --> 00:02.000\n♪♪\n")

    assert made.warnings == ("nothing is said in it",)


def test_a_head_without_cues_is_refused() -> None:
    with pytest.raises(InvalidInput, match="there is no cue"):
        parsed("WEBVTT\n\nnothing here\n")
