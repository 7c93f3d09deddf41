"""Speech for tests: a transcriber that hears what it is told to, and a server's answers."""

from collections.abc import Sequence
from typing import Any

from memu_py.modality.media import Check, Report
from memu_py.records.transcript import Transcript, Utterance
from memu_py.testing.http import Answer

TRANSCRIPTIONS = "/audio/transcriptions"
"""The path of a scripted server."""


class ScriptedTranscriber:
    """Hears the same in every recording.

    Args:
        utterances: what it hears.
        language: that is spoken.
        error: raised instead.

    Attributes:
        calls: how often it has listened.
        closed: whether it was closed.
    """

    def __init__(
        self,
        utterances: Sequence[Utterance] = (),
        *,
        language: str | None = "en",
        error: Exception | None = None,
    ) -> None:
        self.calls = 0
        self.closed = False
        self._transcript = Transcript(utterances=tuple(utterances), language=language)
        self._error = error

    @property
    def id(self) -> str:
        """Its name."""
        return "scripted"

    async def transcribe(
        self, sound: bytes, *, name: str = "", report: Report | None = None, check: Check | None = None
    ) -> Transcript:
        """Return what it was told to hear; see `Transcriber.transcribe`."""
        self.calls += 1
        if check is not None:
            check()
        if self._error is not None:
            raise self._error
        if report is not None:
            report(1, 1, "transcribing")
        return self._transcript

    async def close(self) -> None:
        """Note that it was closed."""
        self.closed = True


def transcription(*segments: dict[str, Any], language: str = "english") -> Answer:
    """Return a server's answer with times.

    Args:
        *segments: such as `{"start": 0.0, "end": 1.5, "text": "Hello."}`.
        language: that is spoken.
    """
    text = " ".join(str(one["text"]) for one in segments)
    return Answer(body={"task": "transcribe", "language": language, "text": text, "segments": list(segments)})


def plain_transcription(text: str) -> Answer:
    """Return a server's answer without times.

    Args:
        text: what is said.
    """
    return Answer(body={"text": text})
