"""Recordings window by window: times, silence, progress, stopping, and what is kept."""

import asyncio
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from memu_py.errors import Cancelled, InvalidInput, ModelError, StoreError
from memu_py.records.transcript import Transcript, Utterance
from memu_py.testing.recordings import Samples, silence, sound_file, tone
from memu_py.testing.transcriber import ScriptedTranscriber
from memu_py.transcription.kept import keeping
from memu_py.transcription.sound import Window
from memu_py.transcription.windowed import Heard, Tick, WindowedTranscriber

SPEAKING = np.concatenate([tone(4), silence(1), tone(4), silence(1), tone(4)])


def said(text: str, start: float = 0.5, end: float = 2.0) -> Utterance:
    return Utterance(text=text, start_s=start, end_s=end)


class Engine:
    """Says the same of every window, and keeps what it was given."""

    def __init__(
        self,
        *utterances: Utterance,
        name: str = "scripted/1",
        max_window_s: float = 1000,
        languages: Sequence[str] = ("en",),
    ) -> None:
        self.id = name
        self.utterances = utterances or (said("Hello."),)
        self.max_window_s = max_window_s
        self.languages = languages
        self.windows: list[Window] = []
        self.fails_at: int | None = None
        self.closed = 0

    async def hear(self, window: Window, *, tick: Tick) -> Heard:
        if len(self.windows) == self.fails_at:
            raise ModelError("the engine is away")
        self.windows.append(window)
        await asyncio.to_thread(tick, window.seconds / 2)
        return Heard(self.utterances, self.languages[(len(self.windows) - 1) % len(self.languages)])

    async def close(self) -> None:
        self.closed += 1


class Cache:
    """Answers in a dictionary."""

    def __init__(self, *, broken: bool = False) -> None:
        self.kept: dict[bytes, str] = {}
        self.broken = broken

    async def load(self, key: bytes) -> str | None:
        return self.kept.get(key)

    async def save(self, key: bytes, text: str) -> None:
        if self.broken:
            raise StoreError("no space")
        self.kept[key] = text


async def heard(
    engine: Engine,
    samples: Samples = SPEAKING,
    *,
    window_s: float = 6.0,
    report: Callable[[int, int | None, str], None] | None = None,
    check: Callable[[], None] | None = None,
) -> Transcript:
    transcriber = WindowedTranscriber(engine, window_s=window_s, max_s=100)
    return await transcriber.transcribe(sound_file(samples), name="talk", report=report, check=check)


async def test_times_are_those_of_the_recording() -> None:
    engine = Engine()

    transcript = await heard(engine)

    assert len(engine.windows) == 3
    assert [one.text for one in transcript.utterances] == ["Hello."] * 3
    starts = [one.start_s for one in transcript.utterances]
    assert starts == [0.5, pytest.approx(5.3, abs=0.3), pytest.approx(10.3, abs=0.3)]
    assert all(one.end_s - one.start_s == pytest.approx(1.5) for one in transcript.utterances)
    assert (transcript.language, transcript.duration_s, transcript.warnings) == ("en", 14.0, ())


async def test_an_engine_gets_no_more_than_it_takes() -> None:
    engine = Engine(max_window_s=5)

    await heard(engine, tone(14), window_s=600)

    assert len(engine.windows) >= 3
    assert all(one.seconds <= 5 for one in engine.windows)


async def test_a_silent_window_is_not_given_to_the_engine() -> None:
    engine = Engine()

    transcript = await heard(engine, silence(20))

    assert engine.windows == []
    assert transcript == Transcript(utterances=(), language=None, duration_s=20.0)


async def test_words_that_are_heard_in_silence_are_left_out() -> None:
    engine = Engine(said("I like tea.", 0.2, 3.0), said("Thank you.", 6.0, 8.0), said("  ", 0.0, 1.0))

    transcript = await heard(engine, np.concatenate([tone(4), silence(6)]), window_s=60)

    assert [one.text for one in transcript.utterances] == ["I like tea."]


async def test_times_beyond_a_window_are_held_to_it() -> None:
    engine = Engine(said("Early and late.", -3.0, 99.0))

    (one,) = (await heard(engine, tone(3), window_s=60)).utterances

    assert (one.start_s, one.end_s) == (0.0, 3.0)


async def test_the_language_is_that_of_most_of_what_is_said() -> None:
    assert (await heard(Engine(languages=("de", "en", "en")))).language == "en"


async def test_progress_is_told_in_seconds() -> None:
    told: list[tuple[int, int | None, str]] = []

    await heard(Engine(), report=lambda done, total, message: told.append((done, total, message)))

    done = [one[0] for one in told]
    assert told[0] == (0, 14, "transcribing")
    assert told[-1] == (14, 14, "transcribing")
    assert done == sorted(done)
    assert len(set(done)) >= 5


def stopping_after(calls: int) -> Callable[[], None]:
    left = iter(range(calls))

    def check() -> None:
        if next(left, None) is None:
            raise Cancelled

    return check


async def test_a_run_that_is_to_stop_stops_between_windows_and_within_one() -> None:
    for calls in (2, 3):
        engine = Engine()
        with pytest.raises(Cancelled):
            await heard(engine, check=stopping_after(calls))
        assert len(engine.windows) < 3


async def test_damage_is_an_error_of_the_input() -> None:
    with pytest.raises(InvalidInput, match="talk cannot be read"):
        await WindowedTranscriber(Engine(), window_s=5, max_s=100).transcribe(
            b"fLaC\0" + bytes(60), name="talk"
        )


async def test_what_was_heard_before_a_failure_is_not_heard_again() -> None:
    engine, cache = Engine(), Cache()
    engine.fails_at = 2
    transcriber = keeping(WindowedTranscriber(engine, window_s=6, max_s=100), cache)
    data = sound_file(SPEAKING)

    with pytest.raises(ModelError, match="away"):
        await transcriber.transcribe(data)
    engine.fails_at = None
    first = await transcriber.transcribe(data)
    again = await keeping(WindowedTranscriber(engine, window_s=6, max_s=100), cache).transcribe(data)

    assert len(engine.windows) == 3
    assert first == again
    assert len(first.utterances) == 3


async def test_another_engine_hears_for_itself() -> None:
    cache = Cache()
    one, other = Engine(), Engine(name="scripted/2")
    await keeping(WindowedTranscriber(one, window_s=6, max_s=100), cache).transcribe(sound_file(SPEAKING))
    await keeping(WindowedTranscriber(other, window_s=6, max_s=100), cache).transcribe(sound_file(SPEAKING))

    assert (len(one.windows), len(other.windows)) == (3, 3)


async def test_a_plug_ins_transcript_is_kept_whole_with_all_that_it_says() -> None:
    utterance = Utterance(text="喝茶", start_s=0.0, end_s=1.0, speaker="Ann", emotion="joy", confidence=0.5)
    scripted = ScriptedTranscriber([utterance], language="zh")
    transcriber = keeping(scripted, Cache())

    first = await transcriber.transcribe(b"sound")
    again = await transcriber.transcribe(b"sound")
    await transcriber.close()

    assert scripted.calls == 1
    assert first == again == Transcript(utterances=(utterance,), language="zh")
    assert not scripted.closed


async def test_a_transcript_that_cannot_be_kept_is_given_all_the_same(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scripted = ScriptedTranscriber([said("Hello.")])

    transcript = await keeping(scripted, Cache(broken=True)).transcribe(b"sound")

    assert len(transcript.utterances) == 1
    assert "a transcript could not be kept: no space" in caplog.text


async def test_closing_reaches_the_engine_and_not_through_what_is_kept() -> None:
    engine = Engine()
    whole = WindowedTranscriber(engine, window_s=6, max_s=100)

    await keeping(whole, Cache()).close()
    assert engine.closed == 0
    await whole.close()
    assert engine.closed == 1
    assert whole.id == "scripted/1/6"
