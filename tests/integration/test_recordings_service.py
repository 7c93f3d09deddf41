"""Recordings, videos and subtitles through the service and the command line; speech is scripted."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_kit import Memu
from recordings_kit import MADE, TALK, listening
from service_kit import NOW, config, texts

from memu_py import MemoryService
from memu_py.errors import ConfigError, InvalidInput
from memu_py.records.item import Item
from memu_py.records.locator import Locator
from memu_py.testing.clock import FixedClock
from memu_py.testing.recordings import Caption, Scene, silence, sound_file, tone, video_file
from memu_py.testing.server import ScriptedServer
from memu_py.testing.transcriber import TRANSCRIPTIONS, transcription

RECORDING = sound_file(tone(6), "mp3")
UNREAD = {"ocr": "off"}
"""Pictures are another test's."""
SLIDES = [Scene(3, "ONE"), Scene(3, "TWO", (200, 40, 40))]
SRT = b"""1
00:00:01,000 --> 00:00:02,000
Ann: I moved to Lisbon.

2
00:01:05,000 --> 00:01:07,000
Ben: Carla paints.
"""


def service(**settings: Any) -> MemoryService:
    return MemoryService(listening(**settings), clock=FixedClock(NOW))


def place(item: Item) -> Locator:
    found = Locator.of(item.metadata)
    assert found is not None
    assert Locator.of(item.sources[0].metadata) == found
    return found


def holding(folder: Path, text: str) -> list[str]:
    """The files that have a text somewhere in them."""
    files = [one for one in folder.rglob("*") if one.is_file()]
    return [one.name for one in files if text.encode() in one.read_bytes()]


async def test_what_is_said_is_found_with_its_second_and_its_speaker() -> None:
    async with service() as memory:
        result = await memory.memorize(data=RECORDING, user="ann")
        found = await memory.retrieve("Who plays the cello?", user="ann")

    assert (result.resource.modality, result.resource.media_type) == ("audio", "audio/mpeg")
    assert result.resource.status == "complete"
    top = found.items[0].record
    assert top.text == "My sister Carla plays the cello in an orchestra."
    assert top.speaker == "Ben"
    assert place(top) == Locator(start_s=2.5, end_s=5.0)
    assert str(place(top)) == "0:02–0:05"
    assert (top.metadata["language"], top.metadata["confidence"]) == ("en", 0.7)


async def test_the_original_is_kept_whole() -> None:
    async with service() as memory:
        result = await memory.memorize(data=RECORDING, user="ann")

        assert await memory.read_resource(result.resource.id, user="ann") == RECORDING


async def test_a_recording_that_says_when_it_began_dates_what_is_said() -> None:
    data = sound_file(tone(6), "m4a", tags={"creation_time": "2024-05-08T10:00:00Z", "title": "Monday call"})
    async with service() as memory:
        result = await memory.memorize(data=data, user="ann")

    assert result.resource.title == "Monday call"
    began = datetime(2024, 5, 8, 10, tzinfo=UTC)
    assert [item.said_at for item in result.added] == [
        began + timedelta(seconds=0.5),
        began + timedelta(seconds=2.5),
    ]


async def test_the_same_recording_is_heard_once() -> None:
    async with service() as memory:
        await memory.memorize(data=RECORDING, user="ann")
        again = await memory.memorize(data=RECORDING, user="ann")

    assert again.unchanged
    assert MADE[-1].calls == 1
    assert MADE[-1].closed


async def test_what_was_heard_outlives_a_run_that_failed_after_it(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    broken = listening(database, workflows={"memorize": {"steps": ["extract_entities"]}})
    broken["embedding"] = {"backend": "openai", "base_url": "http://127.0.0.1:9/v1", "max_retries": 0}
    for settings in (broken, listening(database)):
        async with MemoryService(settings) as memory:
            try:
                await memory.memorize(data=RECORDING, user="ann")
            except Exception:  # the embedder is away
                assert settings is broken
    assert MADE[-2].calls == 1
    assert MADE[-1].calls == 0


async def test_each_user_is_heard_for_and_what_was_heard_is_erased_with_them(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    async with MemoryService(listening(database)) as memory:
        for user in ("ann", "ben"):
            await memory.memorize(data=RECORDING, user=user)
        assert MADE[-1].calls == 2
        await memory.clear(user="ann")
        await memory.clear(user="ben")

    assert holding(tmp_path, "cello") == []


async def test_silence_gives_nothing_and_says_so() -> None:
    async with service(said="silence") as memory:
        result = await memory.memorize(data=sound_file(silence(3)), user="ann")
        again = await memory.memorize(data=sound_file(silence(3)), user="ann")

        assert (result.added, result.outcomes) == ((), ())
        assert result.warnings == ("nothing is said in it",)
        assert (result.resource.status, result.resource.segment_count) == ("complete", 0)
        assert again.unchanged
        assert await texts(memory) == []


async def test_without_an_engine_it_says_what_to_set() -> None:
    async with MemoryService(config()) as memory:
        with pytest.raises(
            ConfigError, match=r"`audio\.engine` is not set .*faster-whisper, whisper or openai"
        ):
            await memory.memorize(data=RECORDING, user="ann")
        assert list(await memory.list_resources(user="ann")) == []


@pytest.mark.parametrize(
    "data", [sound_file(tone(5), "m4a")[:9000], b"fLaC\0" + bytes(100), video_file(SLIDES)[:3000]]
)
async def test_what_is_damaged_is_refused_and_nothing_is_stored(data: bytes) -> None:
    async with service() as memory:
        with pytest.raises(InvalidInput, match=r"cannot be read: .*damaged"):
            await memory.memorize(data=data, user="ann")
        assert list(await memory.list_resources(user="ann")) == []


async def test_a_wrong_name_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(RECORDING)
    async with service(blobs={"allowed_roots": [str(tmp_path)]}) as memory:
        result = await memory.memorize(resource_url=str(path), user="ann")

    assert (result.resource.modality, result.resource.title) == ("audio", "notes.txt")


async def test_a_video_is_heard() -> None:
    data = video_file(SLIDES, sound=tone(6), tags={"creation_time": "2024-05-08T10:00:00Z"})
    async with service() as memory:
        result = await memory.memorize(data=data, user="ann")
        found = await memory.retrieve("Who plays the cello?", user="ann")

    assert (result.resource.modality, result.resource.media_type) == ("video", "video/mp4")
    assert place(found.items[0].record) == Locator(start_s=2.5, end_s=5.0)
    assert found.items[0].record.said_at == datetime(2024, 5, 8, 10, 0, 2, 500_000, tzinfo=UTC)


async def test_a_box_file_without_pictures_is_a_recording_whatever_it_calls_itself() -> None:
    async with service() as memory:
        result = await memory.memorize(data=sound_file(tone(6), "mp4"), user="ann")

    assert (result.resource.modality, result.resource.media_type) == ("audio", "audio/mp4")


async def test_without_an_engine_the_subtitles_of_a_video_are_read() -> None:
    captions = [Caption(1, 2, "Ann: I moved to Lisbon."), Caption(4, 5, "{\\i1}It is warm.{\\i0}")]
    data = video_file(SLIDES, sound=tone(6), captions=captions)
    async with MemoryService(config(images=UNREAD)) as memory:
        result = await memory.memorize(data=data, user="ann")

    assert [(one.speaker, one.text, place(one).start_s) for one in result.added] == [
        ("Ann", "I moved to Lisbon.", 1.0),
        (None, "It is warm.", 4.0),
    ]
    assert "`audio.engine` is not set; its subtitles were read instead" in result.warnings[0]


async def test_a_video_of_which_nothing_can_be_heard_or_read_says_what_to_set() -> None:
    async with MemoryService(config(images=UNREAD)) as memory:
        with pytest.raises(ConfigError, match=r"a video is heard by a speech engine, .*faster-whisper"):
            await memory.memorize(data=video_file(SLIDES, sound=tone(6)), user="ann")


async def test_a_silent_film_without_anything_to_read_gives_nothing_and_says_so() -> None:
    async with service() as memory:
        result = await memory.memorize(data=video_file([Scene(2)]), user="ann")

    assert result.added == ()
    assert "nothing is said in it, and nothing was read in its pictures" in result.warnings


async def test_a_longer_video_than_allowed_is_refused() -> None:
    async with service(video={"max_s": 4}) as memory:
        with pytest.raises(InvalidInput, match=r"is 6 s long, and at most 4 s are taken .*video\.max_s"):
            await memory.memorize(data=video_file(SLIDES), user="ann")


async def test_subtitles_are_turns_with_seconds() -> None:
    async with MemoryService(config()) as memory:
        result = await memory.memorize(data=SRT, user="ann")
        found = await memory.retrieve("Who paints?", user="ann")

    assert result.resource.modality == "subtitles"
    assert (found.items[0].record.speaker, place(found.items[0].record).start_s) == ("Ben", 65.0)


async def test_a_server_hears_a_recording_once_and_is_told_of_in_the_progress() -> None:
    steps: list[tuple[int, int | None]] = []
    async with ScriptedServer() as server:
        server.script(
            TRANSCRIPTIONS, transcription({"start": 1.0, "end": 3.0, "text": "Carla plays the cello."})
        )
        llm = {"default": {"model": "m", "base_url": server.base_url, "api_key": "k"}}
        mode = {"memorize": {"steps": [{"use": "extract_entities", "with": {"mode": "verbatim"}}]}}
        settings = config(llm=llm, audio={"engine": "openai"}, workflows=mode)
        async with MemoryService(settings) as memory:
            data = sound_file(np.concatenate([tone(3), silence(1)]))
            result = await memory.memorize(
                data=data,
                user="ann",
                progress=lambda event: (
                    steps.append((event.done, event.total)) if event.message == "transcribing" else None
                ),
            )
        assert len(server.requests) == 1
    assert [place(item).start_s for item in result.added] == [1.0]
    assert steps == [(0, 4), (4, 4)]


def test_the_command_line_takes_recordings(
    memu: Memu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = (
        "plugins: [service_kit, recordings_kit]\nembedding: {backend: hashing}\naudio: {engine: scripted}\n"
    )
    Path("config.yaml").write_text(settings, encoding="utf-8")
    Path("talk.mp3").write_bytes(RECORDING)
    Path("film.srt").write_bytes(SRT)

    code, out, err = memu("memorize", "talk.mp3", "film.srt")
    assert code == 0, err
    assert "talk.mp3" in out
    assert "film.srt" in out

    code, out, _ = memu("retrieve", "Who plays the cello?", "--json")
    top = json.loads(out)["items"][0]["record"]
    assert code == 0
    assert top["text"] == f"{TALK[1].text} {TALK[2].text}"
    assert top["metadata"]["locator"] == {"start_s": 2.5, "end_s": 5.0}


def test_the_command_line_tells_of_silence_and_of_a_missing_engine(
    memu: Memu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = "plugins: [service_kit, recordings_kit]\nembedding: {backend: hashing}\n"
    Path("config.yaml").write_text(settings + "audio: {engine: scripted, model: silence}\n", encoding="utf-8")
    Path("quiet.wav").write_bytes(sound_file(silence(1)))

    code, _, err = memu("memorize", "quiet.wav")
    assert code == 0
    assert "Warning: quiet.wav: nothing is said in it" in err

    Path("config.yaml").write_text(settings, encoding="utf-8")
    Path("talk.mp3").write_bytes(RECORDING)
    code, _, err = memu("memorize", "talk.mp3")
    assert code == 1
    assert "audio.engine" in err
