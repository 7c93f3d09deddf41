"""What every store must keep of people's rights: part of the contract suite."""

import base64
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from sqlalchemy import BigInteger, Boolean, Column, Float, Integer, LargeBinary, Table

from memu_py.errors import Conflict, InvalidInput, InvalidScope
from memu_py.records.api_key import ApiKey
from memu_py.records.scope import Scope
from memu_py.storage.columns import JsonText, TokenText, UtcMicros, UtcMoments, VectorBlob
from memu_py.storage.row_forms import OWNER, told_columns
from memu_py.storage.schema import changes, jobs
from memu_py.storage.store import Store
from memu_py.storage.tables import PARTITIONED
from memu_py.testing.store_samples import ANN, BOB, NOW, keep, resource, stored

MARKER = "xqzmarker"
NUMBERS = base64.b64encode(np.array([1, 0, 0, 0], dtype="<f4").tobytes()).decode()
SEQ = 41
ALL_TABLES = {table.name for table in PARTITIONED}


def sample(column: Column[Any]) -> Any:
    """Return the marker, or what fits, as an export says it; all texts are equal, so that rows find theirs."""
    forms: tuple[tuple[type, Any], ...] = (
        (UtcMicros, NOW.isoformat()),
        (UtcMoments, [NOW.isoformat()]),
        (JsonText, {"x": MARKER}),
        (TokenText, [MARKER]),
        (VectorBlob, NUMBERS),
        (LargeBinary, base64.b64encode(MARKER.encode()).decode()),
        (Boolean, False),
        (Float, 0.5),
        ((Integer, BigInteger), SEQ if column.name == "seq" else 0),  # type: ignore[assignment]
    )
    return next((value for kind, value in forms if isinstance(column.type, kind)), MARKER)


def sample_row(table: Table) -> dict[str, Any]:
    """Return a row of a table as an export says it; what need not be there and is read as a record is left out."""
    row = {column.name: sample(column) for column in table.c if column.name not in OWNER}
    if table is jobs:
        row |= {"status": "running"}
    return {name: None if name in ("relations", "precision", "happened_at") else row[name] for name in row}


def sample_rows(table: str) -> Iterator[Mapping[str, Any]]:
    """Give one row of each table."""
    return iter([sample_row(one) for one in PARTITIONED if one.name == table])


async def exported(store: Store, scope: Scope) -> dict[str, list[Mapping[str, Any]]]:
    """Return the rows of a scope by table, without tables that have none."""
    found: dict[str, list[Mapping[str, Any]]] = {}

    def take(table: str, rows: Iterator[Mapping[str, Any]]) -> None:
        found[table] = list(rows)

    await store.rights.export(scope, take)
    assert found.keys() == ALL_TABLES
    return {table: rows for table, rows in found.items() if rows}


def comparable(rows: Mapping[str, list[Mapping[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Return rows without what depends on where, and for whom, they lie."""
    moved = ("identity", "seq")
    return {
        table: [{name: value for name, value in row.items() if name not in moved} for row in found]
        for table, found in rows.items()
    }


class RightsSuite:
    """Export, import and erasure of whole partitions."""

    async def test_every_column_has_a_form(self) -> None:
        """A new table takes part by itself, or fails here."""
        for table in PARTITIONED:
            assert {name for name, _ in told_columns(table)} | set(OWNER) == {
                column.name for column in table.c
            }

    async def test_every_table_is_exported_imported_and_forgotten(self, store: Store) -> None:
        """Whatever tables there are: the rows come back equal, for somebody else too, and go without a rest."""
        await store.rights.restore(ANN, sample_rows, run_id="import 1", summary={"of": "a test"})
        there = await exported(store, ANN)
        assert there.keys() == ALL_TABLES
        (work,) = there["jobs"]
        assert (work["status"], work["lease_id"]) == ("queued", None)

        def rows(table: str) -> Iterator[Mapping[str, Any]]:
            return iter(there[table])

        counts = await store.rights.restore(BOB, rows, run_id="import 2", summary={})
        assert counts.keys() == ALL_TABLES
        his = await exported(store, BOB)
        (run,) = (row for row in his["runs"] if row["id"] == "import 2")
        his["runs"].remove(run)
        assert comparable(his) == comparable(there)
        (seq,) = (row["seq"] for row in his[changes.name])
        assert seq != SEQ
        assert {row["seq"] for row in (*his["runs"], run)} == {seq}
        assert his["items"][0]["identity"] != there["items"][0]["identity"]

        erased = await store.forget(ANN, actor="eraser")
        assert await exported(store, ANN) == {}
        assert comparable(await exported(store, BOB)).keys() == ALL_TABLES
        assert erased.line is not None
        assert erased.line.counts.keys() == ALL_TABLES | {"originals"}
        assert await store.rights.audit(9) == [erased.line]
        assert (erased.line.actor, erased.blobs) == ("eraser", (MARKER,))

    async def test_an_import_is_done_once_and_into_nothing_else(self, store: Store) -> None:
        """Again, it is a no-op; what is there already is not mixed with it."""
        await keep(store, BOB, stored(BOB, "his"))
        with pytest.raises(Conflict, match="has something already, in"):
            await store.rights.restore(BOB, sample_rows, run_id="import 1", summary={})
        assert (await exported(store, BOB)).keys() == {"changes", "items", "item_vectors", "runs"}
        await store.rights.restore(ANN, sample_rows, run_id="import 1", summary={"n": 1})
        assert await store.rights.restore(ANN, sample_rows, run_id="import 1", summary={}) == {}
        assert (await store.find_run(ANN, "import 1") or {})["n"] == 1

    async def test_a_row_that_is_none_leaves_nothing_behind(self, store: Store) -> None:
        """One transaction: all or nothing."""

        def rows(table: str) -> Iterator[Mapping[str, Any]]:
            broken = {"created_at": "yesterday"} if table == "items" else {}
            return ({**row, **broken} for row in sample_rows(table))

        with pytest.raises(InvalidInput, match="row 1 of items is not as an export writes it"):
            await store.rights.restore(ANN, rows, run_id="import 1", summary={})
        assert await exported(store, ANN) == {}

    async def test_an_agents_own_memory_is_given_to_an_agent(self, store: Store) -> None:
        """Its name stands in a column of its own, too."""
        mine, theirs = Scope(agent="coach"), Scope(agent="chef")
        await keep(store, mine, stored(mine, "rest one day in three"), resource=resource(mine))
        there = await exported(store, mine)
        await store.rights.restore(theirs, lambda table: iter(there.get(table, ())), run_id="r", summary={})

        assert [
            one.scope for one in (await store.items.get(theirs, await store.items.ids(theirs))).values()
        ] == [theirs]

    async def test_forgetting_takes_keys_along_and_leaves_one_line(self, store: Store) -> None:
        """Also where there was nothing; a part of a memory cannot be forgotten by it."""
        for name, scope in (("hers", ANN), ("session", ANN.evolve(session="s")), ("his", BOB), ("all", None)):
            key = ApiKey(id=name, name=MARKER, role="read", scope=scope, created_at=NOW)
            await store.keys.add(key, b"0" * 32)
        with pytest.raises(InvalidScope, match="leave out session"):
            await store.forget(ANN.evolve(session="s"))
        first = (await store.forget(ANN)).line
        second = (await store.forget(ANN, actor="somebody")).line

        assert {key.id for key in await store.keys.all()} == {"his", "all"}
        assert first is not None and second is not None
        assert (first.op, dict(first.counts)) == ("forget", {"api_keys": 2})
        assert [line.id for line in await store.rights.audit(1)] == [second.id]

    async def test_clearing_all_of_somebody_leaves_a_line_too(self, store: Store) -> None:
        """There is one erasure; clearing a session, or nothing, leaves none."""
        await keep(store, ANN.evolve(session="s"), stored(ANN.evolve(session="s"), "tea"))
        await store.clear(ANN.evolve(session="s"))
        await store.clear(BOB)
        assert await store.rights.audit(9) == []
        await store.clear(ANN, actor="ann")
        assert [line.actor for line in await store.rights.audit(9)] == ["ann"]
