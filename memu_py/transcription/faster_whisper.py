"""Whisper models on CTranslate2, by `faster-whisper`. Needs the extra `audio`."""

import dataclasses
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from memu_py.records.transcript import Utterance
from memu_py.transcription.local_engine import LocalEngine
from memu_py.transcription.model import LocalModel, ModelName, checked_name
from memu_py.transcription.sound import RATE, Window
from memu_py.transcription.speech import confidence, is_speech
from memu_py.transcription.windowed import Heard, Tick

PACKAGE = "faster-whisper"
HOLDS = "model.bin"
"""What the folder of a model holds."""
SILENCE_MS = 1000
"""A shorter pause is a breath."""
PAUSE_S = 8.0
"""A longer stretch in which nobody speaks is not given to the model."""
PAD_S = 0.5
"""Kept before and after what is given to it."""

_LAST = re.compile(r"[.!?…。！？]\W*\Z")

Span = tuple[float, float]
"""Seconds of a window: from, to."""


class Word(NamedTuple):
    """A word, with the space before it.

    Attributes:
        text: as written.
        start_s: second of the window at which it begins.
        end_s: second at which it ends.
    """

    text: str
    start_s: float
    end_s: float


def faster_whisper(name: ModelName, *, language: str | None = None, threads: int = 0) -> LocalEngine:
    """Return an engine on this machine's processor, with weights of 8 bits.

    Args:
        name: of the model.
        language: that is spoken; None lets the model find out.
        threads: of the model; 0 takes the library's own number.
    """

    def load(known: str) -> Any:
        import faster_whisper as library  # noqa: PLC0415 - an extra

        if name.path is None:
            checked_name(known, library.available_models(), package=PACKAGE)
        return library.WhisperModel(known, device="cpu", compute_type="int8", cpu_threads=threads)

    return LocalEngine(LocalModel(name, load, package=PACKAGE, extra="audio"), _heard, language=language)


def _heard(model: Any, language: str | None, window: Window, tick: Tick) -> Heard:
    return _Hearing(model, language, window, tick).heard()


@dataclasses.dataclass(frozen=True, slots=True)
class _Hearing:
    """One window, in the hands of a model."""

    model: Any
    language: str | None
    window: Window
    tick: Tick

    def heard(self) -> Heard:
        """Return what is said where the library's voice detection finds somebody speaking.

        Its own filter takes all pauses out, and sentences and times run together; here short ones stay. What the model
        hears where nobody speaks is left out.
        """
        voices = list(_voices(self.window))
        found: list[Utterance] = []
        languages: Counter[str] = Counter()
        for start, end in stretches(voices, self.window.seconds):
            self.tick(start)
            # Without the text before, it does not go on repeating it.
            segments, info = self.model.transcribe(
                self.window.part(start, end).floats(),
                language=self.language,
                condition_on_previous_text=False,
                word_timestamps=True,
            )
            said = list(self._utterances(segments, start, voices))
            languages[info.language] += sum(len(one.text) for one in said)
            found += said
        language = next((name for name, count in languages.most_common(1) if count), None)
        return Heard(tuple(found), language)

    def _utterances(
        self, segments: Iterable[Any], start: float, voices: Sequence[Span]
    ) -> Iterator[Utterance]:
        for one in segments:
            self.tick(start + one.end)
            if is_speech(one.no_speech_prob, one.avg_logprob):
                words = [
                    Word(word.word, start + float(word.start), start + float(word.end))
                    for word in one.words or ()
                ]
                yield from voiced(
                    words or [Word(one.text, start + float(one.start), start + float(one.end))],
                    voices,
                    sure=confidence(one.avg_logprob),
                )


def _voices(window: Window) -> Iterator[Span]:
    from faster_whisper.vad import VadOptions, get_speech_timestamps  # noqa: PLC0415 - an extra

    options = VadOptions(min_silence_duration_ms=SILENCE_MS)
    for one in get_speech_timestamps(window.floats(), options, sampling_rate=RATE):
        yield one["start"] / RATE, one["end"] / RATE


def stretches(voices: Sequence[Span], seconds: float) -> list[Span]:
    """Return what is given to the model: voices with the pauses between them, long ones left out.

    Args:
        voices: where somebody speaks, in order.
        seconds: length of the window.

    >>> stretches([(1.0, 2.0), (4.0, 5.0), (60.0, 61.0)], 61.2)
    [(0.5, 5.5), (59.5, 61.2)]
    """
    found: list[Span] = []
    for start, end in voices:
        padded = (max(0.0, start - PAD_S), min(seconds, end + PAD_S))
        if found and start - found[-1][1] <= PAUSE_S:
            found[-1] = (found[-1][0], padded[1])
        else:
            found.append(padded)
    return found


def voiced(
    words: Sequence[Word], voices: Sequence[Span], *, sure: float | None = None
) -> Iterator[Utterance]:
    """Yield the words of a segment as utterances: one for each stretch of speech, with its times.

    A segment of the model runs over pauses, often, and its times are those of the pauses around it.

    Args:
        words: of a segment, at least one, in order.
        voices: where somebody speaks, in order; a segment in which nobody does gives nothing.
        sure: confidence in the words.
    """
    if not any(start < words[-1].end_s and words[0].start_s < end for start, end in voices):
        return
    for (start, end), group in itertools.groupby(_placed(words, voices), key=lambda placed: placed[0]):
        run = [word for _, word in group]
        begins = min(max(run[0].start_s, start), end)
        yield Utterance(
            text="".join(word.text for word in run),
            start_s=begins,
            end_s=max(begins, min(run[-1].end_s, end)),
            confidence=sure,
        )


def _placed(words: Sequence[Word], voices: Sequence[Span]) -> Iterator[tuple[Span, Word]]:
    """Yield each word with the nearest voice; the last of a sentence stays with the one before it.

    A model often puts the last word into the pause that follows, or behind it.
    """
    before: Span | None = None
    for word in words:
        voice = before if before is not None and _LAST.search(word.text) else _nearest(word, voices)
        yield voice, word
        before = None if _LAST.search(word.text) else voice


def _nearest(word: Word, voices: Iterable[Span]) -> Span:
    middle = (word.start_s + word.end_s) / 2
    return min(voices, key=lambda voice: max(voice[0] - middle, middle - voice[1]))
