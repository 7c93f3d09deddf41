"""Importers at the door: whatever the bytes are, an error of ours or conversations, soon, and within bounds."""

import contextlib
import io
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_py.errors import MemuError
from memu_py.importers.archive import Archive
from memu_py.importers.builtin import BUILTIN_IMPORTERS
from memu_py.importers.mail import read_mail
from memu_py.importers.survey import Chat, sources
from memu_py.importers.zipped import is_packed_folder, zip_archive
from memu_py.modality.conversation import ConversationParser
from memu_py.modality.messages import dump_messages, plain_messages
from memu_py.modality.raw import MB, Raw
from memu_py.testing.exports import MBOX, SLACK, WHATSAPP, as_bytes, chatgpt, claude, telegram, zipped

EXPORTS: dict[str, Any] = {
    "a/conversations.json": [chatgpt(), chatgpt("c2")],
    "b/conversations.json": [claude()],
    "c/result.json": telegram(),
    "d/result.json": {"about": "x", "chats": {"list": [telegram(1)]}},
    "e/_chat.txt": WHATSAPP,
    "f/mail.mbox": MBOX,
    **{f"g/{name}": content for name, content in SLACK.items()},
}


def whole(files: dict[str, Any]) -> Iterator[None]:
    """Open files as a zip, read all that is found as far as a memorize reads it."""
    with contextlib.suppress(MemuError):
        archive = zip_archive(io.BytesIO(zipped(files)), "x.zip", "file:///x.zip", max_bytes=20 * MB)
        for one in sources(archive, BUILTIN_IMPORTERS):
            if isinstance(one, Chat):
                read(one)
            yield None


def read(chat: Chat) -> None:
    with contextlib.suppress(MemuError):
        entries = plain_messages(chat.conversation.messages)
        parsed = ConversationParser().parse(Raw(data=dump_messages(entries), messages=entries))
        for segment in parsed.segments:
            assert parsed.text[segment.start : segment.end] == segment.text


def mangled(data: bytes, chance: random.Random) -> bytes:
    kind = chance.randrange(5)
    place = chance.randrange(len(data) + 1)
    if kind == 0:
        return data[:place]
    if kind == 1:
        changed = bytearray(data)
        for _ in range(chance.randrange(1, 20)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        return bytes(changed)
    if kind == 2:
        return data[:place] + bytes(chance.randrange(256) for _ in range(50)) + data[place:]
    if kind == 3:
        return data[place:] + data[:place]
    return data.decode("utf-8", "replace").encode("utf-16")


def test_whole_exports_are_read() -> None:
    assert len(list(whole(EXPORTS))) == 8 + 1


@pytest.mark.parametrize("name", EXPORTS)
def test_mangled_exports_give_errors_of_ours(name: str) -> None:
    chance = random.Random(name)
    data = as_bytes(EXPORTS[name])
    beside = {other: content for other, content in EXPORTS.items() if other[0] == name[0]}
    for _ in range(60):
        for _ in whole({**beside, name: mangled(data, chance)}):
            pass


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("1683554161"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def paths(value: Any, so_far: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield so_far
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from paths(inner, (*so_far, key))


def swapped(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """Return a value with another in one place of it."""
    if not path:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = swapped(value[path[0]], path[1:], other)
    return copy


@settings(max_examples=300, deadline=None)
@given(st.data(), anything)
def test_json_with_anything_in_the_place_of_anything(data: st.DataObject, other: Any) -> None:
    name = data.draw(st.sampled_from([name for name in EXPORTS if name.endswith(".json")]))
    beside = {one: content for one, content in EXPORTS.items() if one[0] == name[0]}
    path = data.draw(st.sampled_from(list(paths(EXPORTS[name]))))
    for _ in whole({**beside, name: swapped(EXPORTS[name], path, other)}):
        pass


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["a.json", "a.txt", "a.mbox", "users.json", "a"]))
def test_any_bytes_under_any_name(data: bytes, name: str) -> None:
    archive = Archive.of(name, data)
    for importer in BUILTIN_IMPORTERS.values():
        with contextlib.suppress(MemuError):
            importer.claims(archive)
            list(importer.conversations(archive))
    with contextlib.suppress(MemuError):
        zip_archive(io.BytesIO(data), name, "file:///a")


def test_mangled_zips_give_errors_of_ours() -> None:
    chance = random.Random(7)
    data = zipped(EXPORTS)
    for _ in range(400):
        stream = io.BytesIO(mangled(data, chance))
        is_packed_folder(stream)
        assert stream.tell() == 0
        with contextlib.suppress(MemuError):
            archive = zip_archive(stream, "x.zip", "file:///x.zip", max_bytes=20 * MB)
            for one in sources(archive, BUILTIN_IMPORTERS):
                if isinstance(one, Chat):
                    read(one)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["From", "Subject", "Date", "Message-ID", "References", "Content-Type", "Content-Disposition"]
            ),
            st.text(max_size=20)
            | st.sampled_from(
                ["=?utf-8?B?///?=", "multipart/mixed; boundary=x", "text/plain; charset=nope", "=?x?q?=ff?="]
            ),
        ),
        max_size=6,
    ),
    st.binary(max_size=100),
)
def test_any_message_is_read(headers: list[tuple[str, str]], body: bytes) -> None:
    lines = "".join(f"{name}: {value}\n" for name, value in headers)
    assert read_mail(lines.encode("utf-8", "replace") + b"\n" + body).own_id


@pytest.mark.parametrize(
    "text",
    [
        "08.05.23, 13:56 - Ann: " + " " * 200_000 + "x",
        "08.05.23, 13:56 - Ann: " + "\u200e" * 200_000,
        "08.05.23, 13:56 - Ann: " + "<" * 100_000,
        "08.05.23, 13:56 - Ann: " + "a." * 100_000,
        "08.05.23, 13:56 - " + "a" * 300_000,
        "From x\nA: b\n\n" + "On " + "wrote " * 50_000 + ":\n> x",
        "From x\nA: b\nSubject: " + "re: " * 50_000 + "\n\nx",
        '[{"mapping": {' * 2_000,
        '{"chat_messages": [' + "[" * 100_000,
        json.dumps(
            {"type": "personal_chat", "id": 1, "messages": [{"type": "message", "text": "<" * 100_000}]}
        ),
    ],
    ids=range(10),
)
def test_no_text_takes_forever(text: str) -> None:
    for name in ("a.txt", "a.json", "a.mbox"):
        archive = Archive.of(name, text.encode())
        for one in sources(archive, BUILTIN_IMPORTERS):
            if isinstance(one, Chat):
                read(one)
