"""One store, one embedder: vectors of two embedders cannot be compared."""

from memu_py import _core
from memu_py.embedding.embedder import Embedder
from memu_py.errors import EmbedderMismatch
from memu_py.storage.store import Store
from memu_py.storage.upkeep import Fingerprint


class FingerprintGuard:
    """Compares what fills a store's indexes with what filled them so far, and records it at the first write."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder
        self._recorded: Fingerprint | None = None

    async def check(self) -> None:
        """Compare, as far as the embedder's dimension is known yet.

        Raises:
            EmbedderMismatch: another embedder or tokeniser filled the store.
        """
        recorded = await self._store.maintenance.fingerprint()
        if recorded is None:
            return
        dimension = self._embedder.dimension or recorded.dimension
        found = (recorded.embedder, recorded.dimension, recorded.tokenizer)
        ours = (self._embedder.id, dimension, _core.TOKENIZER_ID)
        if found != ours:
            msg = f"the store was filled by {_name(*found)}, and the configuration says {_name(*ours)}"
            raise EmbedderMismatch(msg, hint="go back to the former embedder, or run `memu reindex`")

    async def record(self, dimension: int) -> None:
        """Record what fills the store, once.

        Args:
            dimension: length of the vectors about to be written.

        Raises:
            EmbedderMismatch: another one is recorded.
        """
        ours = self.ours(dimension)
        if self._recorded != ours:
            await self._store.maintenance.set_fingerprint(ours)
            self._recorded = ours

    def ours(self, dimension: int) -> Fingerprint:
        """Return what would fill the store now."""
        return Fingerprint(embedder=self._embedder.id, dimension=dimension, tokenizer=_core.TOKENIZER_ID)

    def forget(self) -> None:
        """Look again at the next write: the store was filled anew."""
        self._recorded = None


def _name(embedder: str, dimension: int, tokenizer: str) -> str:
    return f"{embedder} ({dimension} dimensions, tokeniser {tokenizer})"
