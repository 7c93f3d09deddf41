"""How quick it is, side by side with NumPy in the same run.

    python benchmarks/speed.py [--quick] [--threads 1] [--json FILE] [--record TITLE]

Kernels at 100 000 x 384 against a scan by NumPy; whole `retrieve` calls whose question vector is known, at several
sizes, as ratios to a scan of the same size; bulk ingest with given vectors; memory an item; a store opened and asked;
fifty questions at once. `--quick` stops at 10 000 items. Both sides have `--threads` threads. Times are medians in
milliseconds.
"""

import argparse
import asyncio
import dataclasses
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.foundation import TOP_K, fill, largest, question, scan, sentences, service_in, unit_vectors
from benchmarks.record import record, table
from memu_py import _core

Vectors = NDArray[np.float32]

MARK = "MEMU_SPEED_THREADS"
THREAD_VARIABLES = ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
SIZES, QUICK_SIZES = (1000, 10_000, 100_000), (1000, 10_000)
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
        first_ms: opening and the first answer, after imports, the question's vector known.
        p50_ms: a question whose hits have not been read before.
        again_ms: the same questions again.
        p95_at_once_ms: each of fifty questions asked at once, the slowest of twenty.
        scan_ms: the scan by NumPy.
        bytes_per_item: growth of the process with the index, by the resident set.
        disk_per_item: bytes of the database's files.
        ingest_growth: of the process while it ingests, bytes an item, the caller's vectors apart.
    """

    items: int
    ingest: float
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
    parser.add_argument("--threads", type=int, default=1, help="of each side")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    parser.add_argument("--record", metavar="TITLE", help="append the figures to benchmarks/results")
    options = parser.parse_args(arguments)
    if MARK not in os.environ:
        variables = {name: str(options.threads) for name in (MARK, *THREAD_VARIABLES)}
        command = [sys.executable, __file__, *(sys.argv[1:] if arguments is None else arguments)]
        return subprocess.run(command, env=os.environ | variables, check=False).returncode
    ratios, kernels = kernel_times()
    stores = [asyncio.run(store_times(size)) for size in (QUICK_SIZES if options.quick else SIZES)]
    tables = {
        f"kernels, {KERNEL_ROWS} x {KERNEL_DIM}, {options.threads} thread(s)": kernels,
        f"stores, {options.threads} thread(s)": shown(stores),
    }
    for heading, text in tables.items():
        print(f"\n{heading}\n\n{text}")
    data = plain(ratios, stores)
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
    codes, scales, errors = _core.quantize(vectors)
    everything, alone = np.ones(KERNEL_ROWS, dtype=np.bool_), np.ones(KERNEL_ROWS, dtype=np.float32)
    return lambda: _core.joined_top_k(vectors, codes, scales, errors, query, TOP_K, everything, alone)


def ranked_scans(
    vectors: Vectors, query: Vectors
) -> tuple[Callable[[], Any], Callable[[], NDArray[np.intp]]]:
    """Return the same search by the three-factor profile twice: ours, and by NumPy."""
    quantized = _core.quantize(vectors)
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
            quantized=quantized,
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


# Stores


async def store_times(size: int) -> Store:
    """Fill a store, open it again, and ask it."""
    vectors = unit_vectors(size)
    texts = sentences(2 * ROUNDS + AT_ONCE, seed=SEED)
    with tempfile.TemporaryDirectory(prefix="memu-speed-") as folder:
        async with service_in(Path(folder)) as service:
            idle = resident()
            started = time.perf_counter()
            await fill(service, vectors)
            ingest = size / (time.perf_counter() - started)
            ingest_growth = (resident() - idle) / size
        disk = on_disk(Path(folder))
        service = service_in(Path(folder))
        # The vectors of questions are known: another user asks them first, who has nothing to load.
        for text in texts:
            await service.retrieve(text, user="nobody")
        gc.collect()
        before = resident()
        started = time.perf_counter()
        await question(service, texts[0])
        first = 1000 * (time.perf_counter() - started)
        grown = resident() - before
        new = [await asked(service, text) for text in texts[1:ROUNDS]]
        again = [await asked(service, text) for text in texts[1:ROUNDS]]
        at_once = await asyncio.gather(*(asked(service, text) for text in texts[-AT_ONCE:]))
        await service.close()
    return Store(
        items=size,
        ingest=ingest,
        first_ms=first,
        p50_ms=statistics.median(new),
        again_ms=statistics.median(again),
        p95_at_once_ms=statistics.quantiles(at_once, n=20)[-1],
        scan_ms=median_ms(lambda: scan(vectors, vectors[3])),
        bytes_per_item=grown / size,
        disk_per_item=disk / size,
        ingest_growth=ingest_growth,
    )


async def asked(service: Any, text: str) -> float:
    """Return how long one question takes."""
    started = time.perf_counter()
    await question(service, text)
    return 1000 * (time.perf_counter() - started)


def resident() -> int:
    """Return the bytes of the process that are in memory and its own."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("RssAnon:"))
    return 1024 * int(line.split()[1])


def on_disk(folder: Path) -> int:
    """Return the bytes of the database's files."""
    return sum(file.stat().st_size for file in folder.glob("memu.db*"))


def shown(stores: Sequence[Store]) -> str:
    """Return the figures as a table."""
    header = [
        "items",
        "items/s",
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
    }


if __name__ == "__main__":
    sys.exit(main())
