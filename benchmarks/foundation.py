"""How quick the foundation is: memorize, retrieve, open. Ratios are against a NumPy scan in the same run.

    python benchmarks/foundation.py [--sizes 1000,10000] [--messages 1000] [--record TITLE]

The scan multiplies the whole matrix of vectors with the question's and takes the ten largest, on one thread.
"""

import argparse
import asyncio
import dataclasses
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.record import record, table
from memu_py import MemoryService

SEED = 7
USER = "bench"
TOP_K = 10
ROUNDS = 50
CHUNK = 2000
SIZES = (1000, 10_000)
MESSAGES = 1000

NAMES = ("Ann", "Leo", "Rosa", "Tom", "Ines", "Otto", "Nadia", "Priya")
VERBS = ("bought", "repaired", "painted", "sold", "lost", "found", "borrowed", "planted", "cooked", "drew")
THINGS = ("bicycle", "kettle", "canoe", "ladder", "violin", "lamp", "tent", "cherry tree", "quilt", "radio")
PLACES = ("Leith", "Porto", "Graz", "Turku", "Ghent", "Siena", "Bergen", "Łódź", "Cork", "Split")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """What was measured at one size.

    Attributes:
        items: memories in the store.
        open_ms: making a service and opening its store, after imports.
        first_ms: the first question after opening, which loads the index and the embedder.
        asked_ms: a new question, at the median.
        p50_ms: a question whose vector is known, at the median.
        p95_ms: the same, the slowest of twenty.
        scan_ms: the NumPy scan, at the median.
    """

    items: int
    open_ms: float
    first_ms: float
    asked_ms: float
    p50_ms: float
    p95_ms: float
    scan_ms: float


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", type=_numbers, default=list(SIZES), help="items to retrieve from")
    parser.add_argument("--messages", type=int, default=MESSAGES, help="messages to memorize")
    parser.add_argument("--record", metavar="TITLE", help="append the figures to benchmarks/results")
    options = parser.parse_args()
    rate = asyncio.run(memorize_rate(options.messages))
    found = [asyncio.run(retrieve_times(size)) for size in options.sizes]
    tables = {f"memorize: {rate:.0f} items a second, {options.messages} messages at once": shown(found)}
    for heading, text in tables.items():
        print(f"{heading}\n\n{text}")
    if options.record is not None:
        data = {"memorize_items_per_s": rate, "retrieve": [dataclasses.asdict(one) for one in found]}
        record("foundation", title=options.record, tables=tables, data=data)
    return 0


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def sentences(count: int, seed: int = SEED) -> list[str]:
    """Return sentences that differ from one another."""
    pick = random.Random(seed)
    return [
        f"On {pick.choice(DAYS)} {pick.choice(NAMES)} {pick.choice(VERBS)} {thing} number {number} in "
        f"{pick.choice(PLACES)} together with {pick.choice(NAMES)}, for {pick.randint(2, 900)} euros."
        for number, thing in enumerate(pick.choices(THINGS, k=count))
    ]


def service_in(folder: Path) -> MemoryService:
    """Return a service with the packaged defaults and a database in a folder."""
    settings = MemoryService.from_config().settings
    database = settings.database.model_copy(update={"path": folder / "memu.db"})
    blobs = settings.blobs.model_copy(update={"root": folder / "blobs"})
    return MemoryService(settings.model_copy(update={"database": database, "blobs": blobs}))


async def memorize_rate(count: int) -> float:
    """Return memories a second, of a conversation that is memorized whole."""
    messages = [{"role": "user", "content": text} for text in sentences(count)]
    with tempfile.TemporaryDirectory(prefix="memu-bench-") as folder:
        async with service_in(Path(folder)) as service:
            await service.memorize(text="The first one pays for loading the model.", user="warm-up")
            started = time.perf_counter()
            result = await service.memorize(messages=messages, user=USER)
            return len(result.added) / (time.perf_counter() - started)


async def retrieve_times(size: int) -> Figures:
    """Fill a store with items and measure questions to it."""
    vectors = unit_vectors(size)
    questions = sentences(ROUNDS, seed=SEED + 1)
    with tempfile.TemporaryDirectory(prefix="memu-bench-") as folder:
        async with service_in(Path(folder)) as service:
            await fill(service, vectors)
        started = time.perf_counter()
        service = service_in(Path(folder))
        await service.open()
        opened = 1000 * (time.perf_counter() - started)
        try:
            first = await timed([questions[0]], lambda text: question(service, text))
            asked = await timed(questions[1:], lambda text: question(service, text))
            again = await timed(questions[1:], lambda text: question(service, text))
        finally:
            await service.close()
    return Figures(
        items=size,
        open_ms=opened,
        first_ms=first[0],
        asked_ms=statistics.median(asked),
        p50_ms=statistics.median(again),
        p95_ms=statistics.quantiles(again, n=20)[-1],
        scan_ms=scan_time(vectors),
    )


def unit_vectors(count: int, dimension: int = 512) -> NDArray[np.float32]:
    """Return random vectors of length 1, (count, dimension)."""
    vectors = np.random.default_rng(SEED).normal(size=(count, dimension)).astype(np.float32)
    scaled: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return scaled


async def fill(service: MemoryService, vectors: NDArray[np.float32]) -> None:
    """Store as many items as there are vectors."""
    texts = sentences(len(vectors))
    for start in range(0, len(texts), CHUNK):
        part = slice(start, start + CHUNK)
        await service.create_items(texts[part], vectors=vectors[part], dedupe="exact", user=USER)


async def question(service: MemoryService, text: str) -> Any:
    """Ask for the ten best items."""
    return await service.retrieve(text, user=USER, top_k=TOP_K, layers=["item"], min_score=0.0)


async def timed(texts: Sequence[str], ask: Callable[[str], Awaitable[Any]]) -> list[float]:
    """Return how long each question took, in milliseconds."""
    times = []
    for text in texts:
        started = time.perf_counter()
        await ask(text)
        times.append(1000 * (time.perf_counter() - started))
    return times


def scan_time(vectors: NDArray[np.float32]) -> float:
    """Return the median time of the NumPy scan, in milliseconds."""
    times = []
    with threadpool_limits(limits=1):
        for number in range(ROUNDS):
            started = time.perf_counter()
            scan(vectors, vectors[number % len(vectors)])
            times.append(1000 * (time.perf_counter() - started))
    return statistics.median(times)


def scan(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.intp]:
    """Return the rows of the ten largest products, best first."""
    return largest(vectors @ query)


def largest(scores: NDArray[Any]) -> NDArray[np.intp]:
    """Return the places of the ten largest, best first."""
    best = np.argpartition(-scores, TOP_K)[:TOP_K]
    return best[np.argsort(-scores[best], kind="stable")]


def shown(found: Sequence[Figures]) -> str:
    """Return the figures as a table; each time of a question is followed by its ratio to the scan."""
    header = ["items", "open ms", "first question ms", "new question ms", "p50 ms", "p95 ms", "scan ms"]
    rows = [
        [
            str(one.items),
            f"{one.open_ms:.1f}",
            f"{one.first_ms:.1f}",
            *(f"{ms:.2f} ({ms / one.scan_ms:.1f} ×)" for ms in (one.asked_ms, one.p50_ms, one.p95_ms)),
            f"{one.scan_ms:.2f}",
        ]
        for one in found
    ]
    return table(header, rows)


if __name__ == "__main__":
    sys.exit(main())
