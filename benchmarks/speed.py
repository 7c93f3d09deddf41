"""How quick it is, side by side with NumPy in the same run.

    python benchmarks/speed.py [--quick | --large] [--threads 1] [--json FILE] [--record TITLE]

Kernels at 100 000 x 384 against a scan by NumPy; whole `retrieve` calls whose question vector is known, at several
sizes, as ratios to a scan of the same size; bulk ingest with given vectors; memory an item; a store opened and asked;
fifty questions at once; many users. `--quick` stops at 10 000 items. Both sides have `--threads` threads. Times are
medians in milliseconds.
"""

import argparse
import asyncio
import dataclasses
import gc
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.foundation import TOP_K, fill, largest, question, scan, sentences, service_in, unit_vectors
from benchmarks.record import record, table
from memu_py import MemoryService, _core

Vectors = NDArray[np.float32]
T = TypeVar("T")

MARK = "MEMU_SPEED_THREADS"
THREAD_VARIABLES = ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
SIZES, QUICK_SIZES, LARGE_SIZE = (1000, 10_000, 100_000), (1000, 10_000), 1_000_000
USERS, USER_ITEMS = 1000, 100
KERNEL_ROWS, KERNEL_DIM = 100_000, 384
ROUNDS = 30
AT_ONCE = 50
SEED = 11
CALIBRATION = (0.05, 0.8)
HALF_LIFE_DAYS = 30.0
WEIGHTS = (0.15, 0.1, 0.0, 0.0)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Store:
    """What was measured at one size.

    Attributes:
        items: in one scope.
        ingest: items a second, with given vectors.
        made_ms: opening and the first answer, after imports, the question's vector known, where the index is made
            from rows.
        first_ms: the same where it is mapped from its file.
        p50_ms: a question whose hits have not been read before.
        again_ms: the same questions again.
        p95_at_once_ms: each of fifty questions asked at once, the slowest of twenty.
        scan_ms: the scan by NumPy.
        bytes_per_item: growth of a process that opens the store and asks once: memory of its own (anonymous).
        disk_per_item: bytes of the database's files, the index file apart.
        ingest_growth: of the process while it ingests, bytes an item, the caller's vectors apart.
    """

    items: int
    ingest: float
    made_ms: float
    first_ms: float
    p50_ms: float
    again_ms: float
    p95_at_once_ms: float
    scan_ms: float
    bytes_per_item: float
    disk_per_item: float
    ingest_growth: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark, in a process whose libraries were told how many threads to use."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="no more than 10 000 items")
    parser.add_argument("--large", action="store_true", help="1 000 000 items, too: some 5 GB on disk")
    parser.add_argument("--threads", type=int, default=1, help="of each side")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    parser.add_argument("--record", metavar="TITLE", help="append the figures to benchmarks/results")
    options = parser.parse_args(arguments)
    if MARK not in os.environ:
        variables = {name: str(options.threads) for name in (MARK, *THREAD_VARIABLES)}
        command = [sys.executable, __file__, *(sys.argv[1:] if arguments is None else arguments)]
        return subprocess.run(command, env=os.environ | variables, check=False).returncode
    ratios, kernels = kernel_times()
    sizes = QUICK_SIZES if options.quick else SIZES
    stores = [store_of(size) for size in (*sizes, LARGE_SIZE) if size != LARGE_SIZE or options.large]
    users = alone(many_users)
    tables = {
        f"kernels, {KERNEL_ROWS} x {KERNEL_DIM}, {options.threads} thread(s)": kernels,
        f"stores, {options.threads} thread(s)": shown(stores),
        f"{USERS} users of {USER_ITEMS} items": table(
            ["first question ms", "later ms"], [[f"{users['first']:.2f}", f"{users['later']:.2f}"]]
        ),
    }
    for heading, text in tables.items():
        print(f"\n{heading}\n\n{text}")
    data = plain(ratios, stores) | {"many_users_ms": users}
    if options.json is not None:
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    if options.record is not None:
        record("speed", title=options.record, tables=tables, data=data)
    return 0


# Kernels


def kernel_times() -> tuple[dict[str, float], str]:
    """Return ratios by name, and a table."""
    vectors = unit_vectors(KERNEL_ROWS, KERNEL_DIM)
    query = vectors[5].copy()
    by_bytes = scan_by_bytes(vectors, query)
    ranked, ranked_by_numpy = ranked_scans(vectors, query)
    assert by_bytes()[0].tolist() == scan(vectors, query).tolist()
    assert ranked()[0].tolist() == ranked_by_numpy().tolist()
    times = {
        "NumPy, float32": median_ms(lambda: scan(vectors, query)),
        "exact, float32": median_ms(lambda: _core.cosine_top_k(vectors, query, TOP_K)),
        "exact, bytes first": median_ms(by_bytes),
        "NumPy, three factors": median_ms(ranked_by_numpy),
        "three factors": median_ms(ranked),
    }
    ratios = {
        "cosine_top10_100k_vs_numpy": times["NumPy, float32"] / times["exact, bytes first"],
        "three_factor_top10_100k_vs_numpy": times["NumPy, three factors"] / times["three factors"],
    }
    rows = [[name, f"{ms:.2f}", f"{times['NumPy, float32'] / ms:.2f}"] for name, ms in times.items()]
    return ratios, table(["kernel", "ms", "times as fast as NumPy's scan"], rows)


def scan_by_bytes(vectors: Vectors, query: Vectors) -> Callable[[], Any]:
    """Return the exact scan that reads bytes first."""
    codes, scales, errors = quantized(vectors)
    everything, alone = np.ones(KERNEL_ROWS, dtype=np.bool_), np.ones(KERNEL_ROWS, dtype=np.float32)
    return lambda: _core.joined_top_k(vectors, codes, scales, errors, query, TOP_K, everything, alone)


def quantized(vectors: Vectors) -> tuple[NDArray[np.int8], Vectors, Vectors]:
    """Return vectors as bytes, in memory of NumPy's, as an index holds them."""
    codes, scales, errors = _core.quantize(vectors)
    return codes.copy(), scales, errors


def ranked_scans(
    vectors: Vectors, query: Vectors
) -> tuple[Callable[[], Any], Callable[[], NDArray[np.intp]]]:
    """Return the same search by the three-factor profile twice: ours, and by NumPy."""
    parts = quantized(vectors)
    rng = np.random.default_rng(SEED)
    ages = rng.uniform(0, 400, KERNEL_ROWS)
    importance = rng.uniform(1, 10, KERNEL_ROWS).astype(np.float32)
    arousal = rng.random(KERNEL_ROWS).astype(np.float32)
    mentions = rng.integers(1, 9, KERNEL_ROWS).astype(np.uint32)

    def ranked() -> Any:
        return _core.cosine_rank_top_k(
            vectors,
            query,
            ages,
            importance,
            arousal,
            mentions,
            mentions,
            calibration=CALIBRATION,
            weights=WEIGHTS,
            half_life_days=HALF_LIFE_DAYS,
            mentions_cap=10,
            k=TOP_K,
            quantized=parts,
        )

    def ranked_by_numpy() -> NDArray[np.intp]:
        low, high = CALIBRATION
        relevance = np.clip((vectors @ query - low) / (high - low), 0, 1)
        recency = np.exp2(-ages / (HALF_LIFE_DAYS * (1 + 0.5 * arousal)))
        weight, other = WEIGHTS[:2]
        factors = (1 - weight + weight * recency) * (1 - other + other * (importance - 1) / 9)
        return largest(relevance * factors)

    return ranked, ranked_by_numpy


def median_ms(work: Callable[[], Any]) -> float:
    """Return how long something takes."""
    work()
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - started))
    return statistics.median(times)


# Stores; each figure comes from a process of its own, whose memory nobody has used before


def alone(work: Callable[..., T], *arguments: Any) -> T:
    """Run something in a new process."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def store_of(size: int) -> Store:
    """Fill a store, open it twice, and ask it."""
    with tempfile.TemporaryDirectory(prefix="memu-speed-") as folder:
        ingest, growth = alone(filled, folder, size)
        disk = on_disk(Path(folder))
        made = alone(opened, folder)[0]
        first, grown = alone(opened, folder)
        asked = alone(asked_often, folder, size)
        return Store(
            items=size,
            ingest=ingest,
            made_ms=made,
            first_ms=first,
            bytes_per_item=grown / size,
            disk_per_item=disk / size,
            ingest_growth=growth / size,
            **asked,
        )


def filled(folder: str, size: int) -> tuple[float, int]:
    """Fill a store with given vectors; returns items a second, and the bytes by which the process grew."""

    async def run() -> tuple[float, int]:
        vectors = unit_vectors(size)
        async with service_in(Path(folder)) as service:
            idle = resident()
            started = time.perf_counter()
            await fill(service, vectors)
            return size / (time.perf_counter() - started), resident() - idle

    return asyncio.run(run())


def on_disk(folder: Path) -> int:
    """Return the bytes of the database's files."""
    return sum(file.stat().st_size for file in folder.glob("memu.db*") if file.is_file())


def opened(folder: str) -> tuple[float, int]:
    """Open a store and ask it once; returns milliseconds, after imports, and the bytes by which the process grew."""

    async def run() -> tuple[float, int]:
        (text,) = sentences(1, seed=SEED)
        async with service_in(Path(folder)) as service:
            await know(service, [text])
            gc.collect()
            before = resident()
            started = time.perf_counter()
            await question(service, text)
            return 1000 * (time.perf_counter() - started), resident() - before

    return asyncio.run(run())


def asked_often(folder: str, size: int) -> dict[str, float]:
    """Ask a store whose index is in memory; returns fields of `Store`."""

    async def run() -> dict[str, float]:
        texts = sentences(2 * ROUNDS + AT_ONCE, seed=SEED)
        async with service_in(Path(folder)) as service:
            await know(service, texts)
            await question(service, texts[0])
            new = [await asked(service, text) for text in texts[1:ROUNDS]]
            again = [await asked(service, text) for text in texts[1:ROUNDS]]
            at_once = await asyncio.gather(*(asked(service, text) for text in texts[-AT_ONCE:]))
        vectors = unit_vectors(size)
        return {
            "p50_ms": statistics.median(new),
            "again_ms": statistics.median(again),
            "p95_at_once_ms": statistics.quantiles(at_once, n=20)[-1],
            "scan_ms": median_ms(lambda: scan(vectors, vectors[3])),
        }

    return asyncio.run(run())


async def know(service: MemoryService, texts: Sequence[str]) -> None:
    """Have the vectors of questions known: somebody asks them who has nothing to load."""
    for text in texts:
        await service.retrieve(text, user="nobody")


async def asked(service: MemoryService, text: str) -> float:
    """Return how long one question takes."""
    started = time.perf_counter()
    await question(service, text)
    return 1000 * (time.perf_counter() - started)


def many_users() -> dict[str, float]:
    """Return what a question costs among many users, each with a few items: the first one, and later ones."""

    async def run(folder: str) -> dict[str, float]:
        (text,) = sentences(1, seed=SEED)
        vectors, texts = unit_vectors(USER_ITEMS), sentences(USER_ITEMS)
        users = [f"user {number}" for number in range(USERS)]
        async with service_in(Path(folder)) as service:
            for user in users:
                await service.create_items(texts, vectors=vectors, dedupe="exact", user=user)
            await know(service, [text])
            rounds = []
            for _ in range(2):
                times = []
                for user in users:
                    started = time.perf_counter()
                    await service.retrieve(text, user=user, layers=["item"], min_score=0.0)
                    times.append(1000 * (time.perf_counter() - started))
                rounds.append(statistics.median(times))
        return {"first": rounds[0], "later": rounds[1]}

    with tempfile.TemporaryDirectory(prefix="memu-speed-") as folder:
        return asyncio.run(run(folder))


def resident() -> int:
    """Return the bytes of the process that are in memory and its own."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("RssAnon:"))
    return 1024 * int(line.split()[1])


def shown(stores: Sequence[Store]) -> str:
    """Return the figures as a table."""
    header = [
        "items",
        "items/s",
        "first opening and answer ms",
        "open and answer ms",
        "question ms",
        "again ms",
        "p95 of 50 at once ms",
        "scan ms",
    ]
    header += ["question / scan", "bytes an item", "disk bytes an item", "ingest bytes an item"]
    rows = [
        [
            str(one.items),
            f"{one.ingest:.0f}",
            f"{one.made_ms:.0f}",
            f"{one.first_ms:.0f}",
            f"{one.p50_ms:.2f}",
            f"{one.again_ms:.2f}",
            f"{one.p95_at_once_ms:.1f}",
            f"{one.scan_ms:.2f}",
            f"{one.p50_ms / one.scan_ms:.2f}",
            f"{one.bytes_per_item:.0f}",
            f"{one.disk_per_item:.0f}",
            f"{one.ingest_growth:.0f}",
        ]
        for one in stores
    ]
    return table(header, rows)


def plain(ratios: dict[str, float], stores: Sequence[Store]) -> dict[str, Any]:
    """Return the figures as data."""
    return {
        "ratios": ratios,
        "retrieve_ms": {
            str(one.items): {"p50": one.p50_ms, "again": one.again_ms, "scan": one.scan_ms} for one in stores
        },
        "ingest_items_per_s": {str(one.items): one.ingest for one in stores},
        "bytes_per_item": {str(one.items): one.bytes_per_item for one in stores},
        "disk_bytes_per_item": {str(one.items): one.disk_per_item for one in stores},
        "open_and_answer_ms": {str(one.items): one.first_ms for one in stores},
        "first_open_and_answer_ms": {str(one.items): one.made_ms for one in stores},
        "p95_of_50_at_once_ms": {str(one.items): one.p95_at_once_ms for one in stores},
    }


if __name__ == "__main__":
    sys.exit(main())
