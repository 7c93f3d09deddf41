"""How well an item fits what a question asks for, beyond what it says."""

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from memu_py.index.rows import DAY_US, Traits
from memu_py.index.signals import Scores
from memu_py.index.speakers import NOBODY
from memu_py.records.span import TimeSpan
from memu_py.steps.retrieve.question import Question
from memu_py.storage.index_rows import UNKNOWN
from memu_py.storage.plain import to_micros

FEW_WORDS = 8
"""Words at which a turn's shortness has lost two thirds of its weight."""


class FitConfig(BaseModel):
    """By what share an item's relevance falls; 0 turns a rule off."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    other_speaker: float = Field(
        default=0.4, ge=0, le=1, description="the question names one speaker, and somebody else said it"
    )
    undated: float = Field(
        default=0.2, ge=0, le=1, description="the question asks when, and it happened at no known time"
    )
    off_date: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="the question names a time, and it was at another; less, the nearer",
    )
    asks: float = Field(default=0.15, ge=0, le=1, description="it ends with a question")
    short: float = Field(
        default=0.5, ge=0, le=1, description="a turn without words; less, the more words it has"
    )


def fit(question: Question, traits: Traits, config: FitConfig) -> Scores:
    """Return the factors in [0, 1] by which relevance is multiplied, one for each item.

    What nobody said, such as a passage of a document, is no turn: it is neither another speaker's nor short.
    """
    spoken = traits.speaker != NOBODY
    factors = np.ones(len(spoken), dtype=np.float32)
    if question.speaker != NOBODY:
        factors[spoken & (traits.speaker != question.speaker)] *= 1 - config.other_speaker
    if question.asks_when:
        factors[traits.happened == UNKNOWN] *= 1 - config.undated
    if question.span is not None:
        factors *= 1 - config.off_date * (1 - closeness(traits, question.span))
    factors[traits.asks] *= 1 - config.asks
    shortness = np.exp(-traits.words.astype(np.float32) / FEW_WORDS)
    factors[spoken] *= (1 - config.short * shortness)[spoken]
    return factors


def closeness(traits: Traits, span: TimeSpan) -> Scores:
    """Return how close items are to a time, (n,) in (0, 1]: 1 within it, `exp(-distance / length)` before and after.

    What counts is when an item was said or when it happened, whichever is nearer. What has no time at all counts as
    within; a day is the shortest length.
    """
    start, until = to_micros(span.start), to_micros(span.until)
    length = max(until - start, DAY_US)
    distances = [
        np.where(times == UNKNOWN, np.inf, np.maximum(np.maximum(start - times, times - until), 0))
        for times in (traits.said.astype(np.float64), traits.happened.astype(np.float64))
    ]
    nearest = np.minimum(*distances)
    return np.asarray(np.exp(-np.where(np.isinf(nearest), 0, nearest) / length), dtype=np.float32)
