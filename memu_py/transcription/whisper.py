"""Whisper models on PyTorch, by `openai-whisper`. Needs the extra `whisper`."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memu_py.records.transcript import Utterance
from memu_py.transcription.local_engine import LocalEngine
from memu_py.transcription.model import LocalModel, ModelName, checked_name
from memu_py.transcription.sound import Window
from memu_py.transcription.speech import confidence, is_speech
from memu_py.transcription.windowed import Heard, Tick

PACKAGE = "openai-whisper"
GPU = "cuda"


def whisper(name: ModelName, *, language: str | None = None, threads: int = 0) -> LocalEngine:
    """Return an engine on this machine. The sound is decoded here, so that no `ffmpeg` program is needed.

    Args:
        name: of the model, or its checkpoint.
        language: that is spoken; None lets the model find out.
        threads: of PyTorch; 0 takes its own number.
    """

    def load(known: str) -> Any:
        import whisper as library  # noqa: PLC0415 - an extra

        if name.path is None:
            checked_name(known, library.available_models(), package=PACKAGE)
        if threads:
            import torch  # noqa: PLC0415 - comes with it

            torch.set_num_threads(threads)
        return library.load_model(known)

    return LocalEngine(LocalModel(name, load, package=PACKAGE, extra="whisper"), _heard, language=language)


def _heard(model: Any, language: str | None, window: Window, tick: Tick) -> Heard:
    tick(0.0)
    answer = model.transcribe(
        window.floats(),
        language=language,
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
