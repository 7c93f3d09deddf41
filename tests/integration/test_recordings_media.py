"""Real speech, heard by a real model: `make test-media`."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_kit import Memu
from recordings_kit import speech, tiny_model
from service_kit import config

from memu_py import MemoryService
from memu_py.config.load import load_settings
from memu_py.errors import Cancelled
from memu_py.records.locator import Locator
from memu_py.testing.recordings import RATE, Samples, Scene, silence, sound_file, video_file
from memu_py.transcription.factory import build_faster_whisper, build_whisper
from memu_py.transcription.sound import Sound

pytestmark = pytest.mark.media

BICYCLE = "I bought a red bicycle in Berlin."
DENTIST = "The meeting with the dentist is on Friday."
GARDEN = "My sister grows tomatoes in her garden."


def spoken(text: str, folder: Path) -> Samples:
    track = Sound(speech(text, folder / "said.wav").read_bytes(), name="said", max_s=60)
    samples = np.concatenate([window.samples for window in track.windows(60)])
    track.close()
    return samples


def listening(**more: Any) -> dict[str, Any]:
    return config(audio={"engine": "faster-whisper", "model": tiny_model(), "language": "en", **more})


def talk(folder: Path, *, pause_s: float = 3.0) -> tuple[Samples, list[float]]:
    """Three sentences with pauses between them, and the seconds at which they begin."""
    parts: list[Samples] = []
    starts: list[float] = []
    for text in (BICYCLE, DENTIST, GARDEN):
        starts.append(sum(map(len, parts)) / RATE)
        parts += [spoken(text, folder), silence(pause_s)]
    return np.concatenate(parts), starts


@pytest.mark.parametrize("form", ["wav", "mp3", "ogg", "m4a"])
async def test_what_is_said_is_found_at_its_second(form: str, tmp_path: Path) -> None:
    samples, starts = talk(tmp_path)
    async with MemoryService(listening()) as memory:
        result = await memory.memorize(data=sound_file(samples, form), user="ann")
        found = await memory.retrieve("When is the meeting with the dentist?", user="ann")

    top = found.items[0].record
    assert "dentist" in top.text.lower()
    assert "friday" in top.text.lower()
    place = Locator.of(top.metadata)
    assert place is not None
    assert place.start_s == pytest.approx(starts[1], abs=1.0)
    assert result.warnings == ()
    assert top.metadata["language"] == "en"


async def test_windows_lose_no_word_and_keep_the_time(tmp_path: Path) -> None:
    samples, starts = talk(tmp_path, pause_s=1.0)
    told: list[int] = []
    transcriber = build_faster_whisper(load_settings(listening(window_s=8)))

    transcript = await transcriber.transcribe(
        sound_file(samples, "flac"), report=lambda done, total, message: told.append(done)
    )
    await transcriber.close()

    text = " ".join(one.text for one in transcript.utterances).lower()
    assert [word in text for word in ("bicycle", "dentist", "garden")] == [True] * 3
    last = transcript.utterances[-1]
    assert last.start_s == pytest.approx(starts[2], abs=1.0)
    assert told == sorted(told)
    assert len(set(told)) >= 3


async def test_noise_and_silence_are_no_speech() -> None:
    noise = (np.random.default_rng(1).standard_normal(RATE * 10) * 600).astype(np.int16)
    async with MemoryService(listening()) as memory:
        for samples in (silence(10), noise):
            result = await memory.memorize(data=sound_file(samples), user="ann")
            assert result.added == ()
            assert result.warnings == ("nothing is said in it",)


async def test_a_run_that_is_to_stop_stops_within_a_window(tmp_path: Path) -> None:
    samples, _ = talk(tmp_path)
    left = iter(range(2))

    def check() -> None:
        if next(left, None) is None:
            raise Cancelled

    transcriber = build_faster_whisper(load_settings(listening()))
    with pytest.raises(Cancelled):
        await transcriber.transcribe(sound_file(samples), check=check)
    await transcriber.close()


async def test_a_video_is_heard_at_its_second(tmp_path: Path) -> None:
    samples, starts = talk(tmp_path)
    seconds = len(samples) / RATE
    async with MemoryService(listening()) as memory:
        data = video_file([Scene(seconds, "TOMATOES")], sound=samples)
        await memory.memorize(data=data, user="ann")
        found = await memory.retrieve("What grows in the garden?", user="ann")

    top = found.items[0].record
    assert "garden" in top.text.lower()
    place = Locator.of(top.metadata)
    assert place is not None
    assert place.start_s == pytest.approx(starts[2], abs=1.0)


def test_the_command_line_hears_a_file(memu: Memu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    audio = {"engine": "faster-whisper", "model": tiny_model()}
    Path("config.yaml").write_text(json.dumps({"audio": audio}), encoding="utf-8")
    samples, starts = talk(tmp_path)
    Path("talk.wav").write_bytes(sound_file(samples))

    code, out, err = memu("memorize", "talk.wav")
    assert code == 0, err
    code, out, _ = memu("retrieve", "Where did I get a bicycle?", "--json")

    top = json.loads(out)["items"][0]["record"]
    assert "bicycle" in top["text"].lower()
    assert top["metadata"]["locator"]["start_s"] == pytest.approx(starts[0], abs=1.0)


async def test_the_real_whisper_takes_what_it_is_given(tmp_path: Path) -> None:
    """Only where the extra `whisper` and a checkpoint are; its API is checked without its weights otherwise."""
    whisper = pytest.importorskip("whisper")
    checkpoint = Path.home() / ".cache" / "whisper" / "tiny.en.pt"
    if not checkpoint.is_file():
        pytest.skip("there is no checkpoint of tiny.en")
    assert "tiny.en" in whisper.available_models()
    samples, starts = talk(tmp_path)
    settings = load_settings({"audio": {"engine": "whisper", "model": str(checkpoint), "language": "en"}})
    transcriber = build_whisper(settings)

    transcript = await transcriber.transcribe(sound_file(samples))
    await transcriber.close()

    (one,) = (one for one in transcript.utterances if "dentist" in one.text.lower())
    assert one.start_s == pytest.approx(starts[1], abs=1.0)
