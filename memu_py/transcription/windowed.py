"""A transcriber that gives an engine one window after another."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from memu_py.local.thread import on_thread
from memu_py.modality.media import Check, Report, unheard
from memu_py.records.transcript import Transcript, Utterance
from memu_py.transcription.sound import SILENT, Sound, Window, loudness
from memu_py.transcription.speech import heard

THREAD = "memu-sound"
"""Where files are decoded."""
UNNAMED = "the recording"
TRANSCRIBING = "transcribing"

Tick = Callable[[float], None]
"""Told how many seconds of a window are done; raises `Cancelled` when the work is to stop. From any thread."""


class Heard(NamedTuple):
    """What an engine hears in a window.

    Attributes:
        utterances: in seconds of the window, in order.
        language: ISO 639-1 code, where known.
    """

    utterances: tuple[Utterance, ...]
    language: str | None = None


class Engine(Protocol):
    """Hears one window."""

    @property
    def id(self) -> str:
        """Engine, model and what else makes two transcripts equal."""
        ...

    @property
    def max_window_s(self) -> float:
        """Seconds that it takes at once."""
        ...

    async def hear(self, window: Window, *, tick: Tick) -> Heard:
        """Return what is said in a window.

        Args:
            window: not silent.
            tick: to be called now and then, where it takes long.

        Raises:
            ConfigError: the engine is not installed, or its model is not there; says what to do.
            ModelError: the engine failed.
        """
        ...

    async def close(self) -> None:
        """Let go of the model; idempotent."""
        ...


class WindowedTranscriber:
    """Transcribes recordings of any length.

    Args:
        engine: hears.
        window_s: seconds of a window.
        max_s: a longer recording is refused.
    """

    def __init__(self, engine: Engine, *, window_s: float, max_s: float) -> None:
        self.engine = engine
        self.window_s = window_s
        self.max_s = max_s

    @property
    def id(self) -> str:
        """That of the engine, and how it is cut."""
        return f"{self.engine.id}/{self.window_s:g}"

    async def transcribe(
        self, sound: bytes, *, name: str = "", report: Report | None = None, check: Check | None = None
    ) -> Transcript:
        """Return what is said in a recording; see `Transcriber.transcribe`."""
        track = await on_thread(THREAD, lambda: Sound(sound, name=name or UNNAMED, max_s=self.max_s))
        try:
            return await self._transcript(track, _Progress(track, report or unheard, check))
        finally:
            # On its thread, behind what is still being decoded there when this is cancelled.
            await on_thread(THREAD, track.close)

    async def close(self) -> None:
        """Let go of the model; idempotent."""
        await self.engine.close()

    async def _transcript(self, track: Sound, progress: "_Progress") -> Transcript:
        found: list[Utterance] = []
        languages: Counter[str] = Counter()
        end = 0.0
        windows = track.windows(min(self.window_s, self.engine.max_window_s))
        progress.at(0.0)
        while (window := await on_thread(THREAD, _next, windows)) is not None:
            if loudness(window.samples) > SILENT:
                answer = await self.engine.hear(window, tick=progress.within(window))
                said = heard(window, answer.utterances)
                found += said
                if answer.language:
                    languages[answer.language] += sum(len(one.text) for one in said)
            end = window.start_s + window.seconds
            progress.at(end)
        spoken = next((language for language, count in languages.most_common(1) if count), None)
        return Transcript(
            utterances=tuple(found), language=spoken, duration_s=round(end, 2), warnings=track.warnings
        )


def _next(windows: Iterator[Window]) -> Window | None:
    return next(windows, None)


class _Progress:
    """Tells how far a recording is, and whether to go on."""

    def __init__(self, track: Sound, report: Report, check: Check | None) -> None:
        self._total = round(track.duration_s) or None
        self._report = report
        self._check = check
        self._loop = asyncio.get_running_loop()

    def at(self, seconds: float) -> None:
        """Tell so, on the event loop.

        Raises:
            Cancelled: it is to stop.
        """
        if self._check is not None:
            self._check()
        done = round(seconds)
        self._report(done if self._total is None else min(done, self._total), self._total, TRANSCRIBING)

    def within(self, window: Window) -> Tick:
        """Return what an engine tells its progress to, from its own thread."""

        def tick(seconds: float) -> None:
            if self._check is not None:
                self._check()
            self._loop.call_soon_threadsafe(self._quietly, window.start_s + seconds)

        return tick

    def _quietly(self, seconds: float) -> None:
        self._report(min(round(seconds), self._total or round(seconds)), self._total, TRANSCRIBING)
