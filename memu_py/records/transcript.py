"""What a speech model heard in a recording."""

import dataclasses

from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Utterance(Record):
    """Something said without a break.

    Attributes:
        text: what was said.
        start_s: second at which it begins, from the beginning of the recording.
        end_s: second at which it ends.
        speaker: a label, where the engine tells voices apart.
        emotion: a label, where the engine gives one.
        confidence: of the engine in its words, in [0, 1], where it gives one.
    """

    text: str
    start_s: float
    end_s: float
    speaker: str | None = None
    emotion: str | None = None
    confidence: float | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Transcript(Record):
    """All that was heard.

    Attributes:
        utterances: in order of time; none for silence.
        language: ISO 639-1 code, where known.
        duration_s: length of the recording, in seconds.
        warnings: what could not be heard, such as damaged parts.
    """

    utterances: tuple[Utterance, ...]
    language: str | None = None
    duration_s: float = 0.0
    warnings: tuple[str, ...] = ()
