"""Taking all that is somebody's along, giving it back, and leaving nothing of it."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from service_kit import NOW, config

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import Conflict, InvalidInput, InvalidScope, MemuError, NotFound
from memu_py.records.scope import Scope
from memu_py.service import exporting
from memu_py.storage.tables import metadata

MARKER = "xqzmarker"
QUESTIONS = ("Which instrument does Carla play?", "Where did Ann move?", "a red bicycle", MARKER)
MESSAGES = [
    {"role": "user", "name": "Ann", "content": "I moved to Lisbon in May 2023.", "created_at": "2023-06-01"},
    {
        "role": "user",
        "name": "Ben",
        "content": "My sister Carla plays the cello.",
        "created_at": "2023-06-02",
    },
    {
        "role": "user",
        "name": "Ann",
        "content": f"I bought a red bicycle, {MARKER}.",
        "created_at": "2023-06-03",
    },
    {
        "role": "user",
        "name": "安娜",
        "content": "我最喜欢科幻电影，尤其是《星际穿越》。",
        "created_at": "2023-06-04",
    },
]


def at(folder: Path, **more: Any) -> dict[str, Any]:
    return config() | {"database": {"backend": "sqlite", "path": str(folder / "memu.db")}} | more


async def fill(service: MemoryService, user: str = "ann") -> None:
    """Let a user leave something everywhere."""
    mine = service.for_user(user)
    await mine.memorize(messages=MESSAGES, agent="coach", session=f"s {MARKER}", metadata={MARKER: MARKER})
    await mine.memorize(text=f"The {MARKER} opens at nine.", resource_url=f"file:///{MARKER}.md")
    await mine.conversations.add(f"chat {MARKER}", [{"role": "user", "content": f"Hello {MARKER}!"}])
    item = await mine.create_item({"text": f"{MARKER} is a cat.", "entities": [MARKER], "importance": 4})
    topic = await mine.create_category(f"Pets {MARKER}", description=MARKER)
    await mine.update_category(topic.id, {"summary": f"A {MARKER}."})
    await mine.link(item.id, topic.id)
    gone = await mine.create_item(f"{MARKER} was here.")
    await mine.update_item(gone.id, {"text": f"{MARKER} was there."})
    await mine.delete_item(gone.id)
    await mine.feedback(item, used=True)
    await mine.memorize(text=f"A job of {MARKER}.", wait=False)
    await service.keys.create(f"key of {MARKER}", scope=Scope(user=user))
    await service._runtime.store.answers.save(Scope(user=user), b"k", f"an answer of {MARKER}")


async def tops(service: MemoryService, user: str) -> list[list[tuple[str, str, float]]]:
    # By relevance alone: that it is read makes a memory matter a little more the next time.
    found = [
        await service.retrieve(one, user=user, min_score=0, now=NOW, profile="similarity")
        for one in QUESTIONS
    ]
    return [[(hit.record.id, hit.record.text, hit.score) for hit in one.items] for one in found]


def same(ours: list[Any], theirs: list[Any]) -> None:
    """Check that the same things are on top, with the same scores."""
    for one, other in zip(ours, theirs, strict=True):
        assert [hit[:2] for hit in one] == [hit[:2] for hit in other]
        assert [hit[2] for hit in one] == pytest.approx([hit[2] for hit in other], abs=1e-6)


@pytest.mark.parametrize("name", ["ann.zip", "ann"])
async def test_who_imports_an_export_finds_the_same(tmp_path: Path, name: str) -> None:
    told: list[tuple[str, int]] = []
    there = tmp_path / "there"
    async with MemoryService(at(tmp_path, jobs={"workers": 0})) as service:
        await fill(service)
        await service.create_item("Ben's own.", user="ben")
        made = await service.export_user(
            tmp_path / "out" / name, user="ann", progress=lambda *one: told.append(one)
        )
        expected = await tops(service, "ann")
        changes = await service.history((await service.list_items(user="ann")).records[0].id, user="ann")
    async with MemoryService(at(there, jobs={"workers": 0})) as service:
        got = await service.import_user(tmp_path / "out" / name)
        same(expected, await tops(service, "ann"))
        first = (await service.list_items(user="ann")).records[0].id
        assert [(one.op, one.at, one.after) for one in await service.history(first, user="ann")] == [
            (one.op, one.at, one.after) for one in changes
        ]
        assert (await service.import_user(tmp_path / "out" / name)).known
        with pytest.raises(Conflict, match="has something already"):
            await service.create_item("His.", user="ben")
            await service.import_user(tmp_path / "out" / name, user="ben")
        await service.import_user(tmp_path / "out" / name, user="eve")
        same(expected, await tops(service, "eve"))
        (resource, *_) = (await service.list_resources(user="eve")).records
        assert resource.blob.startswith(Scope(user="eve").partition_hash.hex())
        assert await service.read_resource(resource.id, user="eve")
        again = await service.memorize(messages=MESSAGES, user="eve", agent="coach", session=f"s {MARKER}")
        assert again.unchanged
        await service.work(once=True)
        assert {job.status for job in (await service.jobs.list(user="eve")).records} == {"done"}
        assert await service.integrity() == []
    assert made.rows == got.rows
    assert made.originals == got.originals == 2
    assert ("items", made.rows["items"]) in told
    assert got.embedded == 0


async def test_the_files_say_what_they_are(tmp_path: Path) -> None:
    async with MemoryService(at(tmp_path)) as service:
        await fill(service)
        made = await service.export_user(tmp_path / "out", user="ann")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    rows = [
        json.loads(line) for line in (tmp_path / "out" / "tables" / "items.jsonl").read_text().splitlines()
    ]

    assert (manifest["format"], manifest["version"], manifest["id"]) == ("memu-export", 1, made.id)
    assert manifest["owner"] == {"user": "ann"}
    assert manifest["embedder"]["dimension"]
    assert {one["table"]: one["rows"] for one in manifest["tables"]} == made.rows
    assert f"{MARKER} is a cat." in {row["text"] for row in rows}
    assert all(row["created_at"].endswith("+00:00") and "partition" not in row for row in rows)
    secrets = [
        path for path in (tmp_path / "out").rglob("*") if path.is_file() and b"key of" in path.read_bytes()
    ]
    assert secrets == []
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "out" / "manifest.json").stat().st_mode & 0o777 == 0o600


async def test_vectors_of_another_embedder_are_made_anew(tmp_path: Path) -> None:
    async with MemoryService(at(tmp_path, embedding={"backend": "bundled"})) as service:
        await fill(service)
        await service.export_user(tmp_path / "ann.zip", user="ann")
    async with MemoryService(at(tmp_path / "there")) as service:
        got = await service.import_user(tmp_path / "ann.zip")
        found = await service.retrieve("My sister Carla plays the cello.", user="ann")

        assert got.embedded == got.rows["items"] + got.rows["entities"]
        assert found.items[0].record.text == "My sister Carla plays the cello."
        assert await service.integrity() == []


async def test_bytes_go_where_there_are_no_files(tmp_path: Path) -> None:
    with SyncMemoryService(config()) as service:
        service.memorize(messages=MESSAGES, user="ann")
        data = service.download_user(user="ann")
        service.upload_user(data, user="eve")

        assert service.count_items(user="eve") == service.count_items(user="ann")
        assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None


async def test_what_is_no_export_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async with MemoryService(at(tmp_path)) as service:
        await service.memorize(messages=MESSAGES, user="ann")
        out = tmp_path / "out"
        await service.export_user(out, user="ann")
        manifest = (out / "manifest.json").read_text()

        async def refused(match: str, error: type[MemuError] = InvalidInput) -> None:
            with pytest.raises(error, match=match):
                await service.import_user(out, user="eve")

        with pytest.raises(InvalidInput, match="is there already"):
            await service.export_user(out, user="ann")
        with pytest.raises(NotFound, match="there is no export"):
            await service.import_user(tmp_path / "nothing.zip")
        with pytest.raises(InvalidInput, match="a folder or a zip"):
            await service.import_user(tmp_path / "memu.db")
        with pytest.raises(
            InvalidInput, match="memory of one `user`, and who is to have it is named as `agent`"
        ):
            await service.import_user(out, agent="coach")
        with pytest.raises(InvalidScope, match="leave out session"):
            await service.export_user(tmp_path / "x", user="ann", session="s")
        (out / "manifest.json").write_text("[]")
        await refused("manifest is not as")
        (out / "manifest.json").write_text(manifest.replace('"version": 1', '"version": 9'))
        await refused("this is memu-export 9")
        (out / "manifest.json").write_text(manifest.replace('"schema": "0001"', '"schema": "0999"'))
        await refused("knows the schema")
        (out / "manifest.json").write_text(manifest)
        (original, *_) = (out / "originals").iterdir()
        kept = original.read_bytes()
        original.write_bytes(b"other")
        await refused("original .* is damaged")
        original.write_bytes(kept)
        original.rename(tmp_path / "aside")
        await refused("it has no originals")
        (tmp_path / "aside").rename(original)
        (out / "tables" / "items.jsonl").write_text("{}\n")
        await refused("items.jsonl is damaged")
        assert await service.count_items(user="eve") == 0


async def test_an_export_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise OSError("the disk is full")

    async with MemoryService(at(tmp_path)) as service:
        await fill(service)
        monkeypatch.setattr(exporting, "write_manifest", broken)
        for name in ("out", "out.zip"):
            with pytest.raises(OSError, match="the disk is full"):
                await service.export_user(tmp_path / "exports" / name, user="ann")
    assert list((tmp_path / "exports").iterdir()) == []


def found(folder: Path) -> list[str]:
    """Return the files that hold the marker, in either encoding, in their content or name."""
    marks = [MARKER.encode(form) for form in ("utf-8", "utf-16-le", "utf-16-be")]
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [
        str(path)
        for path in files
        if MARKER in str(path.relative_to(folder)) or any(mark in path.read_bytes() for mark in marks)
    ]


async def test_no_byte_of_a_forgotten_user_stays_on_the_disk(tmp_path: Path) -> None:
    settings = at(tmp_path, jobs={"workers": 0}, index={"snapshot_from": 1})
    async with MemoryService(settings) as service:
        await fill(service, MARKER)
        await service.create_item("Ben likes tea.", user="ben")
        await service.retrieve(MARKER, user=MARKER)
        # What a crash leaves: an original that no row names, and a write that was cut off.
        blobs = service._runtime.blobs
        await blobs.put(Scope(user=MARKER).partition_hash, f"lost {MARKER}".encode())
    async with MemoryService(settings) as service:
        await service.retrieve(MARKER, user=MARKER)
        assert {Path(one).suffix for one in found(tmp_path)} >= {".db", ".index"}
        line = await service.forget_user(user=MARKER, actor="dpo")

        assert found(tmp_path) == []
        assert line.counts["items"] > 3
        assert line.counts["api_keys"] == 1
        assert await service.audit() == [line]
        assert not await service.retrieve(MARKER, user=MARKER, min_score=0)
        assert await service.count_items(user="ben") == 1
        await service.memorize(messages=MESSAGES, user=MARKER)
        assert await service.integrity() == []
    with pytest.raises(InvalidInput, match="say who"):
        async with MemoryService(settings) as service:
            await service.forget_user(user="ben", actor=" ")


def holding(dsn: str) -> Iterator[str]:
    """Yield the tables that hold the marker."""
    with psycopg.connect(dsn) as connection:
        for table in metadata.sorted_tables:
            statement = f'SELECT count(*) FROM "{table.name}" t WHERE t::text LIKE %s OR t::text LIKE %s'
            row = connection.execute(
                statement.encode(), (f"%{MARKER}%", f"%{MARKER.encode().hex()}%")
            ).fetchone()
            if row and row[0]:
                yield table.name


async def test_from_sqlite_to_postgresql_and_gone_from_there(tmp_path: Path, dsn: str) -> None:
    async with MemoryService(at(tmp_path, jobs={"workers": 0})) as service:
        await fill(service)
        expected = await tops(service, "ann")
        await service.export_user(tmp_path / "ann.zip", user="ann")
    there = {"database": {"backend": "postgres", "dsn": dsn}, "blobs": {"root": str(tmp_path / "blobs")}}
    async with MemoryService(config() | there | {"jobs": {"workers": 0}}) as service:
        await service.import_user(tmp_path / "ann.zip")
        same(expected, await tops(service, "ann"))
        assert {"items", "changes", "jobs", "answers", "entities"} <= set(holding(dsn))
        await service.export_user(tmp_path / "back.zip", user="ann")
        await service.forget_user(user="ann")
        assert list(holding(dsn)) == []
        assert found(tmp_path / "blobs") == []
    async with MemoryService(at(tmp_path / "home", jobs={"workers": 0})) as service:
        await service.import_user(tmp_path / "back.zip")
        same(expected, await tops(service, "ann"))
