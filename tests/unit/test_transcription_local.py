"""Speech models on this machine: which one, how it is asked, what is wrong with it."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memu_py.config.load import load_settings
from memu_py.config.settings import Settings
from memu_py.errors import Cancelled, ConfigError, ModelError
from memu_py.modality.media import Transcriber
from memu_py.testing.recordings import silence, sound_file, tone
from memu_py.testing.transcriber import ScriptedTranscriber
from memu_py.transcription.factory import (
    build_faster_whisper,
    build_transcriber,
    build_whisper,
    register_transcribers,
)
from memu_py.transcription.model import model_name
from memu_py.workflow.registry import Registry

TALK = sound_file(np.concatenate([tone(2), silence(1), tone(2)]))

WHISPER = '''
"""A stand-in with the API of openai-whisper 20250625, which pulls torch."""
import numpy as np

CALLS = []
MODELS = {"tiny": 39, "small": 244}


def available_models():
    return list(MODELS)


def load_model(name, device=None, download_root=None, in_memory=False):
    CALLS.append(("load", name))
    if name == "small":
        raise RuntimeError("Model has been downloaded but the SHA256 checksum does not match.\\nMore.")
    return Model()


class Model:
    device = "cpu"

    def transcribe(self, audio, *, verbose=None, temperature=(0.0, 0.2), compression_ratio_threshold=2.4,
                   logprob_threshold=-1.0, no_speech_threshold=0.6, condition_on_previous_text=True,
                   initial_prompt=None, word_timestamps=False, prepend_punctuations="", append_punctuations="",
                   clip_timestamps="0", hallucination_silence_threshold=None, **decode_options):
        if set(decode_options) - {"language", "task", "fp16", "beam_size"}:
            raise TypeError(decode_options)
        CALLS.append(("transcribe", audio.dtype.name, len(audio), verbose, condition_on_previous_text, decode_options))
        if decode_options["language"] == "xx":
            raise ValueError("Unsupported language: xx")
        segments = [
            {"id": 0, "seek": 0, "start": 0.0, "end": 1.5, "text": " I like tea.", "tokens": [1], "temperature": 0.0,
             "avg_logprob": -0.2, "compression_ratio": 1.0, "no_speech_prob": 0.01},
            {"id": 1, "seek": 0, "start": np.float64(3.0), "end": np.float64(4.0), "text": " Thank you.", "tokens": [2],
             "temperature": 0.0, "avg_logprob": -0.9, "compression_ratio": 1.0, "no_speech_prob": 0.8},
        ]
        return {"text": " I like tea.", "segments": segments, "language": "en"}
'''


@pytest.fixture
def whisper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """A module `whisper`; what it was called with."""
    (tmp_path / "whisper.py").write_text(WHISPER, encoding="utf-8")
    (tmp_path / "torch.py").write_text("THREADS = []\nset_num_threads = THREADS.append\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    import whisper  # noqa: PLC0415 - the one that was just written

    yield whisper.CALLS
    for name in ("whisper", "torch"):
        sys.modules.pop(name, None)


@pytest.fixture
def registry() -> Registry:
    registry = Registry()
    register_transcribers(registry)
    return registry


def settings(engine: str, **audio: Any) -> Settings:
    return load_settings({"audio": {"engine": engine, **audio}})


async def transcribed(transcriber: Transcriber) -> list[tuple[str, float, float]]:
    try:
        found = await transcriber.transcribe(TALK, name="talk")
        return [(one.text, one.start_s, one.end_s) for one in found.utterances]
    finally:
        await transcriber.close()


def test_without_an_engine_there_is_no_transcriber(registry: Registry) -> None:
    assert build_transcriber(load_settings({}), registry) is None
    assert registry.names("transcriber") == ("faster-whisper", "openai", "whisper")


def test_an_unknown_engine_names_place_and_nearest(registry: Registry) -> None:
    with pytest.raises(ConfigError) as caught:
        build_transcriber(load_settings("audio:\n  engine: wisper\n"), registry)

    assert str(caught.value) == (
        "configuration:2:11: audio.engine: no speech engine `wisper`; did you mean `whisper`? "
        "there are faster-whisper, openai, whisper"
    )


def test_a_plug_in_brings_an_engine(registry: Registry) -> None:
    registry.add(
        "transcriber", "mine", lambda settings: ScriptedTranscriber(language=settings.audio.language)
    )

    made = build_transcriber(settings("mine", language="de"), registry)

    assert isinstance(made, ScriptedTranscriber)


async def test_whisper_gets_decoded_sound_and_gives_utterances(whisper: list[Any]) -> None:
    transcriber = build_whisper(settings("whisper", model="tiny", language="en", threads=3))

    assert await transcribed(transcriber) == [("I like tea.", 0.0, 1.5)]
    load, asked = whisper
    assert load == ("load", "tiny")
    assert asked == ("transcribe", "float32", 5 * 16_000, None, False, {"language": "en", "fp16": False})
    assert sys.modules["torch"].THREADS == [3]


async def test_a_model_is_loaded_once_and_again_after_closing(whisper: list[Any]) -> None:
    transcriber = build_whisper(settings("whisper", model="tiny"))
    await transcriber.transcribe(TALK)
    await transcriber.transcribe(TALK)
    await transcriber.close()
    await transcriber.transcribe(TALK)
    await transcriber.close()

    assert [call[0] for call in whisper].count("load") == 2


async def test_a_checkpoint_is_named_by_its_path(whisper: list[Any], tmp_path: Path) -> None:
    checkpoint = tmp_path / "mine.pt"
    checkpoint.write_bytes(b"weights")

    await transcribed(build_whisper(settings("whisper", model=str(checkpoint))))

    assert whisper[0] == ("load", str(checkpoint))


async def test_a_name_that_whisper_does_not_know_is_refused_with_the_nearest(whisper: list[Any]) -> None:
    with pytest.raises(ConfigError, match=r"openai-whisper knows no model `tine`.*did you mean `tiny`"):
        await transcribed(build_whisper(settings("whisper", model="tine")))


async def test_a_model_that_cannot_be_loaded_is_a_fault_of_the_configuration(whisper: list[Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        await transcribed(build_whisper(settings("whisper")))

    assert str(caught.value) == (
        "audio.model: the speech model small cannot be loaded: Model has been downloaded but the SHA256 checksum does "
        "not match. (a name is fetched at its first use, which needs the network; the path of a model does not)"
    )


async def test_a_model_that_fails_is_a_model_error(whisper: list[Any]) -> None:
    with pytest.raises(
        ModelError, match=r"the speech model tiny failed: Unsupported language: xx .*audio\.language"
    ):
        await transcribed(build_whisper(settings("whisper", model="tiny", language="xx")))


@pytest.mark.parametrize(
    ("engine", "module", "extra"),
    [("faster-whisper", "faster_whisper", "audio"), ("whisper", "whisper", "whisper")],
)
async def test_an_engine_that_is_not_installed_names_its_extra(
    engine: str, module: str, extra: str, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    transcriber = build_transcriber(settings(engine, model="tiny"), registry)
    assert transcriber is not None

    with pytest.raises(ConfigError, match=rf"memu_py\[{extra}\]"):
        await transcribed(transcriber)


async def test_without_the_decoder_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)

    with pytest.raises(ConfigError, match=r"reading recordings and videos needs av, .*memu_py\[audio\]"):
        await transcribed(build_whisper(settings("whisper", model="tiny")))


async def test_a_name_that_faster_whisper_does_not_know_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        ConfigError, match=r"faster-whisper knows no model `tiny\.eng`.*did you mean `tiny\.en`"
    ):
        await transcribed(build_faster_whisper(settings("faster-whisper", model="tiny.eng")))


def test_a_path_at_which_there_is_no_model_is_refused_when_the_service_is_built(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"audio\.model: there is no model at .*/nowhere"):
        build_faster_whisper(settings("faster-whisper", model=str(tmp_path / "nowhere")))
    with pytest.raises(ConfigError, match=r"audio\.model: .* holds no model\.bin"):
        build_faster_whisper(settings("faster-whisper", model=str(tmp_path)))
    with pytest.raises(ConfigError, match=r"there is no model at"):
        build_whisper(settings("whisper", model=str(tmp_path)))


async def test_a_folder_that_holds_something_else_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"none")

    with pytest.raises(ConfigError, match=r"cannot be loaded: .*is it a model for faster-whisper\?"):
        await transcribed(build_faster_whisper(settings("faster-whisper", model=str(tmp_path))))


def test_a_relative_path_counts_from_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "config.yaml").write_text(
        "audio: {engine: faster-whisper, model: ./model}\n", encoding="utf-8"
    )

    assert load_settings(tmp_path / "config.yaml").audio.model == str(tmp_path / "model")
    assert (
        settings("faster-whisper", model="Systran/faster-whisper-tiny").audio.model
        == "Systran/faster-whisper-tiny"
    )


def test_the_id_of_a_path_tells_what_lies_there(tmp_path: Path) -> None:
    checkpoint = tmp_path / "mine.pt"
    checkpoint.write_bytes(b"weights")
    before = model_name(str(checkpoint), holds=None).id
    checkpoint.write_bytes(b"other weights")

    assert before == "mine.pt#7"
    assert model_name(str(checkpoint), holds=None).id != before
    assert model_name(None, holds=None).id == "small"


def test_offline_a_name_says_what_to_do(tmp_path: Path) -> None:
    code = """
        import asyncio
        from memu_py.config.load import load_settings
        from memu_py.errors import ConfigError
        from memu_py.testing.recordings import sound_file, tone
        from memu_py.transcription.factory import build_faster_whisper
        made = build_faster_whisper(load_settings({"audio": {"engine": "faster-whisper", "model": "tiny"}}))
        try:
            asyncio.run(made.transcribe(sound_file(tone(1))))
        except ConfigError as error:
            print(error)
    """
    env = {
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(tmp_path),
        "PATH": "",
        "PYTHONPATH": ":".join(filter(None, sys.path)),
    }
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=env, capture_output=True, text=True, check=True
    )

    assert "the speech model tiny cannot be loaded" in done.stdout
    assert "needs the network; the path of a model does not" in done.stdout


def stop() -> None:
    raise Cancelled


async def test_a_run_that_is_to_stop_is_not_heard(whisper: list[Any]) -> None:
    transcriber = build_whisper(settings("whisper", model="tiny"))

    with pytest.raises(Cancelled):
        await transcriber.transcribe(TALK, check=stop)

    assert whisper == []
