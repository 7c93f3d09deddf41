"""Whisper models on PyTorch, by `openai-whisper`. Needs the extra `whisper`."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memu_py.records.transcript import Utterance
from memu_py.transcription.model import LocalModel, ModelName, checked_name
from memu_py.transcription.sound import Window
from memu_py.transcription.speech import confidence, is_speech
from memu_py.transcription.windowed import Heard, Tick

PACKAGE = "openai-whisper"
GPU = "cuda"


class Whisper:
    """Hears by a model on this machine. The sound is decoded here, so that no `ffmpeg` program is needed.

    Args:
        name: of the model, or its checkpoint.
        language: that is spoken; None lets the model find out.
        threads: of PyTorch; 0 takes its own number.
    """

    def __init__(self, name: ModelName, *, language: str | None = None, threads: int = 0) -> None:
        self._language = language
        self._threads = threads
        self._model = LocalModel(name, self._load, package=PACKAGE, extra="whisper")

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
        tick(0.0)
        return await self._model.use(lambda model: self._heard(model, window))

    async def close(self) -> None:
        """Let go of the model."""
        await self._model.close()

    def _load(self, name: str) -> Any:
        import whisper  # noqa: PLC0415 - an extra

        if self._model.name.path is None:
            checked_name(name, whisper.available_models(), package=PACKAGE)
        if self._threads:
            import torch  # noqa: PLC0415 - comes with it

            torch.set_num_threads(self._threads)
        return whisper.load_model(name)

    def _heard(self, model: Any, window: Window) -> Heard:
        answer = model.transcribe(
            window.floats(),
            language=self._language,
            fp16=str(model.device).startswith(GPU),
            condition_on_previous_text=False,
            # None says nothing; False shows a bar.
            verbose=None,
        )
        return Heard(tuple(_utterances(answer["segments"])), answer.get("language"))


def _utterances(segments: Iterable[Mapping[str, Any]]) -> Iterator[Utterance]:
    for one in segments:
        if is_speech(one.get("no_speech_prob"), one.get("avg_logprob")):
            yield Utterance(
                text=one["text"],
                start_s=float(one["start"]),
                end_s=float(one["end"]),
                confidence=confidence(one.get("avg_logprob")),
            )
