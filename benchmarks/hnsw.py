"""Ablation: a graph index (HNSW; Malkov & Yashunin, 2018) in the place of our exact scan that reads bytes first.

    pip install usearch
    python benchmarks/hnsw.py [--sizes 100000,1000000] [--dtypes f32,i8] [--width 128] [--record TITLE]

usearch is no dependency of the project: it is needed for these figures only. Both sides have one thread and the same
vectors. Recall is the share of the exact ten best that the graph finds. Bytes are what a side holds beside the full
vectors, which both need: the scan for its second pass, the graph for nothing else but to be made again. Times are the
processor's: on one thread they are those of the clock, and what else runs on the machine does not lengthen them.
"""

import argparse
import dataclasses
import importlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.record import record, table
from benchmarks.speed import THREAD_VARIABLES
from memu_py import _core

MARK = "MEMU_HNSW_THREADS"
DIM = 384
TOP_K = 10
QUESTIONS = 100
SEED = 5
TOPICS = 2_000
LATENT = 64
"""Directions in which the vectors lie, as those of texts do: in all 384 alike, nothing would be near anything."""

NOISE = 0.3
BLOCK = 50_000
CONNECTIVITY = 16
EXPANSIONS = (64, 256, 1024)
"""How many nodes a search keeps in view; the first is usearch's default."""

INSTALL = "usearch is not installed, and no dependency of the project: pip install usearch"

Vectors = NDArray[np.float32]
Found = list[NDArray[np.integer[Any]]]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One index at one size.

    Attributes:
        items: how many vectors.
        index: what it is.
        ms: a question, at the median.
        slowest_ms: the slowest of twenty.
        recall: share of the exact ten best.
        build_s: to make it, in seconds.
        bytes_per_item: what it holds beside the full vectors.
    """

    items: int
    index: str
    ms: float
    slowest_ms: float
    recall: float
    build_s: float
    bytes_per_item: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark, in a process whose libraries were told to use one thread."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", type=_numbers, default=[100_000, 1_000_000], help="vectors")
    parser.add_argument("--dtypes", type=lambda text: text.split(","), default=["f32"], help="of the graph")
    parser.add_argument("--width", type=int, default=128, help="nodes kept in view while the graph is made")
    parser.add_argument("--record", metavar="TITLE", help="append the figures to benchmarks/results")
    options = parser.parse_args(arguments)
    try:
        usearch = importlib.import_module("usearch.index")
    except ImportError:
        print(INSTALL, file=sys.stderr)
        return 2
    if MARK not in os.environ:
        variables = dict.fromkeys((MARK, *THREAD_VARIABLES), "1")
        command = [sys.executable, __file__, *(sys.argv[1:] if arguments is None else arguments)]
        return subprocess.run(command, env=os.environ | variables, check=False).returncode
    rows = [row for size in options.sizes for row in measure(usearch, size, options)]
    text = shown(rows)
    print(text)
    if options.record is not None:
        data = {"hnsw": [dataclasses.asdict(row) for row in rows]}
        record("ablation", title=options.record, tables={f"{DIM} dimensions, one thread": text}, data=data)
    return 0


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def measure(usearch: Any, size: int, options: argparse.Namespace) -> list[Row]:
    """Return the rows of one size."""
    vectors = topical(size + QUESTIONS)
    vectors, questions = vectors[:size], vectors[size:]
    exact, best = scan(vectors, questions)
    rows = [exact]
    for dtype in options.dtypes:
        index, built = graph(usearch, dtype, vectors, options.width)
        name = f"HNSW {dtype}, made with {options.width}"
        rows += searched(index, questions, best, name=name, build_s=built, size=size)
    return rows


def searched(
    index: Any, questions: Vectors, best: Found, *, name: str, build_s: float, size: int
) -> list[Row]:
    """Measure a graph at several widths of search."""

    def search(one: Vectors) -> NDArray[np.integer[Any]]:
        keys: NDArray[np.integer[Any]] = index.search(one, TOP_K, threads=1).keys
        return keys

    rows = []
    for width in EXPANSIONS:
        index.expansion_search = width
        found, times = timed(questions, search)
        rows.append(
            _row(
                size,
                f"{name}, searched with {width}",
                times,
                recall=statistics.fmean(map(share, found, best)),
                build_s=build_s,
                bytes_per_item=index.memory_usage / size,
            )
        )
    return rows


def topical(count: int) -> Vectors:
    """Return vectors of length 1 that gather around topics, in few directions, with some noise in all. (count, DIM)."""
    dice = np.random.default_rng(SEED)
    directions = dice.standard_normal((LATENT, DIM), dtype=np.float32)
    centres = dice.standard_normal((TOPICS, LATENT), dtype=np.float32)
    out = np.empty((count, DIM), dtype=np.float32)
    for start in range(0, count, BLOCK):
        block = out[start : start + BLOCK]
        topics = centres[dice.integers(TOPICS, size=len(block))]
        places = topics + dice.standard_normal((len(block), LATENT), dtype=np.float32)
        spread = np.sqrt(2 * LATENT) * NOISE
        block[:] = places @ directions + spread * dice.standard_normal((len(block), DIM), dtype=np.float32)
        block /= np.linalg.norm(block, axis=1, keepdims=True)
    return out


def scan(vectors: Vectors, questions: Vectors) -> tuple[Row, Found]:
    """Measure the exact scan, and return what it found."""
    size = len(vectors)
    started = time.process_time()
    codes = _core.quantize(vectors)
    built = time.process_time() - started
    everything, alone = np.ones(size, dtype=np.bool_), np.ones(size, dtype=np.float32)
    found, times = timed(
        questions, lambda one: _core.joined_top_k(vectors, *codes, one, TOP_K, everything, alone)[0]
    )
    held = sum(part.nbytes for part in codes) / size
    return _row(size, "exact, bytes first", times, recall=1.0, build_s=built, bytes_per_item=held), found


def graph(usearch: Any, dtype: str, vectors: Vectors, width: int) -> tuple[Any, float]:
    """Return a graph over the same vectors, and how many seconds it took to make."""
    index = usearch.Index(ndim=DIM, metric="ip", dtype=dtype, connectivity=CONNECTIVITY, expansion_add=width)
    started = time.process_time()
    for start in range(0, len(vectors), BLOCK):
        block = vectors[start : start + BLOCK]
        index.add(np.arange(start, start + len(block)), block, threads=1)
        done, passed = start + len(block), time.process_time() - started
        print(f"{len(vectors)} {dtype}: {done} after {passed:.0f} s", file=sys.stderr)
    return index, time.process_time() - started


def share(found: NDArray[np.integer[Any]], best: NDArray[np.integer[Any]]) -> float:
    """Return the share of the best that was found."""
    return len(np.intersect1d(found, best)) / TOP_K


def timed(
    questions: Vectors, search: Callable[[Vectors], NDArray[np.integer[Any]]]
) -> tuple[Found, list[float]]:
    """Return what each question finds, and milliseconds."""
    search(questions[0])
    found, times = [], []
    for one in questions:
        started = time.process_time()
        found.append(search(one))
        times.append(1000 * (time.process_time() - started))
    return found, times


def _row(size: int, name: str, times: Sequence[float], **figures: float) -> Row:
    slowest = statistics.quantiles(times, n=20)[-1]
    return Row(items=size, index=name, ms=statistics.median(times), slowest_ms=slowest, **figures)


def shown(rows: Sequence[Row]) -> str:
    """Return the figures as a table."""
    header = ["index", "items", "ms", "slowest of twenty ms", "recall@10", "build s", "bytes an item"]
    cells = [
        [
            row.index,
            str(row.items),
            f"{row.ms:.2f}",
            f"{row.slowest_ms:.2f}",
            f"{row.recall:.3f}",
            f"{row.build_s:.1f}",
            f"{row.bytes_per_item:.0f}",
        ]
        for row in rows
    ]
    return table(header, cells)


if __name__ == "__main__":
    sys.exit(main())
