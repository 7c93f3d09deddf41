"""From what a speech model says of a segment to an utterance, if it was one.

Speech models write words where nobody speaks: "Thank you.", "You". They say themselves how sure they are that somebody
does.
"""

import math
from collections.abc import Iterable

from memu_py.records.transcript import Utterance
from memu_py.transcription.sound import SILENT, Window, loudness

NO_SPEECH = 0.6
"""A model that thinks so of a segment, and is not sure of its words either, has heard nothing …"""
UNSURE = -0.7
"""… where a sure one is nearer to 0: the mean logarithm of the probability of its words."""
AROUND_S = 0.3
"""Times of models are no better than this."""
NOBODY = 0.9
"""What a model thinks of a segment in which nobody speaks, however sure it is of its words."""


def is_speech(no_speech_prob: float | None, avg_logprob: float | None) -> bool:
    """Tell whether somebody speaks in a segment, by what the model says of it.

    >>> is_speech(0.06, -0.58), is_speech(0.94, -0.3), is_speech(0.7, -0.9), is_speech(None, None)
    (True, False, False, True)
    """
    nobody = no_speech_prob or 0.0
    return nobody < NOBODY and not (nobody > NO_SPEECH and (avg_logprob or 0.0) < UNSURE)


def confidence(avg_logprob: float | None) -> float | None:
    """Return how sure a model is of its words, in [0, 1].

    >>> confidence(-0.1)
    0.905
    """
    if avg_logprob is None or math.isnan(avg_logprob):
        return None
    return round(math.exp(min(avg_logprob, 0.0)), 3)


def heard(window: Window, utterances: Iterable[Utterance]) -> list[Utterance]:
    """Return the utterances of a window in the seconds of the recording, without those where it is silent.

    Args:
        window: what was heard.
        utterances: in seconds of the window; empty ones are left out.
    """
    found = []
    for one in utterances:
        start = min(max(one.start_s, 0.0), window.seconds)
        end = min(max(one.end_s, start), window.seconds)
        text = " ".join(one.text.split())
        if text and loudness(window.part(start - AROUND_S, end + AROUND_S).samples) > SILENT:
            begins, ends = round(window.start_s + start, 2), round(window.start_s + end, 2)
            found.append(one.evolve(text=text, start_s=begins, end_s=ends))
    return found
