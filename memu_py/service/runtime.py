"""What a service runs on: store, blobs, indexes, embedder, workflows; their life cycle."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memu_py.blobs.store import BlobStore
from memu_py.config.settings import Settings
from memu_py.embedding.cache import CachedEmbedder, QueryCache
from memu_py.embedding.embedder import Embedder
from memu_py.embedding.recent import RecentVectors
from memu_py.errors import StoreError
from memu_py.features.privacy import Masker
from memu_py.importers.importer import Importer
from memu_py.index.accesses import AccessCounter
from memu_py.index.cache import IndexCache
from memu_py.jobs.worker import Workers
from memu_py.llm.factory import ChatBackends
from memu_py.llm.meter import HeldTokens, Meter
from memu_py.llm.scoped import ScopedChats
from memu_py.modality.detect import AnyParser
from memu_py.modality.media import Transcriber
from memu_py.modality.source import WebReader
from memu_py.records.batch import Vector
from memu_py.records.job import Lease
from memu_py.records.scope import Scope
from memu_py.records.usage import UsageRow
from memu_py.reranking.reranker import Reranker
from memu_py.scoring.profiles import Profile
from memu_py.steps.fingerprint import FingerprintGuard
from memu_py.steps.locks import PartitionLocks
from memu_py.steps.reads import FreshReads
from memu_py.steps.resources import MemoryResources
from memu_py.storage.models import AnswerStore, EmbeddingCache
from memu_py.storage.store import Store
from memu_py.transcription.kept import keeping
from memu_py.workflow.book import WorkflowBook
from memu_py.workflow.cancellation import Cancellation
from memu_py.workflow.context import ProgressEvent
from memu_py.workflow.interceptor import Call, Interceptor, intercept
from memu_py.workflow.registry import Registry
from memu_py.workflow.runner import LocalRunner, RunResult

LOGGER = logging.getLogger("memu_py.service")

RUN = "run"
"""The kind of the calls that interceptors see around a whole workflow."""

Clock = Callable[[], datetime]
Progress = Callable[[ProgressEvent], None]
Accountant = Callable[[Sequence[UsageRow]], None]
"""Is told what models cost."""


def utc_now() -> datetime:
    """Return the present moment, UTC."""
    return datetime.now(UTC)


class ScopedCache:
    """A cache of embeddings, bound to a scope."""

    def __init__(self, cache: EmbeddingCache, scope: Scope) -> None:
        self._cache = cache
        self._scope = scope

    async def load(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        """Return the known vectors by key."""
        return await self._cache.load(self._scope, keys)

    async def save(self, vectors: Mapping[bytes, Vector]) -> None:
        """Keep vectors."""
        await self._cache.save(self._scope, vectors)


class ScopedAnswers:
    """The store's cache of answers and transcripts, bound to a scope."""

    def __init__(self, answers: AnswerStore, scope: Scope, masker: Masker) -> None:
        self._answers = answers
        self._scope = scope
        self._masker = masker

    async def load(self, key: bytes) -> str | None:
        """Return an answer, if it is known."""
        return await self._answers.load(self._scope, key)

    async def save(self, key: bytes, text: str) -> None:
        """Keep an answer; one that holds what may not be stored is asked for again some day."""
        if self._masker.find(text):
            return
        await self._answers.save(self._scope, key, text)


class Runtime:
    """Owns the parts; opens and closes them."""

    def __init__(
        self,
        *,
        settings: Settings,
        registry: Registry,
        workflows: WorkflowBook,
        store: Store,
        talks: Store | None = None,
        blobs: BlobStore,
        embedder: Embedder,
        reranker: Reranker | None,
        chats: ChatBackends,
        parsers: Mapping[str, AnyParser],
        importers: Mapping[str, Importer],
        transcriber: Transcriber | None,
        profiles: Mapping[str, Profile],
        runner: LocalRunner[MemoryResources],
        clock: Clock,
        web: WebReader | None = None,
    ) -> None:
        self.settings = settings
        self.registry = registry
        self.workflows = workflows
        self.store = store
        self.talks = talks
        self.conversations = (talks or store).conversations
        self.blobs = blobs
        self.embedder = embedder
        self.reranker = reranker
        self.chats = chats
        self.parsers = parsers
        self.importers = importers
        self.transcriber = transcriber
        self.profiles = profiles
        self.web = web
        self.clock = clock
        self.index = IndexCache(
            store,
            budget_bytes=settings.index.memory_mb * 1024 * 1024,
            neighbours=settings.retrieve.neighbours,
            snapshot_from=settings.index.snapshot_from,
        )
        self.masker = Masker(settings.privacy)
        self.workers = Workers(store.jobs, settings.jobs, clock=clock, fleet=store.fleet)
        self.accesses = AccessCounter(store, clock)
        self.guard = FingerprintGuard(store, embedder)
        self.reads = FreshReads(store)
        self.originals = PartitionLocks()
        self.summaries = PartitionLocks()
        self._runner = runner
        self._interceptors: list[Interceptor] = []
        self._accountants: list[Accountant] = []
        self._held = HeldTokens()
        self._queries = QueryCache(settings.embedding.query_cache)
        quick = getattr(self.embedder, "quick", False)
        self._passages = RecentVectors() if quick else self.store.cache
        self._opening = asyncio.Lock()
        self._opened = False
        self._closed = False

    async def open(self) -> None:
        """Open the store once, and drop history that is to be kept no longer; every call of the service begins here.

        Raises:
            StoreError: the database cannot be opened, or belongs to another version or embedder; or the service is
                closed.
        """
        if self._opened:
            return
        async with self._opening:
            await self.connect()
            if not self._opened:
                await self.guard.check()
                await self.store.maintenance.prune_changes()
                await self.store.maintenance.prune_answers()
                self._opened = True
                await self.workers.start_if_due()

    async def connect(self) -> None:
        """Open the store whatever filled it.

        Raises:
            StoreError: the database cannot be opened, or the service is closed.
        """
        if self._closed:
            msg = "this service is closed"
            raise StoreError(
                msg, hint="make a new one; `for_user` views close with the service they came from"
            )
        await self.store.open()
        if self.talks is not None:
            await self.talks.open()

    async def close(self) -> None:
        """Write what is pending and let go of everything, whatever of it fails; idempotent."""
        async with self._opening, contextlib.AsyncExitStack() as parts:
            held = (
                self.blobs,
                self.store,
                self.talks,
                self.embedder,
                self.reranker,
                self.chats,
                self.transcriber,
                self.index,
                self.workflows,
                self.web,
            )
            for part in held:
                if part is not None:
                    parts.push_async_callback(part.close)
            if self._opened:
                parts.push_async_callback(self.accesses.flush)
                parts.push_async_callback(self.workers.close)
            self._opened, self._closed = False, True

    def resources(self, scope: Scope, *, lease: Lease | None = None) -> MemoryResources:
        """Return what one run in a scope works with.

        Args:
            scope: whose memory.
            lease: of the job that the run is for.
        """
        answers = ScopedAnswers(self.store.answers, scope, self.masker)
        return MemoryResources(
            settings=self.settings,
            store=self.store,
            conversations=self.conversations,
            blobs=self.blobs,
            index=self.index,
            embedder=CachedEmbedder(self.embedder, ScopedCache(self._passages, scope), self._queries),
            calibration=self.embedder.calibration,
            reranker=self.reranker,
            guard=self.guard,
            reads=self.reads,
            originals=self.originals,
            summaries=self.summaries,
            lease=lease,
            clock=self.clock,
            parsers=self.parsers,
            importers=self.importers,
            transcriber=None if self.transcriber is None else keeping(self.transcriber, answers),
            profiles=self.profiles,
            web=self.web,
            masker=self.masker,
            chats=ScopedChats(
                self.settings,
                self.chats,
                cache=answers,
                meter=self._meter(scope),
                interceptors=self._interceptors,
            ),
        )

    def _meter(self, scope: Scope) -> Meter:
        return Meter(
            scope,
            budget=self.settings.budget,
            held=self._held,
            spent_on=lambda day: self.store.usage.tokens(scope.owner, day),
            clock=self.clock,
        )

    async def settle(self, resources: MemoryResources) -> None:
        """Store what models cost since the last time; a failure is logged, since what was paid for is done.

        Args:
            resources: what a run, or a call without one, worked with.
        """
        meter = resources.chats.meter
        rows = meter.take()
        if not rows:
            return
        for tell in self._accountants:
            tell(rows)
        try:
            await self.store.usage.add(meter.scope.owner, rows)
        except StoreError as error:
            LOGGER.warning("the usage of models could not be stored: %s", error)
        else:
            meter.stored(rows)

    async def run(
        self,
        workflow: str,
        state: Mapping[str, Any],
        resources: MemoryResources,
        *,
        run_id: str | None = None,
        progress: Progress | None = None,
        cancel: Cancellation | None = None,
    ) -> RunResult:
        """Run a workflow's newest revision to its end; what its models cost is stored, however it ends.

        Args:
            workflow: its name.
            state: its inputs.
            resources: what it works with.
            run_id: handed on to the steps.
            progress: told of every step.
            cancel: lets somebody else stop it.
        """
        pipeline, interceptors = self.workflows[workflow].pipeline, tuple(self._interceptors)

        async def run(_: Call) -> RunResult:
            return await self._runner.run(
                pipeline,
                state,
                resources,
                run_id=run_id,
                clock=self.clock,
                progress=progress,
                cancel=cancel,
                interceptors=interceptors,
            )

        try:
            return await intercept(Call(kind=RUN, name=workflow), interceptors, run)
        finally:
            # Shielded: a run that is cancelled has cost what it has cost.
            await asyncio.shield(self.settle(resources))

    def intercept(self, interceptor: Interceptor) -> None:
        """Add an interceptor around the steps and model calls of later runs."""
        self._interceptors.append(interceptor)

    def account(self, accountant: Accountant) -> None:
        """Have somebody told what models cost, whenever it is stored."""
        self._accountants.append(accountant)
