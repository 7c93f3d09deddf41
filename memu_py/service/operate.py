"""What an operator does: flush, work, check, reindex."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Unpack

from memu_py.blobs.sweep import sweep
from memu_py.embedding.embedder import Matrix
from memu_py.llm.backend import ChatRequest
from memu_py.records.entity import names_by_key
from memu_py.records.item import Item
from memu_py.records.usage import UsageReport
from memu_py.reranking.scores import checked
from memu_py.service.base import ServiceBase
from memu_py.service.keeping import enqueue_idle
from memu_py.service.maintaining import enqueue_maintains
from memu_py.service.reflecting import enqueue_reflects
from memu_py.service.retrieve import whole
from memu_py.service.scanning import enqueue_scans
from memu_py.service.scopes import ScopeKeys
from memu_py.steps.stored import stored_items

REINDEX_PAGE = 256
USAGE_DAYS = 30
MAX_DAYS = 36_525
"""A hundred years: what a calendar can count back from any day."""
MAX_CONCURRENCY = 64
TRIAL_TOKENS = 16
"""Room for one word; servers that think first may use it up, and still have answered."""

Report = Callable[[int, int], None]


class OperateMixin(ServiceBase):
    """Work on the whole store, across scopes; it returns no memories."""

    async def flush(self) -> None:
        """Write the read counters that are still pending."""
        await self._runtime.open()
        await self._runtime.accesses.flush()

    async def work(self, *, once: bool = False, concurrency: int | None = None) -> int:
        """Do jobs, of everybody; among them the scans for what is due, which it writes down itself.

        Args:
            once: stop when nothing is due and nothing runs here any more; else it goes on until it is cancelled.
            concurrency: jobs at the same time; `jobs.workers` when left out.

        Returns:
            How many attempts came to their end.

        Raises:
            InvalidInput: `concurrency` is less than 1, or more than 64.
        """
        if concurrency is not None:
            whole("concurrency", concurrency, MAX_CONCURRENCY)
        workers = self._runtime.workers
        before = workers.ended
        # To open begins the work, where jobs wait.
        with workers.held_to(concurrency):
            await self._runtime.open()
            await (self._until_idle() if once else workers.for_ever())
        return workers.ended - before

    async def _until_idle(self) -> None:
        await enqueue_scans(self._runtime)
        await enqueue_maintains(self._runtime)
        await enqueue_reflects(self._runtime)
        await enqueue_idle(self._runtime)
        await self._runtime.workers.until_idle()

    async def integrity(self) -> list[str]:
        """Return one line for each thing that is wrong with the store or its originals; empty when all is sound."""
        await self._runtime.open()
        faults = await self._runtime.store.maintenance.integrity()
        present = set(await self._runtime.blobs.keys())
        used = await self._runtime.store.maintenance.blob_keys()
        return faults + [f"resource original {key} is missing" for key in sorted(used - present)]

    async def try_embedder(self) -> tuple[str, int]:
        """Embed one word, past all caches, and return the embedder's id and dimension.

        Raises:
            ModelError: it failed.
            MissingKey: it needs a key that is not set.
        """
        matrix = await self._runtime.embedder.embed(["memory"], kind="query")
        return self._runtime.embedder.id, matrix.shape[1]

    async def try_reranker(self) -> bool:
        """Let the reranker read one text, and return whether there is a reranker.

        Raises:
            ModelError: it failed.
        """
        if self._runtime.reranker is None:
            return False
        checked(await self._runtime.reranker.rerank("memory?", ["memory"]), 1)
        return True

    async def try_model(self, profile: str) -> str:
        """Let a chat model say one word, past cache, budget and usage, and return its id.

        Args:
            profile: its name under `llm`.

        Raises:
            ConfigError: there is no such profile.
            ModelError: it failed.
            MissingKey: it needs a key that is not set.
        """
        backend = self._runtime.chats.get(profile)
        hello = {"role": "user", "content": "Say: ok"}
        await backend.complete(ChatRequest(messages=(hello,), max_tokens=TRIAL_TOKENS))
        return backend.id

    async def usage(self, *, days: int = USAGE_DAYS, **keys: Unpack[ScopeKeys]) -> UsageReport:
        """Return what chat models cost, and what became of memories: of the whole user (or agent), whoever asked.

        Args:
            days: how many, today (UTC) included.
            **keys: whose: `user`, `agent`, `session`, `custom`; the last two do not narrow it.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: `days` is less than 1, or more than 36,525.
        """
        scope = self._scopes.make(**keys)
        whole("days", days, MAX_DAYS)
        await self._runtime.open()
        since = self._runtime.clock().date() - timedelta(days=days - 1)
        store = self._runtime.store
        memories = await store.foresight.use(scope.owner)
        return UsageReport.of(await store.usage.since(scope.owner, since), memories=memories)

    async def sweep(self) -> int:
        """Remove originals that no resource uses: left by runs that died between writing them and the commit.

        Returns:
            How many were removed.
        """
        await self._runtime.open()
        used = await self._runtime.store.maintenance.blob_keys()
        return await sweep(self._runtime.blobs, used, clock=self._runtime.clock)

    async def ready(self) -> None:
        """Ask whether the store can be worked with now.

        Raises:
            StoreError: it cannot be reached, or is of another version by now.
        """
        await self._runtime.open()
        await self._runtime.store.maintenance.ready()

    async def jobs_by_status(self) -> dict[str, int]:
        """Return how many jobs of everybody there are of each status that there is."""
        await self._runtime.open()
        return await self._runtime.store.maintenance.jobs_by_status()

    async def stats(self) -> dict[str, int]:
        """Return row counts by table, and the store's size in bytes where it is known."""
        await self._runtime.open()
        return await self._runtime.store.maintenance.stats()

    async def reindex(self, report: Report | None = None) -> int:
        """Embed and tokenise every item anew with the configured embedder.

        Cut off half-way, the store belongs to no embedder, and says so, until this is run again to its end.

        Args:
            report: called with (done, total) after each page.

        Returns:
            How many items there were.
        """
        store = self._runtime.store
        await self._runtime.connect()
        total = (await store.maintenance.stats()).get("items", 0)
        _, dimension = await self.try_embedder()
        await store.maintenance.begin_reindex(self._runtime.guard.ours(dimension))
        done, after = 0, None
        names: set[tuple[str, str]] = set()
        while items := await store.maintenance.scan_items(after, REINDEX_PAGE):
            matrix = await self._runtime.embedder.embed([item.text for item in items], kind="passage")
            named = await self._embed_names(items, names)
            await store.maintenance.replace_vectors(stored_items(items, list(matrix)), entity_vectors=named)
            done, after = done + len(items), items[-1].id
            if report is not None:
                report(done, total)
        await store.maintenance.finish_reindex(self._runtime.guard.ours(dimension))
        self._runtime.guard.forget()
        await self._runtime.index.close()
        return done

    async def _embed_names(self, items: Sequence[Item], done: set[tuple[str, str]]) -> dict[str, Matrix]:
        """Embed the names of items by key, those of a partition once; `done` grows by them."""
        wanted: dict[str, str] = {}
        for item in items:
            for key, name in names_by_key([item.entities]).items():
                if (item.scope.partition, key) not in done:
                    done.add((item.scope.partition, key))
                    wanted.setdefault(key, name)
        if not wanted:
            return {}
        matrix = await self._runtime.embedder.embed(list(wanted.values()), kind="passage")
        return dict(zip(wanted, matrix, strict=True))
