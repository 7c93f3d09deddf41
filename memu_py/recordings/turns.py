"""From utterances to turns: what one voice says in one go, as sentences.

Speech models and subtitles cut in mid-sentence, or run on; a memory is a statement that stands alone.
"""

import re
from collections.abc import Iterable, Iterator

from memu_py.language.sentences import groups, sentences
from memu_py.records.transcript import Utterance

TURN_S = 12.0
"""A turn goes on until a sentence ends, and no longer than this."""
PAUSE_S = 2.0
"""After a longer pause a new one begins."""

_SENTENCE_END = re.compile(r"[.!?…。！？．｡][\"'”’»)\]」』》】）]*\Z")
_EAST_ASIAN = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")
_NOISE = re.compile(r"\s*(?:[\[(（【*♪♫][^\])）】*♪♫]*[\])）】*♪♫]+|[♪♫]+)\s*")


def is_noise(text: str) -> bool:
    """Tell whether a line is about what is heard, and nothing that is said.

    >>> is_noise("[Music]"), is_noise("（掌声）"), is_noise("♪ la la ♪"), is_noise("(laughs) Yes.")
    (True, True, True, False)
    """
    return _NOISE.fullmatch(text) is not None


def turns(utterances: Iterable[Utterance], *, turn_chars: int) -> Iterator[Utterance]:
    """Yield turns.

    Args:
        utterances: in order of time.
        turn_chars: characters of a turn at most, but for a single longer sentence.
    """
    held: Utterance | None = None
    for one in utterances:
        for piece in _pieces(one, turn_chars):
            if held is not None and _goes_on(held, piece, turn_chars):
                held = _joined(held, piece)
                continue
            if held is not None:
                yield held
            held = piece
    if held is not None:
        yield held


def _pieces(one: Utterance, turn_chars: int) -> Iterator[Utterance]:
    """Cut a long utterance at its sentences; each has its share of the time."""
    if one.end_s - one.start_s <= TURN_S and len(one.text) <= turn_chars:
        yield one
        return
    spans = sentences(one.text)
    if any(end - start > turn_chars for start, end in spans):
        spans = groups(one.text, max_chars=turn_chars)
    per_char = (one.end_s - one.start_s) / max(len(one.text), 1)
    for start, end in spans:
        yield one.evolve(
            text=one.text[start:end],
            start_s=round(one.start_s + start * per_char, 2),
            end_s=round(one.start_s + end * per_char, 2),
        )


def _goes_on(held: Utterance, piece: Utterance, turn_chars: int) -> bool:
    return (
        (held.speaker, held.emotion) == (piece.speaker, piece.emotion)
        and not _SENTENCE_END.search(held.text)
        and not is_noise(held.text)
        and not is_noise(piece.text)
        and piece.start_s - held.end_s <= PAUSE_S
        and piece.end_s - held.start_s <= TURN_S
        and len(held.text) + len(piece.text) < turn_chars
    )


def _joined(held: Utterance, piece: Utterance) -> Utterance:
    unspaced = _EAST_ASIAN.match(held.text[-1]) and _EAST_ASIAN.match(piece.text[0])
    sure = [one.confidence for one in (held, piece) if one.confidence is not None]
    return held.evolve(
        text=f"{held.text}{'' if unspaced else ' '}{piece.text}",
        end_s=max(held.end_s, piece.end_s),
        confidence=min(sure, default=None),
    )
