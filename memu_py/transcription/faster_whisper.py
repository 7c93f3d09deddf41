"""Whisper models on CTranslate2, by `faster-whisper`. Needs the extra `audio`."""

from collections.abc import Iterator
from typing import Any

from memu_py.records.transcript import Utterance
from memu_py.transcription.model import LocalModel, ModelName, checked_name
from memu_py.transcription.sound import Window
from memu_py.transcription.speech import confidence, is_speech
from memu_py.transcription.windowed import Heard, Tick

PACKAGE = "faster-whisper"
HOLDS = "model.bin"
"""What the folder of a model holds."""


class FasterWhisper:
    """Hears by a model on this machine, on its processor and with weights of 8 bits.

    Args:
        name: of the model.
        language: that is spoken; None lets the model find out.
        threads: of the model; 0 takes the library's own number.
    """

    def __init__(self, name: ModelName, *, language: str | None = None, threads: int = 0) -> None:
        self._language = language
        self._threads = threads
        self._model = LocalModel(name, self._load, package=PACKAGE, extra="audio")

    @property
    def id(self) -> str:
        """Library, model and language."""
        return f"{PACKAGE}/{self._model.name.id}/{self._language or ''}"

    @property
    def max_window_s(self) -> float:
        """Any."""
        return float("inf")

    async def hear(self, window: Window, *, tick: Tick) -> Heard:
        """Return what is said in a window.

        Raises:
            ConfigError: the library is not installed, or the model cannot be loaded or fetched.
            ModelError: the model failed.
        """
        return await self._model.use(lambda model: self._heard(model, window, tick))

    async def close(self) -> None:
        """Let go of the model."""
        await self._model.close()

    def _load(self, name: str) -> Any:
        import faster_whisper  # noqa: PLC0415 - an extra

        if self._model.name.path is None:
            checked_name(name, faster_whisper.available_models(), package=PACKAGE)
        return faster_whisper.WhisperModel(name, device="cpu", compute_type="int8", cpu_threads=self._threads)

    def _heard(self, model: Any, window: Window, tick: Tick) -> Heard:
        # Its voice detection leaves out noise and music, in which it would hear words; without the text before, it
        # does not go on repeating one.
        segments, info = model.transcribe(
            window.floats(), language=self._language, vad_filter=True, condition_on_previous_text=False
        )
        return Heard(tuple(_utterances(segments, tick)), info.language)


def _utterances(segments: Iterator[Any], tick: Tick) -> Iterator[Utterance]:
    for one in segments:
        tick(one.end)
        if is_speech(one.no_speech_prob, one.avg_logprob):
            yield Utterance(
                text=one.text, start_s=one.start, end_s=one.end, confidence=confidence(one.avg_logprob)
            )
