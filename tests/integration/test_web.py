"""Fetching from a real server: what comes back, what is never asked, and what is given up."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from web_kit import (
    HOST,
    NAME,
    Serve,
    WebServer,
    at_home,
    chunked,
    endless,
    head,
    packed,
    page,
    redirect,
    serving,
    silent,
    web,
)

from memu_py.errors import AccessDenied, FetchError, InvalidInput, MemuError, NotFound

MB = 1024 * 1024


@pytest.fixture
async def server() -> AsyncIterator[WebServer]:
    async with serving() as running:
        yield running


async def test_a_page_comes_back_whole(server: WebServer) -> None:
    server.pages["/notes/tea%20list.txt"] = page("我喜欢茶".encode(), "Text/Plain; charset=utf-8")
    found = await web(server).read(server.url("/notes/tea list.txt#top"))

    assert found.data.decode() == "我喜欢茶"
    assert (found.media_type, found.name) == ("text/plain", "tea list.txt")
    assert found.url == found.final_url == server.url("/notes/tea%20list.txt")


async def test_the_server_is_told_the_name_and_who_asks_and_nothing_else(
    server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    server.pages["/"] = redirect("/b")
    server.pages["/b"] = page(b"tea")
    found = await web(server).read(server.url("/"))
    first, second = server.requests

    assert (found.name, found.url, found.final_url) == ("b", server.url("/"), server.url("/b"))
    assert first.headers["host"] == f"{NAME}:{server.port}"
    assert first.headers["user-agent"].startswith("memu_py/")
    assert set(second.headers) == {"host", "user-agent", "accept", "accept-encoding"}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed(server: WebServer, status: int) -> None:
    server.pages["/a/b"] = redirect("../c?x=1", status)
    server.pages["/c?x=1"] = redirect(f"//other.test:{server.port}/d", status)
    server.pages["/d"] = page(b"tea")
    found = await web(server).read(server.url("/a/b"))

    assert found.data == b"tea"
    assert found.final_url == server.url("/d", host="other.test")
    assert server.requests[-1].headers["host"] == f"other.test:{server.port}"


async def test_a_redirect_in_a_circle_ends(server: WebServer) -> None:
    server.pages["/a"] = redirect("/a")
    with pytest.raises(InvalidInput, match="redirects more than 3 times"):
        await web(server, max_redirects=3).read(server.url("/a"))
    assert len(server.requests) == 4


async def test_no_redirect_is_followed_where_none_is_allowed(server: WebServer) -> None:
    server.pages["/a"] = redirect("/b")
    with pytest.raises(InvalidInput, match=r"ingest\.http\.max_redirects"):
        await web(server, max_redirects=0).read(server.url("/a"))


@pytest.mark.parametrize(
    ("location", "error", "message"),
    [
        ("http://169.254.169.254:{port}/latest/meta-data/", AccessDenied, "not public"),
        ("http://[::1]:{port}/", AccessDenied, "not public"),
        ("http://pages.test/", AccessDenied, "asks port 80"),
        ("file:///etc/passwd", AccessDenied, "no http: or https: address"),
        ("gopher://pages.test/", AccessDenied, "no http: or https: address"),
        ("http://ann:secret@pages.test:{port}/", InvalidInput, "name or password"),
        ("http://pages.test:99999x/", InvalidInput, "no usable address"),
        ("", InvalidInput, "redirects to nowhere"),
    ],
)
async def test_each_redirect_is_looked_at_like_an_address_of_its_own(
    server: WebServer, location: str, error: type[MemuError], message: str
) -> None:
    server.pages["/a"] = redirect(location.format(port=server.port))
    with pytest.raises(error, match=message) as told:
        await web(server).read(server.url("/a"))
    assert len(server.requests) == 1
    assert "secret" not in str(told.value)


async def test_the_address_that_was_checked_is_the_one_that_is_asked(server: WebServer) -> None:
    """A name that leads elsewhere the second time (DNS rebinding) is not asked a second time."""
    answers = [[HOST], ["127.0.0.2"]]

    async def changing(host: str, port: int) -> list[str]:
        return answers.pop(0)

    server.pages["/a"] = page(b"tea")
    assert (await web(server, resolve=changing).read(server.url("/a"))).data == b"tea"
    assert answers == [["127.0.0.2"]]


async def test_a_name_that_leads_elsewhere_after_a_redirect_is_refused(server: WebServer) -> None:
    answers = [[HOST], ["10.0.0.1"]]

    async def changing(host: str, port: int) -> list[str]:
        return answers.pop(0)

    server.pages["/a"] = redirect("/b")
    with pytest.raises(AccessDenied, match=r"pages\.test leads to an address that is not public") as told:
        await web(server, resolve=changing).read(server.url("/a"))
    assert "10.0.0.1" not in str(told.value)


async def test_one_private_address_among_public_ones_is_enough_to_refuse(server: WebServer) -> None:
    async def mixed(host: str, port: int) -> list[str]:
        return [HOST, "10.0.0.1"]

    with pytest.raises(AccessDenied, match="not public"):
        await web(server, resolve=mixed).read(server.url("/a"))
    assert server.requests == []


async def test_the_next_address_is_asked_where_one_does_not_answer(server: WebServer) -> None:
    async def several(host: str, port: int) -> list[str]:
        return ["127.0.0.3", HOST]

    server.pages["/a"] = page(b"tea")
    reader = web(server, resolve=several, allow=lambda address: address.startswith("127."))
    assert (await reader.read(server.url("/a"))).data == b"tea"


async def test_a_host_without_addresses_is_told(server: WebServer) -> None:
    async def nothing(host: str, port: int) -> list[str]:
        return []

    with pytest.raises(FetchError, match=r"there is no host pages\.test"):
        await web(server, resolve=nothing).read(server.url("/a"))


async def test_a_server_that_is_not_there_is_told(server: WebServer) -> None:
    async def elsewhere(host: str, port: int) -> list[str]:
        return ["127.0.0.3"]

    with pytest.raises(FetchError, match="cannot be read"):
        await web(server, resolve=elsewhere, allow=lambda _: True).read(server.url("/a"))


@pytest.mark.parametrize(
    ("url", "error", "message"),
    [
        ("http://ann:pw@pages.test/", InvalidInput, "name or password"),
        ("http://pages.test:25/", AccessDenied, "asks port 25, and allowed are 80, 443"),
        ("http:pages.test", InvalidInput, "names no host"),
        ("http://", InvalidInput, "names no host"),
        ("http://a\tb/", InvalidInput, "no usable address"),
        ("http://①②⑦.⓪.⓪.①/", InvalidInput, "no usable address"),
        ("http://0177.0.0.1/", InvalidInput, "no usable address"),
        ("ftp://pages.test/", AccessDenied, "no http: or https: address"),
    ],
)
async def test_unusable_addresses(server: WebServer, url: str, error: type[MemuError], message: str) -> None:
    with pytest.raises(error, match=message):
        await web(server, ports=(80, 443)).read(url)


async def test_international_names_and_usual_ports_have_one_form(server: WebServer) -> None:
    asked: list[tuple[str, int]] = []

    async def noting(host: str, port: int) -> list[str]:
        asked.append((host, port))
        return ["10.0.0.1"]

    reader = web(server, ports=(80, 443), resolve=noting)
    for url in ("HTTPS://例え.JP:443/x", "http://Bücher.example:80"):
        with pytest.raises(AccessDenied):
            await reader.read(url)
    assert asked == [("xn--r8jz45g.jp", 443), ("xn--bcher-kva.example", 80)]


@pytest.mark.parametrize(
    ("status", "error", "message"),
    [
        (404, NotFound, "there is nothing at .*/a: the server answers 404"),
        (410, NotFound, "410"),
        (401, AccessDenied, "not open to everybody: the server answers 401"),
        (403, AccessDenied, "403"),
        (400, InvalidInput, "400"),
        (418, InvalidInput, "418"),
        (304, InvalidInput, "304"),
        (204, InvalidInput, "204"),
        (206, InvalidInput, "206"),
        (429, FetchError, "cannot be read now: the server answers 429"),
        (500, FetchError, "500"),
        (503, FetchError, "try again later"),
    ],
)
async def test_what_the_server_refuses_is_told_with_its_status(
    server: WebServer, status: int, error: type[MemuError], message: str
) -> None:
    server.pages["/a"] = page(b"", status=status)
    with pytest.raises(error, match=message):
        await web(server).read(server.url("/a"))


@pytest.mark.parametrize(
    ("kind", "patterns", "taken"),
    [
        ("text/calendar", ("text/*",), True),
        ("IMAGE/PNG", ("image/*",), True),
        ("application/json; charset=utf-8", ("Application/JSON",), True),
        ("application/x-sh", ("text/*", "application/json"), False),
        ("textile", ("text/*",), False),
        ("", ("text/*",), False),
        ("", ("application/octet-stream",), True),
        ("text/html", (), False),
    ],
)
async def test_only_types_that_are_listed_are_taken(
    server: WebServer, kind: str, patterns: tuple[str, ...], taken: bool
) -> None:
    server.pages["/a"] = page(b"tea", kind)
    reader = web(server, content_types=patterns)
    if taken:
        assert (await reader.read(server.url("/a"))).data == b"tea"
        return
    with pytest.raises(InvalidInput, match=r"which is not taken .*ingest\.http\.content_types"):
        await reader.read(server.url("/a"))


async def test_a_packed_answer_is_unpacked(server: WebServer) -> None:
    server.pages["/a"] = packed(b"tea " * 5000)
    assert (await web(server).read(server.url("/a"))).data == b"tea " * 5000


async def test_an_answer_of_unknown_length_is_read_to_its_end(server: WebServer) -> None:
    server.pages["/a"] = chunked([b"tea ", b"and ", b"coffee"])
    assert (await web(server).read(server.url("/a"))).data == b"tea and coffee"


@pytest.mark.parametrize("size", [1000, 1001])
async def test_the_size_counts_to_the_byte(server: WebServer, size: int) -> None:
    for name, serve in {
        "declared": page(b"x" * size),
        "packed": packed(b"x" * size),
        "chunked": chunked([b"x" * size]),
    }.items():
        server.pages[f"/{name}"] = serve
        reader = web(server, at_most=1000)
        if size <= 1000:
            assert len((await reader.read(server.url(f"/{name}"))).data) == size
            continue
        with pytest.raises(InvalidInput, match="more than 1000 bytes"):
            await reader.read(server.url(f"/{name}"))


@pytest.mark.parametrize(("at_most", "max_bytes"), [(10, 10_000), (10_000, 10), (10, None)])
async def test_the_smaller_of_both_limits_counts(
    server: WebServer, at_most: int, max_bytes: int | None
) -> None:
    server.pages["/a"] = page(b"x" * 11)
    with pytest.raises(InvalidInput, match="more than 10 bytes"):
        await web(server, at_most=at_most, max_bytes=max_bytes).read(server.url("/a"))


async def test_an_answer_that_never_ends_is_given_up_at_the_limit(server: WebServer) -> None:
    server.pages["/a"] = endless(b"x" * 65536)
    with pytest.raises(InvalidInput, match="more than 1000000 bytes"):
        await web(server).read(server.url("/a"))


async def test_a_declared_length_is_believed_when_it_is_too_much(server: WebServer) -> None:
    server.pages["/a"] = silent(head(200, {"content-type": "text/plain", "content-length": str(200 * MB)}))
    with pytest.raises(InvalidInput, match="more than 1000000 bytes"):
        await web(server).read(server.url("/a"))


async def test_a_gzip_bomb_stops_at_the_limit(server: WebServer) -> None:
    server.pages["/a"] = packed(bytes(64 * MB))
    with pytest.raises(InvalidInput, match="more than 1000000 bytes"):
        await web(server).read(server.url("/a"))


@pytest.mark.parametrize(
    ("serve", "message"),
    [
        (packed(b"tea" * 999, cut=-12), "cut off"),
        (packed(b"tea", more=b"x" * 20), "something follows"),
        (packed(b"tea", as_="br"), "packed as br, which was not asked for"),
        (packed(b"tea", as_="gzip, gzip"), "was not asked for"),
        (page(b"tea", headers={"content-encoding": "gzip"}), "no valid gzip"),
        (page(b"tea", headers={"content-length": "99"}), "cannot be read"),
    ],
)
async def test_a_damaged_answer_is_none(server: WebServer, serve: Serve, message: str) -> None:
    async def once(writer: asyncio.StreamWriter) -> None:
        await serve(writer)
        writer.write_eof()

    server.pages["/a"] = once
    with pytest.raises(FetchError, match=message):
        await web(server).read(server.url("/a"))


@pytest.mark.parametrize(
    "begun",
    [b"", b"HTTP/1.1 200 OK\r\n", head(200, {"content-type": "text/plain"}) + b"dr"],
    ids=["silent", "half a head", "half a body"],
)
async def test_all_of_it_has_one_deadline(server: WebServer, begun: bytes) -> None:
    server.pages["/a"] = silent(begun)
    with pytest.raises(FetchError, match=r"longer than 0\.2 s|cannot be read"):
        await web(server, timeout_s=0.2).read(server.url("/a"))


async def test_a_slow_drip_ends_at_the_deadline(server: WebServer) -> None:
    """Each piece comes in time, and still there is an end: no pause is longer than a timeout of one read."""
    server.pages["/a"] = endless(b"x")
    with pytest.raises(FetchError, match=r"took longer than 0\.3 s .*ingest\.http\.timeout_s"):
        await web(server, timeout_s=0.3, at_most=10**12).read(server.url("/a"))


async def test_a_resolver_that_hangs_ends_at_the_deadline(server: WebServer) -> None:
    async def hanging(host: str, port: int) -> list[str]:
        await asyncio.Event().wait()
        return []

    with pytest.raises(FetchError, match="took longer"):
        await web(server, timeout_s=0.2, resolve=hanging).read(server.url("/a"))


async def test_what_is_no_http_is_told(server: WebServer) -> None:
    server.pages["/a"] = silent(b"SSH-2.0-OpenSSH\r\n\r\n")
    with pytest.raises(FetchError, match="cannot be read"):
        await web(server).read(server.url("/a"))


async def test_closing_twice_is_fine_and_nothing_is_left_open(server: WebServer) -> None:
    server.pages["/a"] = page(b"tea")
    reader = web(server)
    await reader.read(server.url("/a"))
    await reader.close()
    await reader.close()


async def test_the_tests_own_resolver_knows_its_names() -> None:
    assert await at_home("pages.test", 80) == [HOST]
