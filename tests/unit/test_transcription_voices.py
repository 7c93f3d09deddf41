"""Where somebody speaks, and which words belong there."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memu_py.config.load import load_settings
from memu_py.records.transcript import Transcript
from memu_py.testing.recordings import silence, sound_file, tone
from memu_py.transcription.factory import build_faster_whisper
from memu_py.transcription.faster_whisper import Word, stretches, voiced

FASTER_WHISPER = '''
"""A stand-in with the API of faster-whisper 1.2: one word in each half second that is not silent."""
from types import SimpleNamespace as Made

CALLS = []


def available_models():
    return ["tiny", "small"]


class WhisperModel:
    def __init__(self, model_size_or_path, device="auto", device_index=0, compute_type="default", cpu_threads=0):
        CALLS.append(("load", model_size_or_path, device, compute_type, cpu_threads))

    def transcribe(self, audio, language=None, task="transcribe", log_progress=False, beam_size=5,
                   condition_on_previous_text=True, word_timestamps=False, vad_filter=False):
        seconds = len(audio) / 16_000
        CALLS.append(("transcribe", audio.dtype.name, round(seconds, 1), language, condition_on_previous_text))
        halves = [at for at in range(int(seconds * 2)) if abs(audio[at * 8_000 : (at + 1) * 8_000]).max() > 0.1]
        words = [Made(word=f" word{at}", start=at / 2, end=at / 2 + 0.5) for at in halves] if word_timestamps else None
        said = Made(text=" words", start=0.0, end=seconds, no_speech_prob=0.1, avg_logprob=-0.1, words=words)
        nothing = Made(text=" Thank you.", start=0.0, end=seconds, no_speech_prob=0.95, avg_logprob=-0.1, words=None)
        return iter([said, nothing]), Made(language=language or "en")
'''
VAD = """
import dataclasses
import numpy as np


@dataclasses.dataclass
class VadOptions:
    min_silence_duration_ms: int = 2000


def get_speech_timestamps(audio, vad_options=None, sampling_rate=16000):
    assert vad_options.min_silence_duration_ms == 1000
    loud = np.flatnonzero(abs(audio) > 0.1)
    if not len(loud):
        return []
    cuts = np.flatnonzero(np.diff(loud) > sampling_rate)
    starts, ends = [loud[0], *loud[cuts + 1]], [*loud[cuts], loud[-1]]
    return [{"start": int(start), "end": int(end)} for start, end in zip(starts, ends)]
"""

VOICES = [(0.0, 2.5), (5.2, 8.0)]


def said(*words: tuple[str, float, float]) -> list[tuple[str, float, float]]:
    found = voiced([Word(f" {text}", start, end) for text, start, end in words], VOICES)
    return [(one.text.strip(), one.start_s, one.end_s) for one in found]


def test_a_segment_that_runs_over_a_pause_is_two_utterances() -> None:
    assert said(("I", 0.1, 0.3), ("bake,", 0.4, 3.0), ("you", 4.4, 5.5), ("eat", 5.6, 6.0)) == [
        ("I bake,", 0.1, 2.5),
        ("you eat", 5.2, 6.0),
    ]


@pytest.mark.parametrize("last", [(2.4, 4.9), (4.6, 4.9), (5.3, 5.9)])
def test_the_last_word_of_a_sentence_stays_with_it_wherever_the_model_puts_it(
    last: tuple[float, float],
) -> None:
    ((text, start, end),) = said(("in", 1.4, 1.8), ("Berlin.", *last))

    assert (text, start, end) == ("in Berlin.", 1.4, 2.5)


def test_a_sentence_that_begins_behind_a_full_stop_has_its_own_place() -> None:
    assert [one[0] for one in said(("Yes.", 1.0, 1.5), ("No.", 5.5, 6.0))] == ["Yes.", "No."]


def test_what_is_heard_where_nobody_speaks_is_left_out() -> None:
    assert said(("Thank", 3.0, 3.5), ("you.", 3.5, 4.0)) == []


def test_no_word_is_lost_and_no_time_runs_backwards() -> None:
    found = said(("a", 4.9, 5.0), ("b", 5.1, 5.1), ("c", 1.0, 9.0))

    assert " ".join(text for text, _, _ in found) == "a b c"
    assert all(start <= end for _, start, end in found)


def test_long_pauses_are_not_given_to_the_model() -> None:
    assert stretches([], 60.0) == []
    assert stretches([(0.0, 60.0)], 60.0) == [(0.0, 60.0)]
    assert len(stretches([(0.0, 1.0), (7.0, 8.0), (30.0, 31.0)], 60.0)) == 2


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """A package `faster_whisper`; what it was called with."""
    real = {
        name: module for name, module in sys.modules.items() if name.partition(".")[0] == "faster_whisper"
    }
    for name in real:
        monkeypatch.delitem(sys.modules, name)
    (tmp_path / "faster_whisper").mkdir()
    (tmp_path / "faster_whisper" / "__init__.py").write_text(FASTER_WHISPER, encoding="utf-8")
    (tmp_path / "faster_whisper" / "vad.py").write_text(VAD, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    import faster_whisper  # noqa: PLC0415 - the one that was just written

    yield faster_whisper.CALLS
    for name in ("faster_whisper", "faster_whisper.vad"):
        sys.modules.pop(name, None)


async def heard(samples: Any, **audio: Any) -> Transcript:
    settings = {"engine": "faster-whisper", "model": "tiny", "threads": 2, **audio}
    transcriber = build_faster_whisper(load_settings({"audio": settings}))
    transcript = await transcriber.transcribe(sound_file(samples))
    await transcriber.close()
    return transcript


async def test_faster_whisper_is_given_what_is_spoken_and_gives_utterances(library: list[Any]) -> None:
    samples = np.concatenate([tone(1), silence(3), tone(1), silence(20), tone(1)])

    transcript = await heard(samples)

    assert library[0] == ("load", "tiny", "cpu", "int8", 2)
    assert library[1:] == [
        ("transcribe", "float32", 5.5, None, False),
        ("transcribe", "float32", 1.5, None, False),
    ]
    assert [one.start_s for one in transcript.utterances] == pytest.approx([0, 4, 25], abs=0.05)
    assert [one.end_s for one in transcript.utterances] == pytest.approx([1, 5, 25.5], abs=0.05)
    assert [one.confidence for one in transcript.utterances] == [0.905] * 3
    assert transcript.language == "en"


async def test_where_nobody_speaks_the_model_is_not_asked(library: list[Any]) -> None:
    transcript = await heard(tone(2, level=0.05), language="de")

    assert transcript.utterances == ()
    assert [call[0] for call in library] == ["load"]
