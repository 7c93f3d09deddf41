"""The retrieve half of the service."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack

from memu_py.errors import ConfigError, InvalidInput
from memu_py.llm.factory import DEFAULT
from memu_py.nearest import unknown
from memu_py.records.page import Where
from memu_py.records.request import LAYERS, Layer, Method, RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.service.arguments import checks_arguments, utc
from memu_py.service.base import ServiceBase
from memu_py.service.granting import to_read
from memu_py.service.results import RetrieveResult
from memu_py.service.runtime import Progress
from memu_py.service.scopes import ScopeKeys
from memu_py.service.search import Search

RETRIEVE_RAG = "retrieve_rag"
RETRIEVE_LLM = "retrieve_llm"
METHODS = ("rag", "llm", "auto")
MAX_TOP_K = 1000


@checks_arguments
class RetrieveMixin(ServiceBase):
    """Find what is remembered."""

    async def retrieve(
        self,
        query: str | None = None,
        *,
        queries: Sequence[str] | None = None,
        method: Method | None = None,
        where: Where | None = None,
        top_k: int | None = None,
        min_score: float | None = None,
        layers: Sequence[Layer] | None = None,
        max_tokens: int | None = None,
        profile: str | None = None,
        now: datetime | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        recall: Sequence[str] | None = None,
        around: bool = True,
        rerank: bool = True,
        history: Sequence[Mapping[str, Any] | str] = (),
        progress: Progress | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> RetrieveResult:
        """Answer a question from memory.

        Args:
            query: the question.
            queries: several questions at once; a hit's relevance is its best over them.
            method: `rag` needs no model; `llm` has one read its way down and answer; `auto` does so only where the best
                hit of `rag` is below `retrieve.sufficient`; the configured one by default.
            where: conditions on items, such as `{"type": "event", "metadata.topic": "work"}`.
            top_k: hits of each layer at most; the configured number by default.
            min_score: leaves out hits below it; the configured one by default, 0 to see everything.
            layers: of `category`, `item`, `resource`.
            max_tokens: budget of the prompt block.
            profile: name of the scoring profile.
            now: the moment that ages count from; `as_of`, `known_at` or the clock's by default.
            as_of: a moment in the past: what was true then is found, also what has ended since, and nothing of later.
                Summaries of categories and passages tell of now, so there are none.
            known_at: a moment in the past: what was known then, as it was known; of what was deleted since nothing is
                found, and what has another text by now is found by that. See docs/history.md.
            recall: names of the recalls to ask, such as `["dense"]`; all of them by default.
            around: judge items together with what was said around them; False takes their own words alone.
            rerank: let the reranker have its say, where the workflow has one; False for milliseconds.
            history: the last messages of the conversation that the question belongs to, so that a model understands
                what "it" is; without a model nobody reads it.
            progress: called with each progress event.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Returns:
            Hits of each layer and a prompt block; falsy when nothing was found.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: the query is empty, or a number is out of range.
            InvalidFilter: an unknown field or operator in `where`.
            ConfigError: the method or profile is not configured.
            HistoryGone: the history does not reach back to `known_at`.
        """
        scope = self._scopes.make(**keys)
        request = self._request(
            queries=_queries(query, queries),
            where=where,
            top_k=top_k,
            min_score=min_score,
            layers=layers,
            max_tokens=max_tokens,
            profile=profile,
            now=now,
            recall=recall,
            around=around,
            rerank=rerank,
            as_of=as_of,
            known_at=known_at,
            history=_history(history),
        )
        wanted = _method(self._runtime.settings.retrieve.method if method is None else method)
        if wanted == "llm" and DEFAULT not in self._runtime.settings.llm:
            raise _no_model()
        return await self._retrieve(wanted, request, await to_read(self._runtime, scope), progress)

    async def search(
        self,
        query: str,
        *,
        where: Where | None = None,
        top_k: int | None = None,
        min_score: float | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> RetrieveResult:
        """Find items by meaning alone: cosine, no words, no time, no importance.

        Args:
            query: what to look for.
            where: as in `retrieve`.
            top_k: as in `retrieve`.
            min_score: as in `retrieve`.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: the query is empty, or a number is out of range.
        """
        scope = self._scopes.make(**keys)
        request = self._request(
            queries=_queries(query, None),
            where=where,
            top_k=top_k,
            min_score=min_score,
            layers=["item"],
            profile="similarity",
            recall=["dense"],
            around=False,
            rerank=False,
            ask_model=False,
        )
        return await self._retrieve("rag", request, await to_read(self._runtime, scope), None)

    def _request(
        self,
        *,
        queries: tuple[str, ...],
        where: Where | None,
        top_k: int | None,
        min_score: float | None,
        layers: Sequence[str] | None,
        profile: str | None,
        recall: Sequence[str] | None,
        max_tokens: int | None = None,
        now: datetime | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        history: tuple[str, ...] = (),
        **plain: Any,
    ) -> RetrieveRequest:
        """Check what was given; what was not is as configured."""
        settings = self._runtime.settings.retrieve
        # As what is stored: a number that is asked for is found by its mask, and no cache holds more.
        mask = self._runtime.masker.text
        then = None if as_of is None else utc("as_of", as_of)
        known = None if known_at is None else utc("known_at", known_at)
        return RetrieveRequest(
            queries=tuple(map(mask, queries)),
            history=tuple(map(mask, history)),
            now=utc("now", now or then or known or self._runtime.clock()),
            as_of=then,
            known_at=known,
            where=where,
            top_k=whole("top_k", settings.top_k if top_k is None else top_k, MAX_TOP_K),
            min_score=score(min_score),
            layers=_layers(layers if layers is not None else settings.layers),
            max_tokens=whole("max_tokens", settings.max_tokens if max_tokens is None else max_tokens),
            profile=self._profile(profile or settings.profile),
            recall=_names("recall", recall) if recall is not None else None,
            **plain,
        )

    async def _retrieve(
        self,
        method: str,
        request: RetrieveRequest,
        scope: Scope,
        progress: Progress | None,
        *,
        count: bool = True,
    ) -> RetrieveResult:
        """Run what the method asks for; `count` tells the counters what was read."""
        await self._runtime.open()
        resources = self._runtime.resources(scope)
        search = Search(self._runtime, request, scope, resources, progress)
        if method != "llm":
            await search.run(RETRIEVE_RAG)
        if method == "llm" or (method == "auto" and not self._is_enough(search.state)):
            await search.run(RETRIEVE_LLM)
        result = search.result()
        if count:
            await self._runtime.accesses.count(scope, [hit.record.id for hit in result.items])
        return result

    def _is_enough(self, state: Mapping[str, Any]) -> bool:
        """Tell whether `auto` needs no model: the best hit is good enough, or judged so; or there is none to ask."""
        best = max((hit.score for hit in state["found_items"]), default=0.0)
        settings = self._runtime.settings
        good = best >= settings.retrieve.sufficient or bool(state.get("sufficient"))
        return good or DEFAULT not in settings.llm

    def _profile(self, name: str) -> str:
        if name not in self._runtime.profiles:
            raise ConfigError(unknown("scoring profile", name, self._runtime.profiles))
        return name


def _queries(query: Any, queries: Sequence[str] | None) -> tuple[str, ...]:
    if (query is None) == (queries is None):
        msg = "give either `query` or `queries`"
        raise InvalidInput(msg)
    found = (query,) if query is not None else _names("queries", queries or ())
    if not all(isinstance(one, str) and one.strip() for one in found):
        msg = "a query is text with something in it"
        raise InvalidInput(msg)
    return found


def _names(name: str, values: Sequence[str]) -> tuple[str, ...]:
    if isinstance(values, str) or not values:
        msg = f"`{name}` is a list of at least one text"
        raise InvalidInput(msg)
    return tuple(values)


def _layers(layers: Sequence[str]) -> tuple[Layer, ...]:
    asked = _names("layers", layers)
    for layer in asked:
        if layer not in LAYERS:
            raise InvalidInput(unknown("layer", str(layer), LAYERS))
    return tuple(layer for layer in LAYERS if layer in asked)


def whole(name: str, value: Any, most: int | None = None) -> int:
    """Return a number of a call as it is.

    Raises:
        InvalidInput: it is no whole number from 1 to `most`.
    """
    if isinstance(value, int) and 1 <= value <= (most or value):
        return value
    msg = f"`{name}` is a whole number of at least 1{f' and at most {most}' if most else ''}, not {value!r}"
    raise InvalidInput(msg)


def score(value: Any) -> float | None:
    """Return the `min_score` of a call; None when it names none.

    Raises:
        InvalidInput: it is no number in [0, 1].
    """
    if value is None:
        return None
    if isinstance(value, int | float) and 0 <= value <= 1:
        return float(value)
    msg = f"`min_score` is a number from 0 to 1, not {value!r}"
    raise InvalidInput(msg)


def _method(method: str) -> str:
    if method not in METHODS:
        raise ConfigError(unknown("method", str(method), METHODS))
    return method


def _no_model() -> ConfigError:
    msg = 'method="llm" reads with a chat model, and llm.default is not configured'
    return ConfigError(msg, hint='set llm.default.model, or use method="rag"')


def _history(history: Sequence[Mapping[str, Any] | str]) -> tuple[str, ...]:
    """Return the turns of a conversation as lines."""
    turns: Sequence[Any] = history
    for one in turns:
        if not isinstance(one, str | Mapping):
            msg = f"`history` is a list of texts or messages, and {one!r} is neither"
            raise InvalidInput(msg)
    return tuple(
        one if isinstance(one, str) else f"{one.get('name') or one.get('role', '')}: {one.get('content', '')}"
        for one in history
    )
