"""From the configuration to a transcriber.

A transcriber of a plug-in is a function or class that takes the settings and returns a `Transcriber`::

    def register(registry: Registry) -> None:
        registry.add("transcriber", "mine", MyTranscriber)    # `audio: {engine: mine}`

One that hears window by window need not decode files: `WindowedTranscriber(MyEngine(), …)` does.
"""

import dataclasses
import os
from collections.abc import Callable, Mapping

from memu_py.config.settings import Settings
from memu_py.errors import ConfigError
from memu_py.llm.endpoint import Endpoint
from memu_py.llm.factory import chat_endpoint
from memu_py.modality.media import Transcriber
from memu_py.nearest import unknown
from memu_py.transcription.faster_whisper import HOLDS, faster_whisper
from memu_py.transcription.model import model_name
from memu_py.transcription.whisper import whisper
from memu_py.transcription.windowed import Engine, WindowedTranscriber
from memu_py.workflow.registry import Registry

KIND = "transcriber"
"""The registry's word for transcribers."""

TranscriberFactory = Callable[[Settings], Transcriber]


def register_transcribers(registry: Registry) -> None:
    """Register the built-in transcribers: `openai`, `faster-whisper`, `whisper`."""
    registry.add(KIND, "openai", build_openai)
    registry.add(KIND, "faster-whisper", build_faster_whisper)
    registry.add(KIND, "whisper", build_whisper)


def build_transcriber(settings: Settings, registry: Registry) -> Transcriber | None:
    """Build the configured transcriber; None where none is. Nothing is loaded or connected before it is needed.

    Args:
        settings: the configuration.
        registry: the transcribers there are, those of plug-ins included.

    Raises:
        ConfigError: there is none of the configured name, or its settings do not fit.
    """
    engine = settings.audio.engine
    if engine is None:
        return None
    where = f"{settings.mark(('audio', 'engine'))}: audio.engine"
    factory: TranscriberFactory = registry.chosen(KIND, engine, where=where, word="speech engine")
    return factory(settings)


def build_openai(settings: Settings, env: Mapping[str, str] = os.environ) -> Transcriber:
    """Build a transcriber over HTTP.

    Args:
        settings: the configuration.
        env: the environment, for the provider's usual variable.

    Raises:
        ConfigError: there is no such profile, or its provider is unknown and no address is given.
    """
    from memu_py.llm.openai_client import OpenAIClient  # noqa: PLC0415 - its client takes a second to import
    from memu_py.transcription.openai import DEFAULT_MODEL, OpenAITranscription  # noqa: PLC0415 - the same

    audio = settings.audio
    client = OpenAIClient(speech_endpoint(settings, env))
    model = audio.model or DEFAULT_MODEL
    return _windowed(OpenAITranscription(client, model=model, language=audio.language), settings)


def speech_endpoint(settings: Settings, env: Mapping[str, str]) -> Endpoint:
    """Return where speech is sent: to the server of a profile, with the patience that speech needs.

    Args:
        settings: the configuration.
        env: the environment.

    Raises:
        ConfigError: there is no such profile, or its provider is unknown and no address is given.
    """
    audio = settings.audio
    if audio.profile not in settings.llm:
        msg = f"the speech engine openai: {unknown('model profile', audio.profile, settings.llm)}"
        raise ConfigError(
            msg, hint=f"set `llm.{audio.profile}`, whose server and key it uses, or `audio.profile`"
        )
    return dataclasses.replace(chat_endpoint(settings, audio.profile, env), timeout_s=audio.timeout_s)


def build_faster_whisper(settings: Settings) -> Transcriber:
    """Build a transcriber on this machine, by faster-whisper.

    Raises:
        ConfigError: `audio.model` is a path at which there is no model.
    """
    audio = settings.audio
    name = model_name(audio.model, holds=HOLDS)
    return _windowed(faster_whisper(name, language=audio.language, threads=audio.threads), settings)


def build_whisper(settings: Settings) -> Transcriber:
    """Build a transcriber on this machine, by openai-whisper.

    Raises:
        ConfigError: `audio.model` is a path at which there is no checkpoint.
    """
    audio = settings.audio
    name = model_name(audio.model, holds=None)
    return _windowed(whisper(name, language=audio.language, threads=audio.threads), settings)


def _windowed(engine: Engine, settings: Settings) -> Transcriber:
    return WindowedTranscriber(engine, window_s=settings.audio.window_s, max_s=settings.audio.max_s)
