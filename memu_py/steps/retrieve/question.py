"""A question as the index understands it."""

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from functools import lru_cache

import numpy as np

from memu_py import _core
from memu_py.index.speakers import NOBODY
from memu_py.language.asked import asks_when, without_names
from memu_py.language.dates import first_date
from memu_py.language.zones import zone
from memu_py.records.batch import Vector
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.records.span import TimeSpan
from memu_py.steps.resources import MemoryResources
from memu_py.steps.view import MemoryView


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
    speaker: int
    asks_when: bool
    span: TimeSpan | None = None


async def read_questions(
    request: RetrieveRequest,
    scope: Scope,
    view: MemoryView,
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
    local = zone(resources.settings.timezone_of(scope.user))
    words = _core.content_words(list(request.queries))
    people = [view.index.named(tokens) if request.around else {} for tokens in words]
    vectors = await _vectors(request.queries, people, resources) if embedded else [None] * len(words)
    return [
        Question(
            text=text,
            tokens=tuple(tokens),
            vector=vector,
            speaker=_only(named),
            asks_when=asks_when(text),
            span=_named_time(text, request.now, local) if request.around else None,
        )
        for text, vector, tokens, named in zip(request.queries, vectors, words, people, strict=True)
    ]


async def _vectors(
    queries: Sequence[str], people: Sequence[Mapping[str, int]], resources: MemoryResources
) -> list[Vector | None]:
    rests = [without_names(text, named) for text, named in zip(queries, people, strict=True)]
    texts = list(dict.fromkeys([*queries, *rests]))
    vectors = dict(zip(texts, await resources.embed_queries(texts), strict=True))
    sums = [vectors[text] + vectors[rest] for text, rest in zip(queries, rests, strict=True)]
    return list(_core.normalize(np.stack(sums)))


@lru_cache(maxsize=256)
def _named_time(text: str, now: datetime, local: tzinfo) -> TimeSpan | None:
    """Return the time that a question names; several steps of a run ask for the same."""
    return first_date(text, said_at=now, zone=local)


def _only(named: Mapping[str, int]) -> int:
    return next(iter(named.values())) if len(named) == 1 else NOBODY
