"""How `memu serve` does with many clients, and what is left when it, its workers or its database die.

    python benchmarks/load.py [--seconds 60] [--clients 200] [--kills 50] [--away 10] [--backends sqlite,postgres]
        [--only crowd,restart,away,worker] [--record TITLE]

`crowd`: clients that memorize and retrieve without a pause; five share a user. Their calls are not repeated, so that
every error counts. `restart`: the server is killed in mid-load, again and again, and started again; clients repeat as
they do by default, and longer. `away`: PostgreSQL is stopped under load, and started again. `worker`: one of two
`memu worker` is killed at random, while jobs never run out. Afterwards every acknowledged memory is looked for by its
text. Server, workers and clients are processes of this machine and share its processors; nothing leaves the loopback.
The embedder is the bundled one, the database waits for the disk at each commit.
"""

import argparse
import asyncio
import contextlib
import dataclasses
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "tests" / "kits")]

from postgres_kit import OwnServer, own_server
from process_kit import ServerProgram, running

from benchmarks import faults
from benchmarks.crowd import Found, Tally, crowd, look
from benchmarks.record import record, table

BACKENDS = ("sqlite", "postgres")
CROWD, RESTART, AWAY, WORKER = "crowd", "restart", "away", "worker"
SCENES = (CROWD, RESTART, AWAY, WORKER)
QUANTILES = (0.5, 0.95, 0.99)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """Where a scene plays.

    Attributes:
        folder: for files.
        database: of the configuration.
        own: the server of PostgreSQL; None with SQLite.
        options: of the command line.
    """

    folder: Path
    database: Mapping[str, Any]
    own: OwnServer | None
    options: argparse.Namespace

    def server(self, **settings: Any) -> ServerProgram:
        """Return a server that has not begun."""
        return ServerProgram(self.folder, {"database": dict(self.database), **settings})


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What a scene showed: figures by name, for people and for programs alike; and errors, each with its number."""

    figures: Mapping[str, str | int | float]
    errors: Mapping[str, int]


Scene = Callable[[Stage], Awaitable[Outcome]]


def main() -> int:
    """Run the benchmark."""
    options = _parser().parse_args()
    # As Ctrl-C does: servers and workers are not left behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    found: dict[str, Outcome] = {}
    for backend in options.backends:
        for scene in options.only:
            if (backend, scene) != ("sqlite", AWAY):
                found[f"{scene}, {backend}"] = asyncio.run(_played(backend, scene, options))
    tables = {name: shown(outcome) for name, outcome in found.items()}
    for heading, text in tables.items():
        print(f"\n{heading}\n\n{text}")
    if options.record is not None:
        data = {
            name: {"figures": dict(outcome.figures), "errors": dict(outcome.errors)}
            for name, outcome in found.items()
        }
        record("load", title=options.record, tables=tables, data=data)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60, help="that clients call, in each scene")
    parser.add_argument("--clients", type=int, default=200, help="at the same time, in `crowd`")
    parser.add_argument("--fewer", type=int, default=20, help="clients of `restart` and `away`")
    parser.add_argument("--restarts", type=int, default=5, help="kills of the server")
    parser.add_argument("--kills", type=int, default=50, help="kills of workers")
    parser.add_argument("--away", type=float, default=10, help="seconds without a database")
    parser.add_argument("--backends", type=_several(BACKENDS), default=BACKENDS, help=",".join(BACKENDS))
    parser.add_argument("--only", type=_several(SCENES), default=SCENES, help=",".join(SCENES))
    parser.add_argument("--record", metavar="TITLE", help="append the figures to benchmarks/results")
    return parser


def _several(known: Sequence[str]) -> Callable[[str], list[str]]:
    def parse(text: str) -> list[str]:
        names = text.split(",")
        if set(names) - set(known):
            msg = f"these are {', '.join(known)}"
            raise argparse.ArgumentTypeError(msg)
        return names

    return parse


async def _played(backend: str, scene: str, options: argparse.Namespace) -> Outcome:
    print(f"{scene}, {backend} …", file=sys.stderr)
    async with _stage(backend, options) as stage:
        return await PLAYS[scene](stage)


@contextlib.asynccontextmanager
async def _stage(backend: str, options: argparse.Namespace) -> AsyncIterator[Stage]:
    with contextlib.ExitStack() as held:
        folder = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="memu-load-")))
        own = held.enter_context(own_server()) if backend == "postgres" else None
        database = (
            {"backend": "sqlite", "path": "memu.db"}
            if own is None
            else {"backend": "postgres", "dsn": own.address}
        )
        yield Stage(folder=folder, database=database, own=own, options=options)


async def _crowd(stage: Stage) -> Outcome:
    server = stage.server()
    async with running(server):
        before = _busy_s(server.pid)
        tally = await crowd(server.url, stage.options.clients, stage.options.seconds)
        busy = _busy_s(server.pid) - before
        found = await look(server.url, tally.kept, tally.unsure)
        memory = _resident_mb(server.pid)
    figures = {**speeds(tally), "missed in its own answer": tally.missed}
    calls = sum(map(len, tally.seconds.values())) + sum(tally.errors.values())
    cost = {"server, MB": memory, "server, CPU ms a call": round(1000 * busy / max(1, calls), 1)}
    load = {"machine, load average": round(os.getloadavg()[0], 1)}
    return Outcome(figures={**figures, **_left(tally, found), **cost, **load}, errors=tally.errors)


async def _restart(stage: Stage) -> Outcome:
    server, options = stage.server(), stage.options
    async with running(server):
        told = asyncio.create_task(crowd(server.url, options.fewer, options.seconds, retries=12))
        downs = await faults.restarted(server, options.restarts, options.seconds)
        tally = await told
        found = await look(server.url, tally.kept, tally.unsure)
    figures = {"kills of the server": len(downs), "until it answers again, s": round(max(downs), 1)}
    return Outcome(figures={**figures, **_left(tally, found)}, errors=tally.errors)


async def _away(stage: Stage) -> Outcome:
    assert stage.own is not None
    server, options = stage.server(), stage.options
    async with running(server):
        told = asyncio.create_task(crowd(server.url, options.fewer, options.seconds, retries=20))
        seen = await faults.away(stage.own, server.url, options.away, options.seconds / 3)
        tally = await told
        found = await look(server.url, tally.kept, tally.unsure)
    return Outcome(figures={**seen, **_left(tally, found)}, errors=tally.errors)


async def _worker(stage: Stage) -> Outcome:
    figures = await faults.workers_killed(stage.folder, dict(stage.database), stage.options.kills)
    return Outcome(figures=figures, errors={})


PLAYS: Mapping[str, Scene] = {CROWD: _crowd, RESTART: _restart, AWAY: _away, WORKER: _worker}


def speeds(tally: Tally) -> dict[str, str | float]:
    """Return how many calls of each kind a second were answered, and how long they took."""
    figures: dict[str, str | float] = {}
    for name, seconds in tally.seconds.items():
        figures[f"{name}, answered"] = len(seconds)
        figures[f"{name}, a second"] = round(len(seconds) / tally.took_s, 1)
        for share in QUANTILES:
            at = sorted(seconds)[int(len(seconds) * share)] if seconds else None
            figures[f"{name}, p{100 * share:.0f} ms"] = "none" if at is None else round(1000 * at)
    return figures


def _left(tally: Tally, found: Found) -> dict[str, int]:
    return {
        "errors": sum(tally.errors.values()),
        "memories acknowledged": len(tally.kept),
        "of these lost": found.lost,
        "stored twice": found.doubled,
        "stored, and never sent": found.unasked,
        "stored, and never acknowledged": found.unsure,
    }


def _resident_mb(pid: int) -> int:
    """Return the memory that a process holds, in MB; 0 where the system does not tell."""
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS:")), 0)


def _busy_s(pid: int) -> float:
    """Return the seconds that a process has kept processors busy; 0 where the system does not tell."""
    path = Path(f"/proc/{pid}/stat")
    if not path.exists():
        return 0.0
    user, system = path.read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def shown(outcome: Outcome) -> str:
    """Return what a scene showed as tables."""
    text = table(["", "figure"], [[name, str(value)] for name, value in outcome.figures.items()])
    if outcome.errors:
        rows = [[name, str(count)] for name, count in outcome.errors.items()]
        text += "\n\n" + table(["error", "times"], rows)
    return text


if __name__ == "__main__":
    sys.exit(main())
