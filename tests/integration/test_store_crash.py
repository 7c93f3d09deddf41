"""A process that is killed in a commit leaves all of it or nothing."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.testing.store_samples import ANN, keep, stored

SIGKILL_CODE = -9

VICTIM = """
import asyncio, os, signal, sys
from pathlib import Path
from sqlalchemy import Engine, event
from memu_py.records.scope import Scope
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.testing.store_samples import keep, resource, segment, source, stored

path, when = sys.argv[1:]

def die():
    os.kill(os.getpid(), signal.SIGKILL)

async def main():
    store = build_store(StoreSettings(path=Path(path)))
    await store.open()
    ann = Scope(user="ann")
    came = resource(ann)
    segments = tuple(segment(number, f"text {number}") for number in range(40))
    items = (stored(ann, f"fact {number}", sources=(source(came, number),)) for number in range(40))

    def watch(connection, cursor, statement, parameters, context, executemany):
        if statement.startswith(f"INSERT INTO {when} "):
            die()

    event.listen(Engine, "after_cursor_execute", watch)
    if when == "commit":
        event.listen(Engine, "commit", lambda connection: die())
    await keep(store, ann, *items, stored(ann, "likes tea"), resource=came, segments=segments)
    die()

asyncio.run(main())
"""


def _kill_in_commit(path: Path, when: str) -> None:
    command = [sys.executable, "-c", VICTIM, str(path), when]
    died = subprocess.run(command, check=False, capture_output=True, text=True)
    assert died.returncode == SIGKILL_CODE, died.stderr


@pytest.mark.parametrize("when", ["resources", "item_vectors", "runs", "commit", "afterwards"])
async def test_a_killed_commit_is_all_or_nothing(when: str, tmp_path: Path) -> None:
    path = tmp_path / "memu.db"
    store = build_store(StoreSettings(path=path))
    await store.open()
    known = (await keep(store, ANN, stored(ANN, "likes tea"))).added[0]
    await store.close()
    await asyncio.to_thread(_kill_in_commit, path, when)

    await store.open()
    whole = when == "afterwards"
    assert await store.items.count(ANN) == (41 if whole else 1)
    assert await store.resources.count(ANN) == (1 if whole else 0)
    assert (await store.items.get(ANN, [known.id]))[known.id].mentions == (2 if whole else 1)
    assert await store.maintenance.integrity() == []
    await store.close()
