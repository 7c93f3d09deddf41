"""One time line: what is said and what is shown, in the order of the recording, as one text."""

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from memu_py.modality.blocks import Block, joined
from memu_py.modality.encoding import storable
from memu_py.modality.parser import ParseOptions
from memu_py.modality.segments import turns as segments_of
from memu_py.recordings.turns import is_noise, turns
from memu_py.records.locator import LOCATOR, Locator
from memu_py.records.message import Message
from memu_py.records.record import Record
from memu_py.records.resource import Segment
from memu_py.records.transcript import Utterance

LANGUAGE = "language"
CONFIDENCE = "confidence"
EMOTION = "emotion"
"""Keys of the metadata of what is said."""


class Lined(NamedTuple):
    """A time line as text.

    Attributes:
        text: a line for each turn, behind its speaker where there is one; what is shown stands between them.
        segments: whose spans lie in it.
    """

    text: str
    segments: tuple[Segment, ...]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class TimeLine(Record):
    """What happens in a recording.

    Attributes:
        utterances: what is said, in order.
        blocks: what is shown, in order; each has the second at which it begins in its locator.
        language: that is spoken, where known.
        began: when the recording began, UTC; None where it does not say.
    """

    utterances: Sequence[Utterance] = ()
    blocks: Sequence[Block] = ()
    language: str | None = None
    began: datetime | None = None

    def lined(self, options: ParseOptions) -> Lined:
        """Return it as text and segments.

        Args:
            options: how long segments may be.
        """
        text = ""
        segments: list[Segment] = []
        for run in self._runs(options):
            made = _shown(run, options) if isinstance(run[0], Block) else self._said(run, options)
            placed = enumerate(made.segments, start=len(segments))
            segments += [_shifted(one, len(text), ordinal) for ordinal, one in placed]
            text += f"{made.text}\n" if made.text else ""
        return Lined(text, tuple(segments))

    def _runs(self, options: ParseOptions) -> Iterator[list[Any]]:
        """Yield what is said and what is shown, by turns."""
        said = turns(self.utterances, turn_chars=options.turn_chars)
        # Stable: a picture stands before what is said from the same second on.
        entries: list[Block | Utterance] = [*self.blocks, *said]
        yield from (list(run) for _, run in itertools.groupby(sorted(entries, key=_begins), key=type))

    def _said(self, run: Sequence[Utterance], options: ParseOptions) -> Lined:
        text = ""
        segments: list[Segment] = []
        for one in run:
            words = storable(one.text)
            label = f"{storable(one.speaker)}: " if one.speaker else ""
            start = len(text) + len(label)
            text += f"{label}{words}\n"
            span = (start, start + len(words))
            segments += segments_of(
                self._message(one), text, span, len(segments), turn_chars=max(options.turn_chars, len(words))
            )
        return Lined(text.rstrip("\n"), tuple(segments))

    def _message(self, one: Utterance) -> Message:
        more = {LANGUAGE: self.language, CONFIDENCE: one.confidence, EMOTION: one.emotion}
        place = Locator(start_s=one.start_s, end_s=one.end_s)
        return Message(
            role="user",
            text="",
            speaker=one.speaker,
            said_at=None if self.began is None else self.began + timedelta(seconds=one.start_s),
            context=is_noise(one.text),
            metadata={
                LOCATOR: place.to_dict(),
                **{key: value for key, value in more.items() if value is not None},
            },
        )


def _begins(one: Block | Utterance) -> float:
    return one.start_s if isinstance(one, Utterance) else one.locator.start_s or 0.0


def _shown(run: Sequence[Block], options: ParseOptions) -> Lined:
    return Lined(*joined(run, max_chars=options.group_chars))


def _shifted(segment: Segment, by: int, ordinal: int) -> Segment:
    return segment.evolve(start=segment.start + by, end=segment.end + by, ordinal=ordinal)


def first_words(segments: Sequence[Segment]) -> str:
    """Return the first thing that is said or shown; empty where nothing is."""
    return next((one.text for one in segments if one.kind != "context"), "")
