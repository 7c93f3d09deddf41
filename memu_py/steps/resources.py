"""What the built-in steps work with: everything a run may touch, bound to one scope."""

import asyncio
import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, tzinfo

from memu_py.blobs.store import BlobStore
from memu_py.config.settings import Settings
from memu_py.embedding.cache import CachedEmbedder
from memu_py.embedding.embedder import Calibration, Matrix
from memu_py.errors import ConfigError
from memu_py.features.privacy import Masker
from memu_py.importers.importer import Importer
from memu_py.index.cache import IndexCache
from memu_py.language.tongue import language_of
from memu_py.language.zones import zone
from memu_py.llm.chat import ChatModel
from memu_py.llm.factory import DEFAULT
from memu_py.llm.scoped import ScopedChats
from memu_py.modality.detect import AnyParser
from memu_py.modality.media import MediaTools, Report, Transcriber, Vision
from memu_py.modality.source import WebReader
from memu_py.prompts.prompt import Prompt, load_prompt
from memu_py.records.entity import names_by_key
from memu_py.records.item import Item
from memu_py.records.job import Lease
from memu_py.records.page import Where
from memu_py.records.request import RetrieveRequest
from memu_py.records.resource import Resource
from memu_py.records.scope import Scope
from memu_py.records.usage import Usage
from memu_py.reranking.factory import UNSET
from memu_py.reranking.reranker import Reranker, Scores
from memu_py.reranking.scores import checked
from memu_py.scoring.profiles import Profile
from memu_py.steps.fingerprint import FingerprintGuard
from memu_py.steps.known import Known
from memu_py.steps.locks import PartitionLocks
from memu_py.steps.looking import LookingModel
from memu_py.steps.names import KeptNames, Names, SearchedNames
from memu_py.steps.originals import read_blob
from memu_py.steps.reads import FreshReads
from memu_py.steps.searched_view import SearchedView
from memu_py.steps.view import MemoryView, View
from memu_py.storage.kept import KeptConversations
from memu_py.storage.plain import clean_text, to_micros
from memu_py.storage.search import Sight
from memu_py.storage.settings import utc_now
from memu_py.storage.store import Store


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class MemoryResources:
    """The outside of a run.

    Attributes:
        settings: the whole configuration.
        store: the database.
        conversations: those that are kept, in it or in a database of their own.
        blobs: the originals.
        index: in-process indexes by partition.
        embedder: with its cache, bound to the scope of the run.
        calibration: how the embedder's cosines are read.
        reranker: reads questions and texts together; None when none is configured.
        parsers: by modality.
        importers: by the program whose exports they read.
        profiles: scoring profiles by name.
        guard: sees that one embedder fills the store.
        reads: records of the store, answered from memory while nothing is committed.
        originals: held while originals are written or removed.
        summaries: held while a model writes summaries, so that it reads what came meanwhile once.
        masker: takes sensitive data out of what is to be stored.
        chats: chat models by profile, bound to the scope of the run.
        transcriber: turns speech into text; None when none is configured.
        web: reads addresses on the network; None when that is not enabled.
        lease: of the job that the run is for, if it is for one.
        clock: gives the present moment: what has expired by then is not seen.
        views: what this run has looked at already.
        known: what it has looked at of what was known at other moments.
        looking: held while a view is made: steps side by side must see the same one.
    """

    settings: Settings
    store: Store
    conversations: KeptConversations
    blobs: BlobStore
    index: IndexCache
    embedder: CachedEmbedder
    calibration: Calibration
    reranker: Reranker | None
    parsers: Mapping[str, AnyParser]
    importers: Mapping[str, Importer]
    profiles: Mapping[str, Profile]
    guard: FingerprintGuard
    reads: FreshReads
    originals: PartitionLocks
    summaries: PartitionLocks
    masker: Masker
    chats: ScopedChats
    transcriber: Transcriber | None = None
    web: WebReader | None = None
    lease: Lease | None = None
    clock: Callable[[], datetime] = utc_now
    views: dict[str, View] = dataclasses.field(default_factory=dict)
    known: dict[str, Known] = dataclasses.field(default_factory=dict)
    looking: asyncio.Lock = dataclasses.field(default_factory=asyncio.Lock)

    async def asked(self, scope: Scope, request: RetrieveRequest) -> View:
        """Return what a question may see; see `view`."""
        return await self.view(scope, request.where, request.as_of, request.known_at)

    async def view(
        self,
        scope: Scope,
        where: Where | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> View:
        """Return what the scope and a filter show of the partition: items that still hold.

        All steps of a run see the same view. With `as_of` it shows what was true at that moment, with `known_at` what
        was known, as far as it is there now.

        Raises:
            InvalidFilter: the filter is not usable.
            HistoryGone: the log does not reach back to `known_at`.
        """
        key = repr((scope, where, as_of, known_at))
        async with self.looking:
            if key not in self.views:
                known = None if known_at is None else await self._known(scope, known_at, as_of)
                self.views[key] = await self._view(scope, where, as_of, known)
        return self.views[key]

    async def _known(self, scope: Scope, known_at: datetime, as_of: datetime | None) -> Known:
        then = await self.store.past.known(scope, known_at)
        self.known[repr((scope, known_at))] = found = Known(then=then, as_of=as_of)
        return found

    def as_known(
        self, scope: Scope, request: RetrieveRequest, found: Mapping[str, Item]
    ) -> Mapping[str, Item]:
        """Return items that a view showed with the fields that they had when it was known."""
        known = self.known.get(repr((scope, request.known_at)))
        return found if known is None else known.records(found)

    async def _view(
        self, scope: Scope, where: Where | None, as_of: datetime | None, known: Known | None
    ) -> View:
        if self.store.search is not None:
            return SearchedView(
                search=self.store.search,
                sight=Sight(
                    scope=scope,
                    where=where,
                    as_of=as_of,
                    hidden=known.changed if known else (),
                    shown=known.shown if known else (),
                ),
                calibration=self.calibration,
                neighbours=self.settings.retrieve.neighbours,
            )
        partition = await self.index.get(scope)
        moment = to_micros(self.clock() if as_of is None else as_of)
        mask = partition.live_mask(moment) if as_of is None else partition.true_mask(moment)
        if known is not None:
            mask = (mask & ~partition.mask_of(known.changed)) | partition.mask_of(known.shown)
        if where or scope.attributes:
            mask = mask & partition.mask_of(await self.store.items.ids(scope, where))
        return MemoryView(index=partition, mask=mask, calibration=self.calibration)

    async def original(self, resource: Resource) -> bytes:
        """Return the original of a stored resource; see `read_blob`."""
        return await read_blob(resource, store=self.store, blobs=self.blobs)

    def names(self, scope: Scope) -> Names:
        """Return the names that the partition's items carry."""
        if self.store.search is not None:
            return SearchedNames(search=self.store.search, scope=scope)
        return KeptNames(index=self.index, scope=scope)

    async def embed_names(self, named: Iterable[Iterable[str]]) -> dict[str, Matrix]:
        """Embed the names that items carry, each once: (d,) by `entity_key`; none costs nothing.

        Args:
            named: the names of each item.
        """
        names = names_by_key(map(clean_text, one) for one in named if one)
        if not names:
            return {}
        return dict(zip(names, await self.embed_passages(list(names.values())), strict=True))

    async def embed_queries(self, queries: Sequence[str]) -> Matrix:
        """Embed questions: (len(queries), d)."""
        return await self.embedder.embed(queries, kind="query")

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Embed what is to be searched: (len(texts), d)."""
        return await self.embedder.embed(texts, kind="passage")

    async def rerank(self, query: str, texts: Sequence[str]) -> Scores:
        """Tell how well texts answer a question: (len(texts),) in [0, 1].

        Raises:
            ConfigError: no reranker is configured.
            ModelError: it fails, or gives something else.
        """
        if self.reranker is None:
            raise ConfigError(UNSET)
        return checked(await self.reranker.rerank(query, texts), len(texts))

    def chat(self, profile: str = DEFAULT, *, purpose: str) -> ChatModel:
        """Return a chat model: cached, counted and kept to the budget of the scope, with interceptors around it.

        Args:
            profile: its name under `llm`.
            purpose: who asks, such as the name of a step (`ctx.step`); usage is counted by it.

        Raises:
            ConfigError: there is no such profile; says what to configure.
        """
        return self.chats.chat(profile, purpose=purpose)

    def has_model(self, profile: str = DEFAULT) -> bool:
        """Return whether a model profile is configured."""
        return self.chats.has(profile)

    def prompt(self, task: str, text: str) -> Prompt:
        """Return what a model is told: the user's own prompt of a task, else the packaged one.

        Args:
            task: its name, such as `extract`.
            text: that it is about; its language is the prompt's.

        Raises:
            ConfigError: the user's own cannot be read, or is no prompt.
        """
        return load_prompt(task, language=language_of(text), path=self.settings.prompts.get(task))

    def media_tools(self, *, report: Report, check: Callable[[], None], purpose: str) -> MediaTools:
        """Return what media are read with.

        Args:
            report: told how far a long reading is.
            check: raises `Cancelled` when the run is to stop.
            purpose: who asks models, such as the name of a step; usage is counted by it.
        """
        return MediaTools(
            settings=self.settings,
            transcriber=self.transcriber,
            vision=self._vision(purpose),
            report=report,
            check=check,
        )

    def _vision(self, purpose: str) -> Vision | None:
        profile = self.settings.images.profile
        if profile is None:
            return None
        return LookingModel(model=functools.partial(self.chat, profile, purpose=purpose), prompt=self.prompt)

    def zone(self, scope: Scope, named: str | None = None) -> tzinfo:
        """Return the time zone of a call: the named one, else the user's."""
        return zone(named or self.settings.timezone_of(scope.user))

    def profile(self, name: str) -> Profile:
        """Return a scoring profile; the service has checked that it exists."""
        return self.profiles[name]

    def min_score(self, request: RetrieveRequest) -> float:
        """Return the score below which nothing is returned: the request's, else the configured one."""
        if request.min_score is not None:
            return request.min_score
        return self.settings.retrieve.min_score

    def usage(self) -> Usage:
        """Return what the run has cost so far."""
        embedded = Usage(embedded_texts=self.embedder.embedded, cached_texts=self.embedder.cached)
        return self.chats.meter.total + embedded
