"""How quick the store on PostgreSQL is, beside what the server itself does in the same run.

    python benchmarks/postgres.py [--items 20000] [--others 80000] [--bulk 10000] [--record TITLE]

Bulk ingest (`create_items` with given vectors) against a bare binary COPY of the very rows it wrote, into the same
tables with the same indexes in another, empty database. `retrieve` against the bare query that pgvector answers by its
index with the same filter, both for as many rows as `retrieve` takes candidates and for the ten that it returns. The
vectors have 384 numbers and gather around topics, as those of texts do. The index over them is made when all are
there, as a server does it; `--bulk` has it from the start. The server is the one of the tests, or `MEMU_TEST_DSN`.
"""

import argparse
import asyncio
import dataclasses
import io
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "tests" / "kits")]

from postgres_kit import database, server

from benchmarks.foundation import sentences
from benchmarks.given import GIVEN, WARM_UP
from benchmarks.hnsw import DIM, topical
from benchmarks.postgres_bare import LIMITS, TOP_K, USER, Bare, hash_of
from benchmarks.record import record, table
from memu_py import MemoryService
from memu_py.storage.postgres_database import postgres_engine
from memu_py.storage.postgres_index import create_vector_index

OTHER = "other"
CHUNK = 2000
FEWER = "retrieve, dense, own vectors alone, of 20 candidates"
CALLS: dict[str, dict[str, Any]] = {
    "retrieve, dense, own vectors alone": {"recall": ["dense"], "around": False},
    "retrieve, dense": {"recall": ["dense"]},
    "retrieve, dense and words": {},
    FEWER: {"recall": ["dense"], "around": False},
}
OTHERS_OF_ONE = 10_000
"""Items of each of the other users."""
QUESTIONS = 100
INDEX = f"ix_item_vectors_near_{DIM}"
TABLES = ("items", "item_vectors", "changes")
"""What the bulk door writes for items that name no resource."""

Vectors = NDArray[np.float32]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """What was measured.

    Attributes:
        bulk: items that both sides took in.
        ingest: of ours, items a second.
        copy: of the bare COPY, items a second.
        items: in the scope that is asked.
        total: in the database.
        p50_ms: the bare query and our calls by name, at the median.
        p95_ms: the same, the slowest of twenty.
        recall: share of the exact ten best that the bare query finds, by its limit.
        index_s: to make the index over all vectors, in seconds.
        bytes_per_item: of tables and indexes, on the disk.
        index_bytes: of the index over vectors, an item.
    """

    bulk: int
    ingest: float
    copy: float
    items: int
    total: int
    p50_ms: dict[str, float]
    p95_ms: dict[str, float]
    recall: dict[int, float]
    index_s: float
    bytes_per_item: float
    index_bytes: float


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--items", type=int, default=20_000, help="of the user who is asked")
    parser.add_argument("--others", type=int, default=80_000, help="items of other users")
    parser.add_argument("--bulk", type=int, default=10_000, help="items of the bulk ingest")
    parser.add_argument("--record", metavar="TITLE", help="append the figures to benchmarks/results")
    options = parser.parse_args()
    with server() as address:
        found = asyncio.run(measure(address, options))
    tables = shown(found)
    for heading, text in tables.items():
        print(f"\n{heading}\n\n{text}")
    if options.record is not None:
        record("postgres", title=options.record, tables=tables, data=dataclasses.asdict(found))
    return 0


async def measure(address: str, options: argparse.Namespace) -> Figures:
    """Measure on a server."""
    vectors = topical(options.bulk)
    with database(address) as ours, database(address) as bare:
        ingest = await ingested(ours, vectors)
        copied = await copied_rate(ours, bare, len(vectors))
    print(f"ingest {ingest:.0f} items/s, bare COPY {copied:.0f} items/s", file=sys.stderr)
    with database(address) as dsn:
        index_s, times, recall = await asked(dsn, options)
        whole, index = sizes(dsn)
    total = options.items + options.others
    return Figures(
        bulk=options.bulk,
        ingest=ingest,
        copy=copied,
        items=options.items,
        total=total,
        p50_ms={name: statistics.median(found) for name, found in times.items()},
        p95_ms={name: statistics.quantiles(found, n=20)[-1] for name, found in times.items()},
        recall=recall,
        index_s=index_s,
        bytes_per_item=whole / total,
        index_bytes=index / total,
    )


def service_on(dsn: str, folder: str) -> MemoryService:
    """Return a service on a database."""
    return MemoryService(
        {
            "database": {"backend": "postgres", "dsn": dsn},
            "blobs": {"root": folder},
            "embedding": {"backend": "given"},
            "plugins": ["benchmarks.given"],
        }
    )


# Ingest


async def ingested(dsn: str, vectors: Vectors) -> float:
    """Return items a second of our bulk door, into an empty database."""
    with tempfile.TemporaryDirectory(prefix="memu-bench-") as folder:
        async with service_on(dsn, folder) as service:
            await service.create_item(WARM_UP, user="warm-up")
            started = time.perf_counter()
            await fill(service, vectors, sentences(len(vectors)), USER)
            return len(vectors) / (time.perf_counter() - started)


async def fill(service: MemoryService, vectors: Vectors, texts: Sequence[str], user: str) -> None:
    """Store as many items as there are vectors."""
    for start in range(0, len(texts), CHUNK):
        part = slice(start, start + CHUNK)
        await service.create_items(texts[part], vectors=vectors[part], dedupe="exact", user=user)


async def copied_rate(source: str, target: str, count: int) -> float:
    """Return items a second of a bare COPY of all rows of one database to another, empty one."""
    with tempfile.TemporaryDirectory(prefix="memu-bench-") as folder:
        async with service_on(target, folder) as service:
            await service.create_item(WARM_UP, user="warm-up")
    with psycopg.connect(source) as connection:
        rows = {name: dumped(connection, name) for name in TABLES}
    with psycopg.connect(target) as connection:
        started = time.perf_counter()
        for name, data in rows.items():
            load(connection, name, data)
        connection.commit()
        return count / (time.perf_counter() - started)


def columns(connection: psycopg.Connection, name: str) -> str:
    """Return the columns of a table that are not made by the server."""
    found = connection.execute(
        "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute "
        "WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' "
        "AND attname <> 'seq'",
        [name],
    ).fetchone()
    assert found is not None
    return str(found[0])


def dumped(connection: psycopg.Connection, name: str) -> bytes:
    """Return the rows of the user, as COPY gives them."""
    data = io.BytesIO()
    # Names of ours, and no user's text.
    selected = f"SELECT {columns(connection, name)} FROM {name}"  # noqa: S608
    mine = f"WHERE partition_hash = '\\x{hash_of(USER).hex()}'"
    with connection.cursor().copy(f"COPY ({selected} {mine}) TO STDOUT (FORMAT BINARY)".encode()) as copy:
        for part in copy:
            data.write(part)
    return data.getvalue()


def load(connection: psycopg.Connection, name: str, data: bytes) -> None:
    """Give rows to a table."""
    names = columns(connection, name)
    with connection.cursor().copy(f"COPY {name} ({names}) FROM STDIN (FORMAT BINARY)".encode()) as copy:
        copy.write(data)


# Questions


async def asked(
    dsn: str, options: argparse.Namespace
) -> tuple[float, dict[str, list[float]], dict[int, float]]:
    """Fill a database and ask it; return what `prepare` and what `compared` give."""
    vectors = topical(options.items + options.others + QUESTIONS)
    asking, mine, others = np.split(vectors, [QUESTIONS, QUESTIONS + options.items])
    with tempfile.TemporaryDirectory(prefix="memu-bench-") as folder:
        async with service_on(dsn, folder) as service, service_on(dsn, folder) as fewer:
            index_s = await prepare(dsn, service, mine, others)
            return index_s, *await compared(dsn, service, fewer, mine, asking)


async def compared(
    dsn: str, service: MemoryService, fewer: MemoryService, mine: Vectors, asking: Vectors
) -> tuple[dict[str, list[float]], dict[int, float]]:
    """Return milliseconds by what was asked, and the recall of the bare query by its limit.

    One question after the other is put to all, so that what else the machine does strikes all alike; who is asked first
    changes, since that one has the pages read for the others.
    """
    texts = sentences(QUESTIONS, seed=8)
    GIVEN.update(zip(texts, asking, strict=True))
    fewer.workflows["retrieve_rag"].config_step("recall_dense", {"k": 2 * TOP_K})
    with psycopg.connect(dsn, autocommit=True) as connection:
        bare = Bare(connection, sentences(len(mine)))
        times: dict[str, list[float]] = {name: [] for name in CALLS}
        sides: list[int | str] = [*LIMITS, *CALLS]
        # A round first that does not count.
        for number, text in enumerate((*texts[:10], *texts)):
            first = number % len(sides)
            for side in (*sides[first:], *sides[:first]):
                if isinstance(side, int):
                    bare.ask(GIVEN[text], side)
                    continue
                started = time.perf_counter()
                await question(fewer if side == FEWER else service, text, **CALLS[side])
                times[side].append(1000 * (time.perf_counter() - started))
        recall = {limit: bare.recall(mine, asking, limit) for limit in LIMITS}
    everything = {**{bare_name(limit): bare.times[limit] for limit in LIMITS}, **times}
    return {name: found[-QUESTIONS:] for name, found in everything.items()}, recall


def bare_name(limit: int) -> str:
    """Return what the bare query is called."""
    return f"bare query, limit {limit}"


async def prepare(dsn: str, service: MemoryService, mine: Vectors, others: Vectors) -> float:
    """Store all items, and make the index when they are there; return how long that took, in seconds."""
    await service.create_item(WARM_UP, user="warm-up")
    execute(dsn, f"DROP INDEX {INDEX}")
    started = time.perf_counter()
    await fill(service, mine, sentences(len(mine)), USER)
    await fill_others(service, others, 0)
    print(f"filled in {time.perf_counter() - started:.0f} s", file=sys.stderr)
    return make_index(dsn)


async def fill_others(service: MemoryService, others: Vectors, first: int) -> None:
    """Store items of other users, from the user with a number on."""
    for number, start in enumerate(range(0, len(others), OTHERS_OF_ONE), first):
        part = others[start : start + OTHERS_OF_ONE]
        await fill(service, part, sentences(len(part), seed=number), f"{OTHER} {number}")


def make_index(dsn: str) -> float:
    """Make the index over all vectors, and have the server count its rows; return the seconds of the index."""
    started = time.perf_counter()
    engine = postgres_engine(dsn, connections=1)
    with engine.begin() as connection:
        connection.exec_driver_sql("SET LOCAL maintenance_work_mem = '2GB'")
        create_vector_index(connection, DIM)
    engine.dispose()
    took = time.perf_counter() - started
    execute(dsn, "VACUUM ANALYZE")
    print(f"index made in {took:.0f} s", file=sys.stderr)
    return took


def sizes(dsn: str) -> tuple[int, int]:
    """Return the bytes of all tables with their indexes, and of the index over vectors."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        found = connection.execute(
            "SELECT (SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' "
            "AND relnamespace = 'public'::regnamespace), pg_relation_size(%s::regclass)",
            [INDEX],
        ).fetchone()
    assert found is not None
    return int(found[0]), int(found[1])


def execute(dsn: str, statement: str) -> None:
    """Run a statement by itself."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(statement.encode())


async def question(service: MemoryService, text: str, **how: Any) -> Any:
    """Ask for the ten best items."""
    return await service.retrieve(text, user=USER, top_k=TOP_K, layers=["item"], min_score=0.0, **how)


def shown(found: Figures) -> dict[str, str]:
    """Return the figures as tables."""
    ingest = table(
        ["rows", "ours, items a second", "bare COPY", "share"],
        [[str(found.bulk), f"{found.ingest:.0f}", f"{found.copy:.0f}", f"{found.ingest / found.copy:.2f}"]],
    )
    few, many = (found.p50_ms[bare_name(limit)] for limit in LIMITS)
    recall = {bare_name(limit): f"{share:.3f}" for limit, share in found.recall.items()}
    rows = [
        [
            name,
            f"{ms:.2f}",
            f"{found.p95_ms[name]:.2f}",
            f"{ms / many:.2f}",
            f"{ms / few:.2f}",
            recall.get(name, ""),
        ]
        for name, ms in found.p50_ms.items()
    ]
    header = ["question", "p50 ms", "p95 ms", "× limit 100", "× limit 10", "recall@10"]
    made = table(
        ["items in all", "index made, s", "disk, bytes an item", "of these the index over vectors"],
        [
            [
                str(found.total),
                f"{found.index_s:.0f}",
                f"{found.bytes_per_item:.0f}",
                f"{found.index_bytes:.0f}",
            ]
        ],
    )
    return {
        "index and disk": made,
        f"bulk ingest, {DIM} dimensions": ingest,
        f"{found.items} items of {found.total}": table(header, rows),
    }


if __name__ == "__main__":
    sys.exit(main())
