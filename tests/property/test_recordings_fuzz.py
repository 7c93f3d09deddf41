"""Recordings, videos and subtitles that are damaged, cut, mislabelled or made to hurt.

What comes of them is a recording read, or an error of this package: never another exception, a hang, or a part.
"""

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_py.config.settings import Settings
from memu_py.errors import MemuError
from memu_py.modality.detect import detect
from memu_py.modality.media import MediaParser, MediaTools
from memu_py.modality.parser import Parsed
from memu_py.modality.raw import Raw
from memu_py.recordings.subtitles import SubtitleParser
from memu_py.records.transcript import Utterance
from memu_py.steps.builtin import BUILTIN_PARSERS
from memu_py.testing.recordings import FORMS, Caption, Form, Scene, sound_file, tone, video_file
from memu_py.transcription.sound import Window
from memu_py.transcription.windowed import Heard, Tick, WindowedTranscriber

SCENES = [Scene(1, "ONE"), Scene(1, "TWO", (200, 40, 40))]
PARSERS = {name: BUILTIN_PARSERS[name] for name in ("audio", "video")}


class Hearing:
    """Hears one word in every window."""

    id = "hearing"
    max_window_s = 60.0

    async def hear(self, window: Window, *, tick: Tick) -> Heard:
        tick(window.seconds)
        return Heard((Utterance(text="word", start_s=0.0, end_s=window.seconds),), "en")

    async def close(self) -> None:
        """Nothing to close."""


TOOLS = MediaTools(
    settings=Settings.model_validate({"video": {"min_gap_s": 0.1}, "images": {"ocr": "off"}}),
    transcriber=WindowedTranscriber(Hearing(), window_s=5, max_s=600),
)


def files() -> Iterator[tuple[str, bytes]]:
    for form in FORMS:
        yield form, sound_file(tone(2), form)
    captions = [Caption(0, 1, "Hello."), Caption(1, 2, "Bye.")]
    yield "mp4 video", video_file(SCENES, sound=tone(2), captions=captions)
    for kind in (
        Form("matroska", "libvpx"),
        Form("avi", "mpeg4"),
        Form("mpegts", "mpeg4"),
        Form("asf", "wmv2"),
    ):
        yield f"{kind.container} video", video_file(SCENES, sound=tone(2), form=kind)


FILES = dict(files())


def spoiled(data: bytes, chance: random.Random) -> Iterator[bytes]:
    """Yield a file cut, with bits turned, with a hole, with noise, and with its sizes blown up."""
    yield data[: chance.randrange(len(data))]
    yield data[: chance.randrange(200)]
    for count in (1, 20, 400):
        turned = bytearray(data)
        for _ in range(count):
            turned[chance.randrange(len(turned))] ^= 1 << chance.randrange(8)
        yield bytes(turned)
    head = bytearray(data)
    for _ in range(8):
        head[chance.randrange(min(len(head), 300))] = chance.randrange(256)
    yield bytes(head)
    at = chance.randrange(len(data))
    yield data[:at] + data[at + 500 :]
    yield data[:at] + chance.randbytes(500) + data[at:]
    place = chance.randrange(4, min(len(data), 200))
    yield data[:place] + b"\x7f\xff\xff\xff" + data[place + 4 :]


async def outcome(data: bytes, modality: str | None = None) -> Parsed | MemuError:
    try:
        raw = Raw(data=data, name="file.bin")
        parser = PARSERS[detect(raw, modality, parsers=PARSERS)]
        assert isinstance(parser, MediaParser)
        return await parser.read(raw, tools=TOOLS)
    except MemuError as error:
        return error


def whole(parsed: Parsed) -> bool:
    """Whether the spans of a result lie in its text, and what is not there is told of."""
    spans = all(parsed.text[one.start : one.end] == one.text for one in parsed.segments)
    return spans and bool(parsed.segments or parsed.warnings)


@pytest.mark.parametrize("name", FILES)
async def test_a_damaged_file_is_read_or_refused(name: str) -> None:
    chance = random.Random(name)
    for data in spoiled(FILES[name], chance):
        found = await outcome(data)
        assert isinstance(found, MemuError) or whole(found)


@pytest.mark.parametrize("modality", ["audio", "video"])
async def test_what_is_no_recording_is_refused_whatever_it_is_called(modality: str) -> None:
    for data in (b"", b"\0" * 1000, b"RIFF", b"%PDF-1.7 text", b"Hello.", random.Random(1).randbytes(4000)):
        assert isinstance(await outcome(data, modality), MemuError)


async def test_a_recording_called_a_video_and_the_other_way_round_are_read() -> None:
    for data, modality in ((FILES["mp3"], "video"), (FILES["mp4 video"], "audio")):
        found = await outcome(data, modality)
        assert isinstance(found, Parsed)
        assert [one.text for one in found.segments] == ["word"]


async def test_a_truncated_transcript_never_stands_for_a_whole_one() -> None:
    found = await outcome(FILES["aiff"][:30_000])

    assert isinstance(found, Parsed)
    assert found.warnings == ("its end is missing: 1 of 2 seconds are there",)


LINES = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.sampled_from(
            [
                "WEBVTT",
                "1",
                "",
                "00:00:01,000 --> 00:00:02,000",
                "99:59:59.999 --> 00:00.1",
                "NOTE",
                "<v Ann>hi",
                "{\\an8}",
                "- a",
                "Ann: b",
                "[x]",
                "<<>&lt;&#0;",
            ]
        ),
    ),
    max_size=30,
)


@settings(max_examples=200, deadline=None)
@given(LINES)
def test_any_lines_are_subtitles_or_an_error(lines: list[str]) -> None:
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    try:
        parsed = SubtitleParser().parse(Raw(data=data))
    except MemuError:
        return
    assert whole(parsed) or not parsed.segments


def test_a_megabyte_of_marks_is_read_in_no_time() -> None:
    for line in ("<" * 1000, "{\\" * 500, "00:00:00,000 --> " * 60, "[" * 1000, "&" * 1000, "-" * 1000):
        text = "1\n00:00:01,000 --> 00:00:02,000\n" + f"{line}\n" * 300
        try:
            parsed = SubtitleParser().parse(Raw(data=text.encode()))
        except MemuError:
            continue
        assert whole(parsed)
