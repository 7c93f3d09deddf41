"""Exports, folders and zips through the service: a resource for each, resumable, whatever becomes of the others."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from service_kit import config, texts

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import AccessDenied, InvalidInput, NotFound, ScopeRequired
from memu_py.importers.archive import Archive
from memu_py.importers.importer import Conversation, message
from memu_py.records.job import Job
from memu_py.service.importing import ImportEvent, ImportResult
from memu_py.service.results import MemorizeResult
from memu_py.testing.exports import MBOX, SLACK, WHATSAPP, as_bytes, chatgpt, claude, node, telegram, zipped
from memu_py.workflow.registry import Registry

FILES: dict[str, Any] = {
    "openai/conversations.json": [chatgpt("c1"), chatgpt("c2", "旅行")],
    "openai/chat.html": "<html>the same again</html>",
    "anthropic/conversations.json": [claude()],
    "tg/result.json": telegram(),
    "WhatsApp Chat with Ann.txt": WHATSAPP,
    "mail.mbox": MBOX,
    **{f"slack/{name}": content for name, content in SLACK.items()},
    "notes/garden.md": "# Garden\n\nThe roses need water on Mondays.\n",
    "notes/blob.bin": bytes(range(256)) * 8,
    "notes/empty.txt": "",
}
URLS = [
    "slack:D1", "slack:C1", "chatgpt:c1", "chatgpt:c2", "claude:k1", "telegram:4711", "whatsapp:Ann", "mbox:1@x.org",
]  # fmt: skip


def write(root: Path, files: dict[str, Any]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(as_bytes(content))
    return root


def register(registry: Registry) -> None:
    """Add an importer of one's own: the whole of a plug-in."""
    registry.add("importer", "diary", Diary())


class Diary:
    """Reads files whose name ends with `.diary`, a sentence to a line."""

    def claims(self, archive: Archive) -> list[str]:
        return [name for name in archive.names if name.endswith(".diary")]

    def conversations(self, archive: Archive) -> Any:
        for name in archive.names:
            lines = archive.read(name).decode().splitlines()
            said = [one for line in lines if (one := message("user", line)) is not None]
            yield Conversation(url=f"diary:{name}", title=name, messages=tuple(said))


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[MemoryService]:
    settings = config(blobs={"allowed_roots": [str(tmp_path)]}, jobs={"workers": 0})
    async with MemoryService(settings) as made:
        yield made


def results(taken: ImportResult) -> dict[str | None, MemorizeResult]:
    return {one.url: one.result for one in taken.results if isinstance(one.result, MemorizeResult)}


async def urls(service: MemoryService, user: str = "ann") -> set[str | None]:
    return {one.url for one in await service.list_resources(user=user, limit=100)}


@pytest.mark.parametrize("packed", [False, True])
async def test_everything_at_a_path_is_a_resource_of_its_own(
    service: MemoryService, tmp_path: Path, packed: bool
) -> None:
    path = write(tmp_path / "export", FILES)
    if packed:
        path = tmp_path / "export.zip"
        path.write_bytes(zipped(FILES))
    told: list[ImportEvent] = []
    taken = await service.memorize_all(path, user="ann", progress=told.append)
    assert taken.failures == ()
    assert [one.url for one in taken.results][:-1] == URLS
    place = path.as_uri()
    garden = f"zip:{place}!/notes/garden.md" if packed else f"{place}/notes/garden.md"
    assert await urls(service) == {*URLS, garden}
    assert {one.name: one.reason.split(",")[0] for one in taken.left_out} == {
        f"{path}/notes/blob.bin": "this looks like binary data",
        f"{path}/notes/empty.txt": "it is empty",
    }
    remembered = " ".join(await texts(service))
    for words in ("peanuts", "12 roses", "上海", "red kayak", "Bremen", "Lunch at noon", "water on Mondays"):
        assert words in remembered
    for words in ("the same again", "end-to-end", "joined"):
        assert words not in remembered
    assert [(one.name, one.place) for one in told if one.event is None and one.result is None][2] == (
        "chatgpt: Trip to Rome",
        3,
    )
    assert {one.total for one in told} == {11}


async def test_titles_speakers_and_times_are_kept(service: MemoryService, tmp_path: Path) -> None:
    path = write(tmp_path / "e", FILES)
    taken = results(
        await service.memorize_all(path, user="ann", timezone="Europe/Berlin", metadata={"from": "e"})
    )
    titles = {url: one.resource.title for url, one in taken.items()}
    assert (titles["chatgpt:c2"], titles["slack:C1"], titles["telegram:4711"]) == ("旅行", "#general", "小美")
    (item,) = [item for item in taken["whatsapp:Ann"].added if "kayak" in item.text]
    assert item.said_at == datetime(2023, 5, 8, 11, 56, 30, tzinfo=UTC)
    assert item.metadata["from"] == "e"
    segments = await service.list_segments(taken["whatsapp:Ann"].resource.id, user="ann")
    assert [(one.kind, one.speaker) for one in segments] == [
        ("context", "Ann"),
        ("turn", "Ann"),
        ("turn", "Bob"),
    ]


async def test_a_newer_export_adds_only_what_is_new(service: MemoryService, tmp_path: Path) -> None:
    first = write(
        tmp_path / "first", {"conversations.json": [chatgpt()], "WhatsApp Chat with Ann.txt": WHATSAPP}
    )
    before = results(await service.memorize_all(first, user="ann"))
    again = results(await service.memorize_all(first, user="ann"))
    assert all(one.unchanged for one in again.values())
    grown = chatgpt(
        "c1", "Trip to Rome", node("m3", "m2", "user", "I also hate olives.", create_time=1683554999)
    )
    more = WHATSAPP + "[14.05.23, 09:00:00] Bob: I sold my tent.\n"
    second = tmp_path / "second.zip"
    second.write_bytes(
        zipped({"x/conversations.json": [chatgpt("c9"), grown], "WhatsApp Chat with Ann.txt": more})
    )
    after = results(await service.memorize_all(second, user="ann"))
    assert {item.text for item in after["chatgpt:c1"].added} == {"I also hate olives."}
    assert [item.text for item in after["whatsapp:Ann"].added] == ["I sold my tent."]
    assert after["chatgpt:c1"].resource.id == before["chatgpt:c1"].resource.id
    assert after["chatgpt:c1"].resource.title == "Trip to Rome"
    assert after["chatgpt:c1"].resource.segment_count == 3
    assert after["chatgpt:c9"].added == ()


async def test_the_same_file_in_a_newer_zip_is_known(service: MemoryService, tmp_path: Path) -> None:
    note, other = "Ann keeps bees in Bonn.", "Bob builds boats."
    for name, files in (("1.zip", {"a.txt": note}), ("2.zip", {"b.txt": note, "c.txt": other})):
        (tmp_path / name).write_bytes(zipped(files))
        taken = await service.memorize_all(tmp_path / name, user="ann")
    assert [one.result.unchanged for one in taken.results if isinstance(one.result, MemorizeResult)] == [
        True,
        False,
    ]
    assert len(await urls(service)) == 2
    # The same address, with what another file held before: each file is what it holds now.
    (tmp_path / "2.zip").write_bytes(zipped({"b.txt": other, "c.txt": note}))
    await service.memorize_all(tmp_path / "2.zip", user="ann")
    assert sorted(await texts(service)) == [note, other]


async def test_one_failure_does_not_stop_the_rest(service: MemoryService, tmp_path: Path) -> None:
    whole = json.dumps([chatgpt("c1"), chatgpt("c2")])
    files = {
        "a/conversations.json": whole[:-300],
        "bad.zip": b"PK\x03\x04" + bytes(60),
        "chat.json": '[{"role": "user", "content": {"deep": 1}}]',
        "good.txt": "Ann keeps bees.",
    }
    path = write(tmp_path / "e", files)
    taken = await service.memorize_all(path, user="ann", concurrency=3)
    assert [one.name.removeprefix(str(path)) for one in taken.failures] == [
        "/a/conversations.json", "/chat.json", "/bad.zip",
    ]  # fmt: skip
    assert set(results(taken)) == {"chatgpt:c1", (path / "good.txt").as_uri()}
    assert "Ann keeps bees." in await texts(service)


async def test_what_was_stopped_goes_on(service: MemoryService, tmp_path: Path) -> None:
    path = write(tmp_path / "e", {"conversations.json": [chatgpt(f"c{n}", f"T{n}") for n in range(6)]})

    def stop(event: ImportEvent) -> None:
        if event.place == 4:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await service.memorize_all(path, user="ann", progress=stop)
    assert await urls(service) == {"chatgpt:c0", "chatgpt:c1", "chatgpt:c2"}
    taken = results(await service.memorize_all(path, user="ann"))
    assert [one.unchanged for one in taken.values()] == [True, True, True, False, False, False]


async def test_users_do_not_share_what_has_the_same_address(service: MemoryService, tmp_path: Path) -> None:
    path = write(tmp_path / "e", {"conversations.json": [chatgpt()]})
    await service.for_user("ann").memorize_all(path)
    other = write(tmp_path / "f", {"conversations.json": [chatgpt() | {"title": "Bob's"}]})
    assert await urls(service, "bob") == set()
    taken = results(await service.for_user("bob").memorize_all(other))
    assert taken["chatgpt:c1"].added
    assert [one.title for one in await service.list_resources(user="ann")] == ["Trip to Rome"]
    (tmp_path / "x.zip").write_bytes(zipped({"a.txt": "Ann keeps bees."}))
    (tmp_path / "y.zip").write_bytes(zipped({"a.txt": "Ann keeps bees."}))
    await service.memorize_all(tmp_path / "x.zip", user="ann")
    packed = (await service.memorize_all(tmp_path / "y.zip", user="bob")).results[0].result
    assert isinstance(packed, MemorizeResult)
    assert packed.resource.scope.user == "bob"
    with pytest.raises(ScopeRequired):
        await service.memorize_all(path)


async def test_a_survey_tells_what_there_is_and_stores_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "e", FILES)
    database = tmp_path / "memu.db"
    settings = config(database, blobs={"allowed_roots": [str(path)]}, timezones={"mei": "Asia/Shanghai"})
    async with MemoryService(settings) as service:
        pass
    fresh = tmp_path / "other.db"
    service = MemoryService({**settings, "database": {"backend": "sqlite", "path": str(fresh)}})
    found = await service.survey(path, user="mei")
    await service.close()
    assert not fresh.exists()
    assert [one.url for one in found.conversations] == URLS
    kayak = next(one for one in found.conversations if one.importer == "whatsapp")
    assert (kayak.title, kayak.messages, kayak.file) == ("Ann", 3, f"{path}/WhatsApp Chat with Ann.txt")
    assert kayak.started == datetime(2023, 5, 8, 5, 56, 1, tzinfo=UTC)
    assert [(one.modality, one.size) for one in found.files] == [("markdown", 43)]
    assert len(found.left_out) == 2


async def test_an_importer_and_a_modality_may_be_named(service: MemoryService, tmp_path: Path) -> None:
    path = write(tmp_path / "e", FILES)
    found = await service.survey(path, user="ann", importer="claude")
    assert [one.url for one in found.conversations] == ["claude:k1"]
    assert sum("only claude is asked for" in one.reason for one in found.left_out) == 5
    told = await service.survey(path / "WhatsApp Chat with Ann.txt", user="ann", modality="text")
    assert (told.conversations, [one.modality for one in told.files]) == ((), ["transcript"])
    with pytest.raises(InvalidInput, match="did you mean `claude`"):
        await service.memorize_all(path, user="ann", importer="claud")


async def test_an_export_alone_is_not_taken_for_one_conversation(
    service: MemoryService, tmp_path: Path
) -> None:
    path = write(tmp_path / "e", FILES)
    for name, what in (
        ("openai/conversations.json", "a chatgpt export of 2 conversations"),
        ("anthropic/conversations.json", "a claude export of 1 conversation"),
        ("tg/result.json", "a telegram export of 1 conversation"),
        ("mail.mbox", "a mbox export of 1 conversation"),
    ):
        for wait in (True, False):
            with pytest.raises(InvalidInput, match=f"{what} .*memorize_all"):
                await service.memorize(resource_url=str(path / name), user="ann", wait=wait)
        with pytest.raises(InvalidInput, match=what):
            await service.memorize(data=(path / name).read_bytes(), user="ann")
    with pytest.raises(InvalidInput, match=r"a ZIP archive.*memorize_all"):
        await service.memorize(data=zipped({"a": "b"}), user="ann")
    assert await urls(service) == set()
    with pytest.raises(InvalidInput, match="a whatsapp export of 1 conversation"):
        await service.memorize(data="2023/5/8 下午1:56 - 小美: 我喜欢喝茶。\n".encode(), user="ann")
    # The text of a chat that was pasted, or handed over as it is, is a transcript.
    result = await service.memorize(data=WHATSAPP.encode(), user="ann")
    assert result.resource.modality == "transcript"


async def test_jobs_take_it_in_later(service: MemoryService, tmp_path: Path) -> None:
    path = write(
        tmp_path / "e",
        {"conversations.json": [chatgpt()], "a.txt": "Ann keeps bees.", "b.bin": b"\0\1\2" * 99},
    )
    taken = await service.memorize_all(path, user="ann", wait=False)
    assert [isinstance(one.result, Job) for one in taken.results] == [True, True]
    assert len(taken.left_out) == 1
    assert await urls(service) == set()
    await service.work(once=True)
    titles = {one.url: one.title for one in await service.list_resources(user="ann")}
    assert titles == {"chatgpt:c1": "Trip to Rome", (path / "a.txt").as_uri(): "a.txt"}


async def test_paths_outside_and_paths_to_nothing_are_refused(service: MemoryService, tmp_path: Path) -> None:
    (tmp_path / "void").mkdir()
    for path, error in (
        ("/etc", AccessDenied),
        (tmp_path / "none", NotFound),
        (tmp_path / "void", InvalidInput),
    ):
        with pytest.raises(error):
            await service.memorize_all(path, user="ann")
        with pytest.raises(error):
            await service.survey(path, user="ann")
    with pytest.raises(InvalidInput, match="concurrency"):
        await service.memorize_all(tmp_path, user="ann", concurrency=0)


async def test_an_importer_of_a_plug_in_is_asked_first(tmp_path: Path) -> None:
    path = write(tmp_path, {"may.diary": "Today I planted 12 roses.\n"})
    settings = config(blobs={"allowed_roots": [str(path)]})
    async with MemoryService({**settings, "plugins": [*settings["plugins"], __name__]}) as service:
        taken = await service.memorize_all(path, user="ann", importer="diary")
        assert [one.url for one in taken.results] == ["diary:may.diary"]
        assert await texts(service) == ["Today I planted 12 roses."]


def test_the_same_without_async(tmp_path: Path) -> None:
    path = write(tmp_path, {"conversations.json": [chatgpt()]})
    with SyncMemoryService(config(blobs={"allowed_roots": [str(path)]})) as service:
        assert len(service.survey(path, user="ann").conversations) == 1
        assert len(service.for_user("ann").memorize_all(path).results) == 1
        assert service.count_items(user="ann") > 0
