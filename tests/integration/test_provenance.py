"""From an item back to the page that says it: in Python and on the command line."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from cli_kit import CONFIG, Memu, take
from pages_kit import pages
from service_kit import config

from memu_py import MemoryService
from memu_py.errors import NotFound
from memu_py.records.locator import Locator
from memu_py.records.place import Place

LEASE = pages("The lease begins in March.", "The rent is 900 euros.", "Cats are allowed in the flat.")


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[MemoryService]:
    (tmp_path / "our lease.pdf").write_text(LEASE)
    settings = config(plugins=["service_kit", "pages_kit"], blobs={"allowed_roots": [str(tmp_path)]})
    async with MemoryService(settings) as running:
        file = str(tmp_path / "our lease.pdf")
        await running.memorize(resource_url=file, user="ann", metadata={"topic": "home"})
        yield running


async def top(service: MemoryService, question: str) -> str:
    return (await service.retrieve(question, user="ann")).items[0].record.id


async def test_an_item_leads_back_to_its_page(service: MemoryService) -> None:
    (place,) = await service.locate(await top(service, "How much is the rent?"), user="ann")

    assert place.locator == Locator(page=2)
    assert place.text == "The rent is 900 euros."
    assert str(place) == "our lease.pdf, page 2"
    assert await service.read_resource(place.resource.id, user="ann") == LEASE.encode()


async def test_what_is_said_in_two_places_has_both(service: MemoryService) -> None:
    await service.memorize(data=pages("An intro.", "", "", "The rent is 900 euros.").encode(), user="ann")
    await service.memorize(text="The rent is 900 euros.", resource_url="a note", user="ann")
    places = await service.locate(await top(service, "How much is the rent?"), user="ann")

    assert [str(place) for place in places] == [
        "our lease.pdf, page 2",
        "A lease, page 4",
        "The rent is 900 euros.",
    ]
    assert [place.text for place in places] == ["The rent is 900 euros."] * 3


async def test_the_page_follows_when_the_original_changes(service: MemoryService, tmp_path: Path) -> None:
    item = await top(service, "Are cats allowed?")
    changed = LEASE.replace("# page\nThe rent", "# page\nA new page.\n# page\nThe rent")
    (tmp_path / "our lease.pdf").write_text(changed)
    await service.memorize(resource_url=str(tmp_path / "our lease.pdf"), user="ann")
    (segment,) = [one for one in await _segments(service) if "Cats" in one[0]]
    (place,) = await service.locate(item, user="ann")

    assert place.text == "Cats are allowed in the flat."
    assert segment == (place.text, {"page": 4})
    assert place.locator == Locator(page=4)
    moved = await service.get_item(item, user="ann")
    assert moved.metadata == {"topic": "home", "locator": {"page": 4}}


async def _segments(service: MemoryService) -> list[tuple[str, object]]:
    (resource,) = await service.list_resources(user="ann")
    segments = await service.list_segments(resource.id, user="ann")
    return [(one.text, one.metadata["locator"]) for one in segments]


async def test_items_by_hand_were_found_nowhere_and_others_are_out_of_reach(service: MemoryService) -> None:
    made = await service.create_item("Ann sings.", user="ann")
    assert await service.locate(made.id, user="ann") == []
    for item in (made.id, "nobody"):
        with pytest.raises(NotFound, match="no item"):
            await service.locate(item, user="bob")


async def test_a_place_is_named_by_its_file_else_by_its_title(service: MemoryService) -> None:
    (resource,) = await service.list_resources(user="ann")
    named = {
        "https://example.org/docs/a%20b.pdf?x=1": "a b.pdf",
        "https://example.org/": "A lease",
        "conversation://chat-1": "A lease",
        None: "A lease",
    }
    for url, name in named.items():
        assert str(Place(resource=resource.evolve(url=url), ordinal=0)) == name
    bare = resource.evolve(url=None, title="")
    assert str(Place(resource=bare, ordinal=0, locator=Locator(page=1))) == f"{resource.id}, page 1"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(CONFIG.replace("service_kit", "service_kit, pages_kit"))
    return tmp_path


def test_the_command_line_shows_where_each_hit_stands(memu: Memu, home: Path) -> None:
    take(memu, "[my] lease.pdf", LEASE)
    take(memu, "note.txt", "The rent went up.")
    code, out, _ = memu("retrieve", "How much is the rent?")
    head, *rows = [line.split("\t") for line in out.splitlines() if "\t" in line]

    assert code == 0
    assert head[:4] == ["score", "memory", "when", "where"]
    where = {row[1]: row[3] for row in rows}
    assert where["The rent is 900 euros."] == "[my] lease.pdf, page 2"
    assert where["The rent went up."] == "note.txt"
    (first, *_) = json.loads(memu("retrieve", "How much is the rent?", "--json")[1])["items"]
    assert first["record"]["sources"][0]["metadata"]["locator"] == {"page": 2}


def test_the_table_has_no_such_column_where_nothing_has_places(memu: Memu, home: Path) -> None:
    take(memu, "note.txt", "The rent went up.")
    assert "where" not in memu("retrieve", "What about the rent?")[1].splitlines()[0]
