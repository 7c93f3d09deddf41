"""Reading again what could not be read: which parts, as whose, from which bytes, and at what cost."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from cli_kit import Memu
from models_kit import VERBATIM
from reading_kit import model_at

from memu_py import MemoryService
from memu_py.errors import BudgetExceeded, NotFound, StoreError
from memu_py.records.resource import Resource
from memu_py.service.results import MemorizeResult
from memu_py.testing.chat_answers import CHAT, chat
from memu_py.testing.http import Answer, Request
from memu_py.testing.refusals import failed
from memu_py.testing.server import ScriptedServer

MONDAY = "2026-03-02T09:00:00Z"


class Extractor:
    """A model that makes an item of each turn, but for the words that it chokes on."""

    def __init__(self, server: ScriptedServer) -> None:
        self.chokes: list[str] = []
        self._server = server
        server.route(CHAT, self._answer)

    async def _answer(self, request: Request) -> Answer:
        turns = self._turns(request)
        if any(word in turns for word in self.chokes):
            return failed(500, "out of order")
        ids = [line[1 : line.index("]")] for line in turns.splitlines() if line.startswith("[t")]
        items = [{"type": "fact", "text": f"Fact of {turns[:60]} {one}", "source": [one]} for one in ids]
        return chat(json.dumps({"items": items}))

    @property
    def read(self) -> list[str]:
        """What it was given to read, by call."""
        return [self._turns(request) for request in self._server.requests]

    @staticmethod
    def _turns(request: Request) -> str:
        return str(request.json["messages"][1]["content"]).split("[block turns ")[1].partition("\n")[2]


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


@pytest.fixture
def model(server: ScriptedServer) -> Extractor:
    return Extractor(server)


@pytest.fixture
async def service(server: ScriptedServer, model: Extractor, tmp_path: Path) -> AsyncIterator[MemoryService]:
    steps = [{"use": "extract_entities", "with": {"window_tokens": 100, "overlap": 1}}]
    config = {
        "database": {"path": str(tmp_path / "memu.db")},
        "blobs": {"allowed_roots": [str(tmp_path)]},
        "llm": model_at(server),
        "workflows": {"memorize": {"steps": steps}},
    }
    async with MemoryService(config) as made:
        yield made


def said(*texts: str) -> list[dict[str, Any]]:
    return [{"role": "user", "name": "Ann", "content": text, "created_at": MONDAY} for text in texts]


def long(*words: str) -> list[dict[str, Any]]:
    return said(*(f"{word}: {'so it goes ' * 30}" for word in words))


async def test_only_what_failed_is_read_and_paid_for_again(service: MemoryService, model: Extractor) -> None:
    model.chokes = ["Beta"]
    first = await service.memorize(
        messages=long("Alpha", "Beta", "Gamma"), user="ann", agent="a", session="s"
    )
    assert first.resource.status == "partial"
    assert [one.status for one in first.outcomes] == ["stored", "failed", "stored"]
    before = len(model.read)
    (still,) = await service.retry(user="ann")
    assert (still.resource.status, [one.status for one in still.outcomes]) == ("partial", ["failed"])

    model.chokes = []
    (result,) = await service.retry(first.resource.id, user="ann")
    assert [(one.ordinal, one.status) for one in result.outcomes] == [(1, "stored")]
    assert (result.resource.id, result.resource.status, result.resource.reason) == (
        first.resource.id,
        "complete",
        None,
    )
    assert result.usage.chat_calls == 1
    again = model.read[before:]
    assert len(again) == 2
    assert all("Beta" in turns and "Gamma" not in turns for turns in again)
    (item,) = result.added
    # As the one who said it first, at the time when it was said.
    assert (item.scope.agent, item.scope.session, item.speaker) == ("a", "s", "Ann")
    assert item.said_at is not None
    assert item.said_at.isoformat() == "2026-03-02T09:00:00+00:00"

    assert await service.retry(user="ann") == []
    (done,) = await service.retry(first.resource.id, user="ann")
    assert done.unchanged
    assert len(model.read) == before + 2
    assert await service.integrity() == []


async def memorized(service: MemoryService, kind: str, folder: Path) -> Resource:
    text = "# Beta\n\nAnn plays the cello.\n\n安在波尔图拉大提琴。"
    if kind == "file":
        path = folder / "notes of ann.md"
        path.write_bytes(b"\xef\xbb\xbf" + text.encode())
        result = await service.memorize(resource_url=str(path), user="ann")
        path.unlink()
        return result.resource
    given: dict[str, Any] = {
        "text": {"text": text, "metadata": {"topic": "music"}},
        "named": {"text": text, "resource_url": "ticket 7"},
        "data": {"data": text.encode("gb18030"), "modality": "markdown"},
        "transcript": {"text": "Ann: Beta is where I live.\nBob: And I in Porto.\nAnn: I know that."},
        "messages": {"messages": long("Beta")},
        "conversation": {"messages": long("Beta"), "resource_url": "conversation://c"},
    }
    made: MemorizeResult = await service.memorize(**given[kind], user="ann")
    return made.resource


@pytest.mark.parametrize("kind", ["text", "named", "data", "file", "transcript", "messages", "conversation"])
async def test_whatever_it_was_it_is_read_from_what_is_stored(
    service: MemoryService, model: Extractor, tmp_path: Path, kind: str
) -> None:
    model.chokes = ["[t0]"]
    resource = await memorized(service, kind, tmp_path)
    assert resource.status == "partial"
    original = await service.read_resource(resource.id, user="ann")
    model.chokes = []
    (result,) = await service.retry(user="ann")

    kept = ("id", "title", "url", "modality", "media_type", "content_hash", "segment_count", "metadata")
    assert {name: getattr(result.resource, name) for name in kept} == {
        name: getattr(resource, name) for name in kept
    }
    assert result.resource.status == "complete"
    assert result.added
    assert await service.read_resource(resource.id, user="ann") == original
    assert len(await service.list_resources(user="ann")) == 1


async def test_all_have_their_turn_and_a_kept_conversation_waits(
    service: MemoryService, model: Extractor
) -> None:
    model.chokes = ["Alpha", "Beta", "Gamma"]
    ids = [
        (await service.memorize(messages=long(word), user="ann")).resource.id
        for word in ("Alpha", "Beta", "Gamma")
    ]
    await service.memorize(messages=long("Alpha"), user="bob")
    await service.conversations.add("later", said("I like tea."), user="ann")
    model.chokes = ["Beta"]
    results = await service.retry(user="ann")
    assert [(one.resource.id, one.resource.status) for one in results] == [
        (ids[0], "complete"),
        (ids[1], "partial"),
        (ids[2], "complete"),
    ]
    (left,) = await service.list_resources(user="bob")
    assert left.status == "partial"


async def test_an_error_of_one_comes_after_the_others(service: MemoryService, model: Extractor) -> None:
    model.chokes = ["Alpha", "Beta"]
    first, second = [
        (await service.memorize(messages=long(word), user="ann")).resource for word in ("Alpha", "Beta")
    ]
    model.chokes = []
    await service._runtime.blobs.delete([first.blob])
    with pytest.raises((NotFound, StoreError)) as told:
        await service.retry(user="ann")
    assert f"resource {first.id}" in told.value.__notes__
    assert (await service.get_resource(second.id, user="ann")).status == "complete"


async def test_somebody_elses_resource_is_not_found(service: MemoryService, model: Extractor) -> None:
    model.chokes = ["Alpha"]
    resource = (await service.memorize(messages=long("Alpha"), user="ann", agent="a")).resource
    for view in (service.for_user("bob"), service.for_user("ann", agent="b")):
        with pytest.raises(NotFound, match="no resource"):
            await view.retry(resource.id)
        assert await view.retry() == []
    assert len(model.read) == 1


async def test_a_budget_stops_a_retry_as_it_stops_all_else(
    server: ScriptedServer, model: Extractor, tmp_path: Path
) -> None:
    model.chokes = ["Alpha"]
    config = {"database": {"path": str(tmp_path / "memu.db")}, "llm": model_at(server)}
    async with MemoryService(config) as service:
        await service.memorize(messages=long("Alpha"), user="ann")
    async with MemoryService({**config, "budget": {"tokens_per_run": 1}}) as service:
        with pytest.raises(BudgetExceeded):
            await service.retry(user="ann")


@pytest.fixture
def choking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str | None], None]:
    """Writes a configuration whose memorize fails the segments with a word."""

    def write(word: str | None) -> None:
        steps: list[Any] = [{"use": "break_segments", "with": {"containing": word}}] if word else []
        config = {
            "plugins": ["service_kit"],
            "embedding": {"backend": "hashing"},
            "workflows": {"memorize": {"steps": [*steps, VERBATIM]}},
        }
        Path("config.yaml").write_text(json.dumps(config))

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEMU_CONFIG", raising=False)
    return write


def test_the_command_reads_again_and_says_what_became_of_it(
    memu: Memu, choking: Callable[[str | None], None]
) -> None:
    choking("boat")
    Path("a.txt").write_text("Ann owns a boat.")
    Path("b.txt").write_text("Bo has a blue boat.")
    code, _, err = memu("memorize", "a.txt", "b.txt")
    assert code == 1
    assert "`memu retry` tries again: the model is away" in err

    choking("blue")
    code, out, err = memu("retry")
    assert code == 1
    assert [line.split("\t")[0::6] for line in out.splitlines()] == [
        ["resource", "result"],
        ["a.txt", "stored"],
        ["b.txt", "partial"],
    ]
    assert (
        err.strip()
        == "Error: b.txt: parts that could not be read: 1; `memu retry` tries again: the model is away"
    )
    code, out, _ = memu("retry", "--json")
    (one,) = json.loads(out)
    assert (code, one["resource"]["status"], one["id"]) == (1, "partial", one["resource"]["id"])

    choking(None)
    assert memu("retry", one["id"], "--user", "bob")[0] == 1
    code, out, _ = memu("retry", one["id"])
    assert (code, out.splitlines()[1].split("\t")) == (0, ["b.txt", "1", "1", "0", "0", "0", "stored"])
    assert memu("retry")[::2] == (0, "Everything was read.\n")
    assert memu("retry", "--json")[:2] == (0, "[]\n")
    assert memu("retry", one["id"])[1].splitlines()[1].endswith("unchanged")
    assert "blue boat" in memu("items")[1]
