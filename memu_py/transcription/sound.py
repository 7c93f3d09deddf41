"""Sound as speech models take it: mono, 16 kHz, window by window.

A recording of hours is never held decoded: one window is, and what the file itself takes.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memu_py.errors import InvalidInput
from memu_py.records.record import Record
from memu_py.transcription.container import DAMAGED, Decoding, library, opened, sound_track
from memu_py.transcription.probe import probe

Samples = NDArray[np.int16]

RATE = 16_000
LEAST_RATE, MOST_RATE = 1_000, 1_000_000
"""Samples a second that a recording may have; the filter for another one takes seconds and a gigabyte to make."""
FULL_SCALE = 32_768.0
SILENT = 0.001
"""Loudness below which there is nothing to hear, of full scale: −60 dB."""
FRAME = RATE // 10
"""Samples over which loudness is taken."""
CUT_FRAME = RATE // 33
CUT_FRAMES = 10
AS_QUIET = 1.5
"""A window is cut in the middle of the longest pause: where 0.3 seconds are nearly as quiet as the quietest …"""
CUT_WITHIN_S = 30.0
CUT_WITHIN = 1 / 2
"""… of so many seconds, and of so much of a window, before its border."""
LEAST_GAP_S = 0.25
MOST_GAP_S = 600.0
TOLD_GAP_S = 0.5
"""Where the times of a file jump by more than the first, silence fills the gap; beyond the second they are wrong."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Window(Record):
    """A stretch of sound.

    Attributes:
        samples: (n,), mono at `RATE`.
        start_s: second of the recording at which it begins.
    """

    samples: Samples
    start_s: float = 0.0

    @property
    def seconds(self) -> float:
        """Its length."""
        return len(self.samples) / RATE

    def floats(self) -> NDArray[np.float32]:
        """Return the samples in [−1, 1): (n,)."""
        return self.samples.astype(np.float32) / np.float32(FULL_SCALE)

    def part(self, start_s: float, end_s: float) -> "Window":
        """Return a stretch of it, in seconds from its own beginning."""
        first = max(0, int(start_s * RATE))
        return Window(
            samples=self.samples[first : max(first, int(end_s * RATE))], start_s=self.start_s + first / RATE
        )

    def pieces(self, seconds: float) -> Iterator["Window"]:
        """Yield it in pieces of at most so many seconds, cut where it is quiet."""
        rest = self
        while rest.seconds > seconds:
            cut = quiet_place(rest.samples, int(seconds * RATE)) / RATE
            yield rest.part(0, cut)
            rest = rest.part(cut, rest.seconds)
        yield rest


def loudness(samples: Samples) -> float:
    """Return how loud the loudest tenth of a second is, of full scale: 0 for silence, 0.7 for a full tone.

    >>> loudness(np.zeros(RATE, dtype=np.int16))
    0.0
    """
    if not len(samples):
        return 0.0
    return float(_levels(samples, FRAME).max()) / FULL_SCALE


def quiet_place(samples: Samples, limit: int) -> int:
    """Return where to cut: in the longest pause shortly before a limit.

    Args:
        samples: (n,), longer than the limit.
        limit: samples of what is cut off at most.
    """
    within = min(int(CUT_WITHIN_S * RATE), int(limit * CUT_WITHIN))
    levels = _levels(samples[limit - within : limit], CUT_FRAME)
    if len(levels) < CUT_FRAMES:
        return limit
    around = np.convolve(levels, np.ones(CUT_FRAMES), mode="valid")
    start, end = _longest(around <= around.min() * AS_QUIET)
    return limit - within + ((start + end) // 2 + CUT_FRAMES // 2) * CUT_FRAME


def _longest(places: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the longest run of true places: from, to; the last of equal ones."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], places, [False]])))
    runs = [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]
    return max(reversed(runs), key=lambda run: run[1] - run[0])


def _levels(samples: Samples, frame: int) -> NDArray[np.float32]:
    whole = len(samples) // frame * frame
    frames = samples[:whole].reshape(-1, frame) if whole else samples.reshape(1, -1)
    levels: NDArray[np.float32] = np.sqrt(np.square(frames, dtype=np.float32).mean(axis=1))
    return levels


class Sound:
    """The sound track of a file, decoded as it is asked for. Blocking.

    Args:
        data: the file.
        name: of it, for messages.
        max_s: a longer one is refused.

    Attributes:
        duration_s: its length, as its packets tell.

    Raises:
        InvalidInput: it is no recording, too long, has no sound track, or is damaged at its beginning.
        ConfigError: the library is not installed.
    """

    def __init__(self, data: bytes, *, name: str, max_s: float) -> None:
        found = probe(data, name=name)
        if not found.sounds:
            msg = f"{name} has no sound track"
            raise InvalidInput(msg)
        self._name = name
        self._max_s = max_s
        self.duration_s = found.duration_s
        if found.duration_s > max_s:
            raise self._too_long(found.duration_s)
        self._warnings = list(found.warnings)
        self._gaps = 0.0
        self._file = opened(data, name=name)
        self._decoding = Decoding(self._file, sound_track(self._file))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What could not be decoded, of what was asked for so far."""
        damaged = self._decoding.damaged
        lost = [f"its sound is damaged: {damaged} pieces were left out"] if damaged else []
        gaps = [f"its sound has gaps, {self._gaps:.0f} s in all"] if self._gaps >= TOLD_GAP_S else []
        return (*self._warnings, *lost, *gaps)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def windows(self, window_s: float) -> Iterator[Window]:
        """Yield the sound from beginning to end, cut at quiet places.

        Args:
            window_s: seconds of a window at most.

        Raises:
            InvalidInput: nothing of it can be decoded, or it is longer than it seemed.
        """
        size = int(window_s * RATE)
        held: list[Samples] = []
        start = count = 0
        for samples in self._timed():
            held.append(samples)
            count += len(samples)
            while count > size:
                whole = np.concatenate(held)
                cut = quiet_place(whole, size)
                yield Window(samples=whole[:cut], start_s=start / RATE)
                held, start, count = [whole[cut:].copy()], start + cut, count - cut
        if count:
            yield Window(samples=np.concatenate(held), start_s=start / RATE)
        elif not start:
            msg = f"{self._name} holds no sound that can be decoded"
            raise InvalidInput(msg, hint=DAMAGED)

    def _timed(self) -> Iterator[Samples]:
        """Yield the samples; silence where the times of the file leave a gap."""
        begins = (self._file.start_time or 0) / 1_000_000
        resampler = _Resampler()
        done = 0
        for frame in self._decoding.frames():
            gap = (frame.time or 0.0) - begins - done / RATE
            if LEAST_GAP_S < gap <= MOST_GAP_S:
                self._gaps += gap if done else 0.0
                done += int(gap * RATE)
                yield np.zeros(int(gap * RATE), dtype=np.int16)
            for samples in resampler.resampled(frame):
                done += len(samples)
                yield samples
            if done > self._max_s * RATE:
                raise self._too_long(done / RATE)
        self._decoding.damaged += resampler.refused
        yield from resampler.resampled(None)

    def _too_long(self, seconds: float) -> InvalidInput:
        msg = f"{self._name} is {seconds:.0f} s long, and at most {self._max_s:g} s are taken"
        return InvalidInput(msg, hint="raise `audio.max_s`, or split it")


class _Resampler:
    """Makes frames mono at `RATE`; begins anew when the form of the sound changes."""

    def __init__(self) -> None:
        self.refused = 0
        self._form: tuple[Any, ...] = ()
        self._resampler: Any = None

    def resampled(self, frame: Any | None) -> Iterator[Samples]:
        if frame is None:
            yield from self._flushed()
        elif not LEAST_RATE <= frame.sample_rate <= MOST_RATE:
            self.refused += 1
        else:
            # Its own times may jump, and the library refuses that.
            frame.pts = None
            form = (frame.format.name, frame.layout.name, frame.sample_rate)
            if form != self._form:
                yield from self._flushed()
                self._form = form
                self._resampler = library().AudioResampler(format="s16", layout="mono", rate=RATE)
            yield from self._made(frame)

    def _flushed(self) -> Iterator[Samples]:
        if self._resampler is not None:
            yield from self._made(None)
            self._resampler = None

    def _made(self, frame: Any | None) -> Iterator[Samples]:
        try:
            made = self._resampler.resample(frame)
        except (library().FFmpegError, ValueError):
            self.refused += 1
            return
        for one in made:
            yield one.to_ndarray().reshape(-1)
