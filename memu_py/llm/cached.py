"""The layer that pays for no answer twice: a cache by content, and one request for equal questions under way."""

import dataclasses
import hashlib
import json
import logging
from typing import Any, Protocol

from pydantic import BaseModel

from memu_py.errors import StoreError
from memu_py.llm.backend import Answerer, ChatRequest
from memu_py.llm.chat import ChatAnswer
from memu_py.llm.flights import Flights
from memu_py.llm.meter import Meter
from memu_py.llm.metered import note_call
from memu_py.llm.reading import read
from memu_py.llm.sifting import Reading
from memu_py.llm.structured import REFUSALS
from memu_py.records.usage import Usage

LOGGER = logging.getLogger("memu_py.llm")


class AnswerCache(Protocol):
    """Texts of answers by key, bound to a scope."""

    async def load(self, key: bytes) -> str | None:
        """Return an answer, if it is known."""
        ...

    async def save(self, key: bytes, text: str) -> None:
        """Keep an answer, in a transaction of its own."""
        ...


class CachedChat:
    """Answers from a cache what was answered before, and by one request what is asked several times at once.

    An answer belongs to the model's id, the messages, the schema and the parameters; how the schema was asked for does
    not matter. What was cut off is not kept, nor what does not fit. Who waits for another's request shares its failure.

    Args:
        inner: answers the rest.
        cache: bound to a scope.
        meter: counts the answers that cost nothing; questions of its partition are joined.
        flights: what is under way.
        model: the model's id.
        profile: the profile's name.
        purpose: who asks.
    """

    def __init__(
        self,
        inner: Answerer,
        cache: AnswerCache,
        meter: Meter,
        flights: Flights,
        *,
        model: str,
        profile: str,
        purpose: str,
    ) -> None:
        self._inner = inner
        self._cache = cache
        self._meter = meter
        self._flights = flights
        self._model = model
        self._profile = profile
        self._purpose = purpose

    async def answer(self, request: ChatRequest) -> ChatAnswer[Any]:
        """Answer a request; see `ChatModel.chat`."""
        key = answer_key(self._model, request)
        question = (self._meter.scope.partition, key, request.schema)
        answer, shared = await self._flights.join(question, lambda: self._answer(key, request))
        if shared:
            answer = _shared(answer)
        if answer.cached:
            self._count(answer)
            if request.on_text is not None:
                request.on_text(answer.text)
        return answer

    async def _answer(self, key: bytes, request: ChatRequest) -> ChatAnswer[Any]:
        known = await self._known(key, request.schema)
        if known is not None:
            return known
        answer = await self._inner.answer(request)
        if not answer.cut and answer.finish not in REFUSALS:
            await self._keep(key, answer.text)
        return answer

    async def _known(self, key: bytes, schema: type[BaseModel] | None) -> ChatAnswer[Any] | None:
        text = await self._cache.load(key)
        if text is None:
            return None
        reading = Reading() if schema is None else read(text, schema)
        if schema is not None and reading.value is None:
            return None
        return ChatAnswer(
            text=text,
            value=reading.value,
            dropped=reading.dropped,
            reasons=reading.faults if reading.dropped else (),
            calls=0,
            cached=True,
        )

    async def _keep(self, key: bytes, text: str) -> None:
        try:
            await self._cache.save(key, text)
        except StoreError as error:
            # The answer is good and paid for: what could not be kept is asked again some day.
            LOGGER.warning("an answer could not be cached: %s", error)

    def _count(self, known: ChatAnswer[Any]) -> None:
        self._meter.count(self._profile, self._purpose, Usage(cached_calls=1))
        note_call(
            profile=self._profile,
            model=self._model,
            purpose=self._purpose,
            prompt_tokens=0,
            completion_tokens=0,
            ms=0.0,
            finish=known.finish,
            repair=False,
            cached=True,
        )


def _shared(answer: ChatAnswer[Any]) -> ChatAnswer[Any]:
    """Return what another's request brought: it cost nothing here, and its value is nobody else's to change."""
    value = None if answer.value is None else answer.value.model_copy(deep=True)
    return dataclasses.replace(
        answer, value=value, calls=0, cached=True, estimated=False, prompt_tokens=0, completion_tokens=0
    )


def answer_key(model: str, request: ChatRequest) -> bytes:
    """Return what an answer is known by: 32 bytes.

    Args:
        model: the model's id.
        request: what is asked.
    """
    content = {
        "model": model,
        "messages": [dict(message) for message in request.messages],
        "schema": request.schema and request.schema.model_json_schema(),
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
    }
    text = json.dumps(content, sort_keys=True, default=repr)
    return hashlib.blake2b(text.encode("utf-8"), digest_size=32).digest()
