"""Memorizing by address: what is kept of it, and what is never asked."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from cli_kit import CONFIG, Memu
from service_kit import config, texts
from web_kit import WebServer, page, redirect, serving, web

from memu_py import MemoryService
from memu_py.blobs.web import Web
from memu_py.errors import AccessDenied, FetchError, InvalidInput, NotFound, UnsupportedModality

ENABLED = {"http": {"enabled": True}}


@pytest.fixture
async def server() -> AsyncIterator[WebServer]:
    async with serving() as running:
        yield running


@pytest.fixture
async def service(server: WebServer) -> AsyncIterator[MemoryService]:
    """A service that may ask the test's server, and nothing else."""
    async with MemoryService(config(ingest=ENABLED)) as running:
        running._runtime.web = web(server)
        yield running


async def test_nothing_is_fetched_unless_it_is_enabled() -> None:
    async with MemoryService(config()) as service:
        for wait in (True, False):
            with pytest.raises(AccessDenied, match=r"`ingest\.http\.enabled: true`"):
                await service.memorize(resource_url="https://example.org/", user="ann", wait=wait)
        assert await texts(service) == []


async def test_what_is_enabled_asks_no_private_address(server: WebServer) -> None:
    settings = {"http": {"enabled": True, "ports": [80, server.port]}}
    async with MemoryService(config(ingest=settings)) as service:
        for host in ("127.0.0.1", "localhost", "[::1]", "2130706433", "169.254.169.254"):
            with pytest.raises(AccessDenied, match="not public"):
                await service.memorize(resource_url=f"http://{host}:{server.port}/", user="ann")
    assert server.requests == []


async def test_a_page_becomes_a_resource_with_its_address(service: MemoryService, server: WebServer) -> None:
    server.pages["/trips.md"] = page(b"# Trips\n\nAnn sails to Porto in May 2026.", "text/markdown")
    result = await service.memorize(resource_url=server.url("/trips.md#may"), user="ann")

    assert (result.resource.modality, result.resource.title) == ("markdown", "Trips")
    assert result.resource.url == server.url("/trips.md")
    assert result.resource.metadata == {}
    assert (
        await service.read_resource(result.resource.id, user="ann")
        == b"# Trips\n\nAnn sails to Porto in May 2026."
    )
    found = await service.retrieve("Where does Ann sail in May?", user="ann")
    assert found.items[0].record.text == "Ann sails to Porto in May 2026."


async def test_the_same_page_again_is_known_and_a_changed_one_is_the_same_resource(
    service: MemoryService, server: WebServer
) -> None:
    url = server.url("/a")
    server.pages["/a"] = page(b"Ann sails to Porto.\n\nAnn plays the cello.")
    first = await service.memorize(resource_url=url, user="ann")
    again = await service.memorize(resource_url=url + "#x", user="ann")
    server.pages["/a"] = page(b"Ann sails to Porto.\n\nAnn plays the harp.")
    changed = await service.memorize(resource_url=url, user="ann")

    assert (again.unchanged, again.resource.id) == (True, first.resource.id)
    assert (changed.unchanged, changed.resource.id) == (False, first.resource.id)
    assert sorted(await texts(service)) == ["Ann plays the harp.", "Ann sails to Porto."]


async def test_where_redirects_led_is_kept_beside_the_callers_metadata(
    service: MemoryService, server: WebServer
) -> None:
    server.pages["/old"] = redirect("/new")
    server.pages["/new"] = page(b"Ann sails to Porto.")
    result = await service.memorize(resource_url=server.url("/old"), user="ann", metadata={"topic": "trips"})

    assert result.resource.url == server.url("/old")
    assert result.resource.metadata == {"topic": "trips", "final_url": server.url("/new")}


async def test_a_job_keeps_what_was_fetched_when_it_was_asked_for(
    service: MemoryService, server: WebServer
) -> None:
    server.pages["/old"] = redirect("/new.md")
    server.pages["/new.md"] = page(b"Ann sails to Porto.", "text/markdown")
    job = await service.memorize(resource_url=server.url("/old"), user="ann", wait=False)
    server.pages.clear()
    await service.jobs.wait(job.id, user="ann")
    (resource,) = await service.list_resources(user="ann")

    assert resource.url == server.url("/old")
    assert resource.metadata == {"final_url": server.url("/new.md")}
    assert await texts(service) == ["Ann sails to Porto."]


async def test_the_bytes_tell_what_a_page_is_and_neither_its_name_nor_the_server(
    service: MemoryService, server: WebServer
) -> None:
    server.pages["/photo.png"] = page(b"Ann sails to Porto.", "image/png")
    server.pages["/notes.txt"] = page(b"\x7fELF\x02\x01\x01" + bytes(99), "text/plain")
    result = await service.memorize(resource_url=server.url("/photo.png"), user="ann")

    assert (result.resource.modality, result.resource.media_type) == ("text", "text/plain")
    with pytest.raises(UnsupportedModality, match="looks like"):
        await service.memorize(resource_url=server.url("/notes.txt"), user="ann")


async def test_what_cannot_be_fetched_leaves_nothing(service: MemoryService, server: WebServer) -> None:
    server.pages["/none"] = page(b"", "text/plain")
    server.pages["/broken"] = page(b"", "text/plain", status=500)
    server.pages["/program"] = page(b"tea", "application/x-sh")
    for path, error in (
        ("/missing", NotFound),
        ("/none", InvalidInput),
        ("/broken", FetchError),
        ("/program", InvalidInput),
    ):
        with pytest.raises(error):
            await service.memorize(resource_url=server.url(path), user="ann")
    assert len(await service.list_resources(user="ann")) == 0
    assert await service._runtime.blobs.keys() == []


async def test_an_address_beside_content_only_names_it(service: MemoryService, server: WebServer) -> None:
    result = await service.memorize(resource_url=server.url("/a"), text="Ann sails to Porto.", user="ann")

    assert result.resource.url == server.url("/a")
    assert server.requests == []


async def test_the_limits_are_those_of_the_configuration() -> None:
    settings = {"http": {"enabled": True, "max_bytes": 10, "timeout_s": 3}}
    async with MemoryService(config(ingest=settings, blobs={"max_bytes": 1000})) as service:
        reader = service._runtime.web
        assert isinstance(reader, Web)
        assert (reader._max_bytes, reader._settings.timeout_s) == (10, 3)


def test_the_command_line_takes_addresses_and_says_what_to_enable(
    memu: Memu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(CONFIG)
    code, out, err = memu("memorize", "https://127.0.0.1/a.pdf")
    assert code == 1
    assert "`ingest.http.enabled: true`" in " ".join((out + err).split())

    (tmp_path / "config.yaml").write_text(CONFIG + "ingest: {http: {enabled: true}}\n")
    code, out, err = memu("memorize", "HTTPS://127.0.0.1/a.pdf")
    assert code == 1
    assert "not public" in " ".join((out + err).split())
