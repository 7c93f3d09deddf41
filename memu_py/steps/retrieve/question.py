"""A question as the index understands it."""

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo

import numpy as np

from memu_py import _core
from memu_py.index.speakers import NOBODY
from memu_py.language.asked import FEELING_WORDS, asks_feeling, asks_when, without_names
from memu_py.language.dates import first_date
from memu_py.records.batch import Vector
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.records.span import TimeSpan
from memu_py.steps.resources import MemoryResources
from memu_py.steps.view import View


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Question:
    """One question.

    Attributes:
        text: as asked.
        tokens: its content words as index tokens.
        vector: (d,), of length 1; None when meaning was not asked. Where the question names people of the
            conversation, the mean of the question's and of its rest's: what they said is told by who spoke, and seldom
            names them.
        speaker: the one person of the conversation that it names, by number; `NOBODY` for none or several.
        asks_when: it asks for a time.
        span: the time that it names, such as that of "last week"; None for none.
    """

    text: str
    tokens: tuple[str, ...]
    vector: Vector | None
    speaker: int = NOBODY
    asks_when: bool = False
    span: TimeSpan | None = None


async def question_vectors(request: RetrieveRequest, view: View, resources: MemoryResources) -> list[Vector]:
    """Return the vectors of a request's questions; see `Question.vector`."""
    people = await _people(request, view, content_words(request))
    return await _vectors(request.queries, people, resources)


async def read_questions(
    request: RetrieveRequest,
    scope: Scope,
    view: View,
    resources: MemoryResources,
    *,
    embedded: bool,
) -> list[Question]:
    """Return a request's questions, read with the people whom the partition knows, and in the user's time zone.

    Args:
        request: with the questions.
        scope: who asks.
        view: what may be seen.
        resources: what the run works with.
        embedded: whether vectors are wanted.
    """
    local = resources.zone(scope)
    words = content_words(request)
    people = await _people(request, view, words)
    vectors: Sequence[Vector | None] = [None] * len(words)
    if embedded:
        vectors = await _vectors(request.queries, people, resources)
    return [
        understood(text, tokens, named, vector=vector, now=request.now, local=local)
        if request.around
        else Question(text=text, tokens=tuple(tokens), vector=vector)
        for text, tokens, named, vector in zip(request.queries, words, people, vectors, strict=True)
    ]


def understood(
    text: str,
    tokens: Sequence[str],
    people: Mapping[str, int],
    *,
    vector: Vector | None,
    now: datetime,
    local: tzinfo,
) -> Question:
    """Return one question, given its content words and the speakers whom it names, with their numbers."""
    return Question(
        text=text,
        tokens=tuple(tokens),
        vector=vector,
        speaker=next(iter(people.values())) if len(people) == 1 else NOBODY,
        asks_when=asks_when(text),
        span=first_date(text, said_at=now, zone=local),
    )


def content_words(request: RetrieveRequest) -> list[list[str]]:
    """Return the content words of each question as index tokens, without those that only ask for a feeling."""
    found = _core.content_words(list(request.queries))
    return [
        [word for word in words if word not in _feeling_tokens()] or words if asks_feeling(text) else words
        for text, words in zip(request.queries, found, strict=True)
    ]


@functools.cache
def _feeling_tokens() -> frozenset[str]:
    return frozenset(token for tokens in _core.tokenize(list(FEELING_WORDS)) for token in tokens)


async def _people(
    request: RetrieveRequest, view: View, words: Sequence[Sequence[str]]
) -> list[dict[str, int]]:
    return [await view.named(tokens) if request.around else {} for tokens in words]


async def _vectors(
    queries: Sequence[str], people: Sequence[Mapping[str, int]], resources: MemoryResources
) -> list[Vector]:
    rests = [without_names(text, named) for text, named in zip(queries, people, strict=True)]
    texts = list(dict.fromkeys([*queries, *rests]))
    vectors = dict(zip(texts, await resources.embed_queries(texts), strict=True))
    sums = [vectors[text] + vectors[rest] for text, rest in zip(queries, rests, strict=True)]
    return list(_core.normalize(np.stack(sums)))
