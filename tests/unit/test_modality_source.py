"""From the arguments of memorize to bytes."""

import base64
import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from memu_py.blobs.allowed import AllowedFiles
from memu_py.errors import AccessDenied, InvalidInput, NotFound
from memu_py.modality.raw import Raw
from memu_py.modality.source import open_source, resource_name

KEPT = {"conversation://chat-1": b'["hi"]'}


async def lookup(url: str) -> bytes | None:
    return KEPT.get(url)


async def opened(root: Path | None = None, /, **arguments: Any) -> Raw:
    files = AllowedFiles([] if root is None else [root])
    return await open_source(files=files, conversation=lookup, **arguments)


async def test_text_becomes_its_bytes() -> None:
    raw = await opened(text="我喜欢茶")
    assert (raw.data, raw.charset, raw.url) == ("我喜欢茶".encode(), "utf-8", None)


async def test_text_keeps_nul_and_lone_surrogates_in_the_original() -> None:
    raw = await opened(text="a\0b\ud800c")
    assert raw.data.decode("utf-8", "surrogatepass") == "a\0b\ud800c"


async def test_bytes_stay_as_they_are() -> None:
    assert (await opened(data=b"\xffx")).data == b"\xffx"
    assert (await opened(data=bytearray(b"x"))).data == b"x"


async def test_equal_messages_give_equal_bytes_whatever_the_order_of_their_keys() -> None:
    one = await opened(messages=[{"role": "user", "content": "喝茶"}])
    other = await opened(messages=(MappingProxyType({"content": "喝茶", "role": "user"}),))
    assert one.data == other.data == '[{"content":"喝茶","role":"user"}]'.encode()
    assert one.messages == ({"role": "user", "content": "喝茶"},)


async def test_messages_keep_lone_surrogates_in_the_original() -> None:
    raw = await opened(messages=["a\ud800b"])
    assert json.loads(raw.data) == ["a\ud800b"]


async def test_dates_in_messages_become_text() -> None:
    said = datetime(2026, 3, 2, 9, tzinfo=UTC)
    raw = await opened(
        messages=[{"role": "user", "content": "x", "created_at": said, "day": date(2026, 3, 2)}]
    )
    (message,) = json.loads(raw.data)
    assert (message["created_at"], message["day"]) == ("2026-03-02T09:00:00+00:00", "2026-03-02")


async def test_a_path_and_its_file_address_are_the_same_resource(tmp_path: Path) -> None:
    note = tmp_path / "a note #1.md"
    note.write_bytes(b"tea")
    by_path = await opened(tmp_path, resource_url=str(note))
    by_url = await opened(tmp_path, resource_url=note.as_uri())
    assert by_path == by_url
    assert (by_path.data, by_path.url, by_path.name) == (b"tea", note.as_uri(), "a note #1.md")


async def test_a_path_may_hold_a_colon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes:2026.md").write_bytes(b"tea")
    monkeypatch.chdir(tmp_path)
    assert (await opened(tmp_path, resource_url="notes:2026.md")).data == b"tea"


async def test_a_path_outside_the_roots_is_denied(tmp_path: Path) -> None:
    for url in ("/etc/hostname", "file:///etc/hostname", f"{tmp_path}/../../etc/hostname"):
        with pytest.raises(AccessDenied, match=r"blobs\.allowed_roots"):
            await opened(tmp_path, resource_url=url)


@pytest.mark.parametrize(
    ("url", "data", "media_type", "charset"),
    [
        ("data:,A%20brief%20note", b"A brief note", "text/plain", None),
        ("data:text/markdown;charset=UTF-8,%23%20Tea", b"# Tea", "text/markdown", "utf-8"),
        ("data:text/plain;base64,dGVh", b"tea", "text/plain", None),
        ("DATA:;BASE64,dGVhcw", b"teas", "text/plain", None),
        ("data:;base64,%2B%2Fv7", base64.b64decode("+/v7"), "text/plain", None),
        ("data:;base64,-_v7", base64.b64decode("+/v7"), "text/plain", None),
        ("data:;base64,dG Vh\n", b"tea", "text/plain", None),
        ("data:application/json;a=b,[1%2C2]", b"[1,2]", "application/json", None),
    ],
)
async def test_a_data_address_holds_its_content(
    url: str, data: bytes, media_type: str, charset: str | None
) -> None:
    raw = await opened(resource_url=url)
    assert (raw.data, raw.media_type, raw.charset, raw.url) == (data, media_type, charset, None)


async def test_a_conversation_is_looked_up_by_its_address() -> None:
    raw = await opened(resource_url="conversation://chat-1")
    assert (raw.data, raw.url) == (b'["hi"]', "conversation://chat-1")
    with pytest.raises(NotFound, match=r"conversations\.add"):
        await opened(resource_url="conversation://chat-2")


@pytest.mark.parametrize(
    "content", [{"text": "tea"}, {"messages": ["tea"]}, {"data": b"tea"}], ids=["text", "messages", "data"]
)
async def test_an_address_beside_content_only_names_it(content: Mapping[str, Any]) -> None:
    raw = await opened(resource_url="conversation://unknown", **content)
    assert raw.url == "conversation://unknown"
    assert b"tea" in raw.data


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (None, None),
        ("https://example.org/a", "https://example.org/a"),
        ("ticket 7", "ticket 7"),
        ("notes/a.md", "notes/a.md"),
        ("/notes/a.md", "file:///notes/a.md"),
        ("file:///notes/a.md", "file:///notes/a.md"),
        ("file://localhost/notes/a.md", "file:///notes/a.md"),
    ],
)
def test_names_of_resources(given: str | None, name: str | None) -> None:
    assert resource_name(given) == name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "nothing to memorize"),
        ({"text": "a", "data": b"b"}, "text and data"),
        ({"text": ""}, "empty"),
        ({"text": " \n"}, "empty"),
        ({"data": b""}, "empty"),
        ({"text": b"x"}, "text is a string, not bytes"),
        ({"data": "x"}, "data is bytes, not str"),
        ({"messages": []}, "no messages"),
        ({"messages": "hello"}, "list of mappings or strings, not str"),
        ({"messages": {"role": "user", "content": "x"}}, "not dict"),
        ({"messages": 3}, "not int"),
        ({"messages": ["a", 3]}, "message 2 is a mapping or a string, not int"),
        ({"messages": [{"role": "user", "content": object()}]}, "a value of type object"),
        ({"messages": [{"role": "user", "content": "x", "score": float("nan")}]}, "JSON cannot say"),
        ({"messages": [{1: "x", "role": "y"}]}, "JSON cannot say"),
        ({"resource_url": " "}, "resource_url is empty"),
        ({"resource_url": "data:nonsense"}, "not a data: address"),
        ({"resource_url": "data:;base64,!!!"}, "base64"),
        ({"resource_url": "data:,tea", "text": "tea"}, "content itself"),
        ({"resource_url": "file://host/a"}, "names the machine"),
        ({"resource_url": "file:///a#b"}, "%23"),
        ({"resource_url": "file:a.md"}, "no usable file address"),
        ({"resource_url": "file:///a%00b"}, "no usable file address"),
        ({"resource_url": "fil:///a"}, "did you mean `file`"),
    ],
)
async def test_what_is_no_source_is_refused_with_a_reason(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        await opened(**arguments)


@pytest.mark.parametrize("url", ["http://example.org/x", "HTTPS://example.org"])
async def test_nothing_is_fetched_over_the_network_unless_that_is_enabled(url: str) -> None:
    with pytest.raises(AccessDenied, match=r"not enabled .*`ingest\.http\.enabled: true`"):
        await opened(resource_url=url)


@pytest.mark.parametrize("url", ["s3://bucket/x", "ftp://example.org/x"])
async def test_other_addresses_on_the_network_are_never_fetched(url: str) -> None:
    with pytest.raises(AccessDenied, match="are not read"):
        await opened(resource_url=url)


async def test_a_list_that_holds_itself_is_refused() -> None:
    entry: dict[str, Any] = {"role": "user", "content": "x"}
    entry["self"] = entry
    with pytest.raises(InvalidInput, match="JSON cannot say"):
        await opened(messages=[entry])


@pytest.mark.parametrize("depth", [100, 100_000])
async def test_deeply_nested_messages_are_refused(depth: int) -> None:
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    with pytest.raises(InvalidInput):
        await opened(messages=[{"role": "user", "content": "x", "extra": nested}])


@pytest.mark.parametrize(
    "content", [{"text": "x" * 11}, {"data": b"x" * 11}, {"resource_url": "data:,xxxxxxxxxxx"}]
)
async def test_content_larger_than_allowed_is_refused_with_the_numbers(content: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="has 11 bytes, and at most 10"):
        await opened(max_bytes=10, **content)
