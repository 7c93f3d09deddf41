"""Transcription over HTTP: what is sent, what is understood, what is refused."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import numpy as np
import pytest

from memu_py.config.load import load_settings
from memu_py.config.settings import Settings
from memu_py.errors import ConfigError, MissingKey, ModelError
from memu_py.llm.provider_error import ProviderError
from memu_py.modality.media import Transcriber
from memu_py.records.transcript import Utterance
from memu_py.testing.http import Answer
from memu_py.testing.multipart import form
from memu_py.testing.recordings import Samples, silence, sound_file, tone
from memu_py.testing.refusals import failed
from memu_py.testing.server import ScriptedServer
from memu_py.testing.transcriber import TRANSCRIPTIONS, plain_transcription, transcription
from memu_py.transcription.factory import build_openai, speech_endpoint
from memu_py.transcription.sound import Sound

TALK = np.concatenate([tone(20), silence(1), tone(20), silence(1), tone(20)])


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as server:
        yield server


def settings(base_url: str, *, retries: int = 0, **audio: Any) -> Settings:
    profile = {"model": "m", "base_url": base_url, "api_key": "secret", "max_retries": retries}
    return load_settings(
        {"llm": {"speech": profile}, "audio": {"engine": "openai", "profile": "speech", **audio}}
    )


async def heard(server: ScriptedServer, samples: Samples = TALK, **audio: Any) -> tuple[Utterance, ...]:
    transcriber = build_openai(settings(server.base_url, **audio))
    try:
        return (await transcriber.transcribe(sound_file(samples), name="talk")).utterances
    finally:
        await transcriber.close()


def forms(server: ScriptedServer) -> list[Mapping[str, bytes]]:
    return [form(request) for request in server.requests]


async def test_a_window_is_sent_as_flac_with_key_model_and_language(server: ScriptedServer) -> None:
    server.script(TRANSCRIPTIONS, transcription({"start": 1.0, "end": 2.5, "text": " I like tea."}))

    (one,) = await heard(server, tone(5), model="speech-1", language="en")

    assert (one.text, one.start_s, one.end_s, one.speaker) == ("I like tea.", 1.0, 2.5, None)
    (request,), (sent,) = server.requests, forms(server)
    assert request.headers["authorization"] == "Bearer secret"
    assert sent["model"] == b"speech-1"
    assert sent["language"] == b"en"
    assert sent["response_format"] == b"verbose_json"
    assert sent["timestamp_granularities[]"] == b"segment"
    (window,) = Sound(sent["file"], name="sent", max_s=10).windows(60)
    assert np.array_equal(window.samples, tone(5))


async def test_the_usual_model_finds_out_the_language(server: ScriptedServer) -> None:
    server.script(TRANSCRIPTIONS, transcription({"start": 0, "end": 1, "text": "你好"}, language="chinese"))
    transcriber = build_openai(settings(server.base_url))

    transcript = await transcriber.transcribe(sound_file(tone(2)))
    await transcriber.close()

    assert transcript.language == "zh"
    (sent,) = forms(server)
    assert sent["model"] == b"whisper-1"
    assert "language" not in sent


async def test_speakers_emotions_and_certainty_are_kept(server: ScriptedServer) -> None:
    segments = [
        {"start": 0, "end": 1, "text": "Hi.", "speaker": "A", "emotion": "joy", "avg_logprob": -0.1},
        {"start": "1.0", "end": "2.0", "text": "Hello.", "speaker": 2, "avg_logprob": None},
    ]
    server.script(TRANSCRIPTIONS, transcription(*segments))

    first, second = await heard(server, tone(3))

    assert (first.speaker, first.emotion, first.confidence) == ("A", "joy", 0.905)
    assert (second.speaker, second.start_s, second.confidence) == ("2", 1.0, None)


async def test_what_the_model_itself_takes_for_no_speech_is_left_out(server: ScriptedServer) -> None:
    segments: list[dict[str, Any]] = [
        {"start": 0, "end": 1, "text": "Tea.", "no_speech_prob": 0.1, "avg_logprob": -0.3},
        {"start": 1, "end": 2, "text": "Thank you.", "no_speech_prob": 0.95, "avg_logprob": -0.3},
        {"start": 2, "end": 3, "text": "Bye.", "no_speech_prob": 0.7, "avg_logprob": -0.9},
        {"start": None, "end": 3, "text": "Lost."},
    ]
    server.script(TRANSCRIPTIONS, transcription(*segments))

    assert [one.text for one in await heard(server, tone(4))] == ["Tea."]


async def test_a_server_that_refuses_times_is_asked_in_short_pieces_and_for_none_again(
    server: ScriptedServer,
) -> None:
    server.script(TRANSCRIPTIONS, failed(400, "response_format 'verbose_json' is not compatible"))
    server.script(TRANSCRIPTIONS, *(plain_transcription(f"Part {part}.") for part in range(1, 4)))

    found = await heard(server)

    assert [one.text for one in found] == ["Part 1.", "Part 2.", "Part 3."]
    assert [one.start_s for one in found] == [0, pytest.approx(20.5, abs=0.5), pytest.approx(41.5, abs=0.5)]
    assert found[-1].end_s == 62.0
    assert [sent["response_format"] for sent in forms(server)] == [b"verbose_json", *([b"json"] * 3)]


async def test_an_answer_without_times_is_asked_again_in_pieces(server: ScriptedServer) -> None:
    server.script(TRANSCRIPTIONS, plain_transcription("All of it."))
    server.script(TRANSCRIPTIONS, *(plain_transcription(f"Part {part}.") for part in range(1, 4)))

    assert len(await heard(server)) == 3
    assert len(server.requests) == 4


async def test_an_answer_without_times_to_a_short_piece_is_good(server: ScriptedServer) -> None:
    server.script(TRANSCRIPTIONS, plain_transcription("All of it."))

    (one,) = await heard(server, tone(5))

    assert (one.text, one.start_s, one.end_s) == ("All of it.", 0.0, 5.0)


async def test_a_model_that_tells_voices_apart_is_asked_to(server: ScriptedServer) -> None:
    server.script(TRANSCRIPTIONS, transcription({"start": 0, "end": 1, "text": "Hi.", "speaker": "A"}))

    (one,) = await heard(server, tone(2), model="gpt-4o-transcribe-diarize")

    (sent,) = forms(server)
    assert (sent["response_format"], sent["chunking_strategy"]) == (b"diarized_json", b"auto")
    assert one.speaker == "A"


async def test_a_refusal_of_something_else_is_told_and_not_remembered(server: ScriptedServer) -> None:
    server.script(
        TRANSCRIPTIONS, failed(400, "language 'xx' is unknown"), failed(400, "language 'xx' is unknown")
    )
    server.script(TRANSCRIPTIONS, transcription({"start": 0, "end": 1, "text": "Tea."}))
    transcriber = build_openai(settings(server.base_url, language="xx"))

    with pytest.raises(ProviderError, match="'xx' is unknown"):
        await transcriber.transcribe(sound_file(tone(2)))
    await transcriber.transcribe(sound_file(tone(2)))
    await transcriber.close()

    asked = [sent["response_format"] for sent in forms(server)]
    assert asked == [b"verbose_json", b"json", b"verbose_json"]


async def test_a_failure_that_may_pass_is_repeated(server: ScriptedServer) -> None:
    server.script(TRANSCRIPTIONS, Answer(status=503, headers={"retry-after": "0"}))
    server.script(TRANSCRIPTIONS, transcription({"start": 0, "end": 1, "text": "Tea."}))
    transcriber = build_openai(settings(server.base_url, retries=1))

    transcript = await transcriber.transcribe(sound_file(tone(2)))
    await transcriber.close()

    assert len(transcript.utterances) == 1
    assert len(server.requests) == 2


async def test_a_wrong_key_is_an_error_that_says_where_it_is(server: ScriptedServer) -> None:
    server.script(TRANSCRIPTIONS, failed(401, "no"))

    with pytest.raises(ProviderError, match=r"check the key in `llm\.speech\.api_key`"):
        await heard(server, tone(2))


@pytest.mark.parametrize("body", [b"<html>", [1], {"segments": []}, {"text": None}])
async def test_something_else_than_a_transcript_is_an_error(server: ScriptedServer, body: Any) -> None:
    server.script(TRANSCRIPTIONS, Answer(body=body))

    with pytest.raises(ModelError, match="answered with something else than a transcript"):
        await heard(server, tone(2))


async def test_silence_costs_nothing(server: ScriptedServer) -> None:
    assert await heard(server, silence(5)) == ()
    assert server.requests == []


def test_a_profile_that_is_missing_is_named() -> None:
    with pytest.raises(
        ConfigError, match=r"the speech engine openai: no model profile `default`.*audio\.profile"
    ):
        speech_endpoint(load_settings({"audio": {"engine": "openai"}}), {})


def test_patience_is_that_of_speech_and_all_else_that_of_the_profile() -> None:
    endpoint = speech_endpoint(settings("http://box:8000/v1", retries=2, timeout_s=900), {})

    assert (endpoint.timeout_s, endpoint.max_retries, endpoint.base_url) == (900, 2, "http://box:8000/v1")


async def test_a_key_that_is_not_set_is_named_when_it_is_needed() -> None:
    config = {"llm": {"default": {"model": "m", "api_key": "${NO_SUCH_KEY}"}}, "audio": {"engine": "openai"}}
    transcriber: Transcriber = build_openai(load_settings(config, env={}), {})

    with pytest.raises(MissingKey, match="NO_SUCH_KEY"):
        await transcriber.transcribe(sound_file(tone(1)))
