"""Large exports: one value is in memory at a time, and what must be read whole has a limit."""

import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from memu_py.errors import InvalidInput
from memu_py.importers.chatgpt import ChatGptImporter
from memu_py.importers.importer import Conversation, Importer
from memu_py.importers.slack import SlackImporter
from memu_py.importers.telegram import TelegramImporter
from memu_py.importers.whatsapp import WhatsAppImporter
from memu_py.modality.raw import MB
from memu_py.testing.exports import WHATSAPP, archive, chatgpt, read, telegram

COUNT = 4000
BESIDE = [{"type": "plain", "text": "x" * 90} for _ in range(40)]
"""What an export says of each message beside its words."""


def going(importer: Importer, files: dict[str, Any]) -> Iterator[Conversation]:
    """Return the conversations of files, and clear what making the files took."""
    opened = archive(files)
    claimed = set(importer.claims(opened))
    mine = opened.without(set(opened.names) - claimed)
    tracemalloc.start()
    return importer.conversations(mine)


def peak() -> float:
    """Return the most that was in memory since, in MB."""
    most = tracemalloc.get_traced_memory()[1] / MB
    tracemalloc.stop()
    return most


def chat(count: int) -> dict[str, Any]:
    more = [
        {"id": n, "type": "message", "from": "Ann", "text": f"Message {n}.", "text_entities": BESIDE}
        for n in range(2, count + 1)
    ]
    return telegram(4711, "小美", *more)


@pytest.mark.parametrize("all_of_them", [False, True])
def test_a_large_chat_of_telegram_is_read_message_by_message(all_of_them: bool) -> None:
    whole: dict[str, Any] = {"about": "x", "chats": {"list": [chat(COUNT)]}} if all_of_them else chat(COUNT)
    assert len(json.dumps(whole)) > 15 * MB
    (found,) = going(TelegramImporter(), {"result.json": whole})
    assert peak() < 12
    assert (found.url, found.title, len(found.messages)) == ("telegram:4711", "小美", COUNT)
    assert found.messages[-1]["content"] == f"Message {COUNT}."


def test_a_large_channel_of_slack_is_read_message_by_message() -> None:
    messages = [
        {"ts": f"{n}.5", "user": "U1", "text": f"Message {n}.", "blocks": BESIDE} for n in range(COUNT)
    ]
    days = {f"general/2023-05-{day:02}.json": messages[day::4] for day in range(4)}
    assert len(json.dumps(messages)) > 15 * MB
    (found,) = going(SlackImporter(), {"users.json": [{"id": "U1", "name": "Ann"}], **days})
    assert peak() < 12
    assert [one["content"] for one in found.messages] == [f"Message {n}." for n in range(COUNT)]


def test_one_value_that_is_too_large_is_refused_and_those_before_it_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memu_py.importers.elements.MAX_VALUE_MB", 1)
    large = chatgpt("c2") | {"note": "x" * 5 * MB}
    found = going(TelegramImporter(), {"result.json": telegram() | {"note": "x" * 5 * MB}})
    with pytest.raises(InvalidInput, match=r"one value in it has more than 1 MB.*smaller parts"):
        list(found)
    assert peak() < 20
    conversations = going(ChatGptImporter(), {"conversations.json": [chatgpt(), large]})
    assert next(conversations).url == "chatgpt:c1"
    with pytest.raises(InvalidInput, match="more than 1 MB"):
        next(conversations)
    peak()


def test_a_text_that_is_read_as_a_whole_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memu_py.importers.whatsapp.MAX_MB", 1)
    line = "[14.05.23, 09:00:00] Bob: I sold my tent, and bought a boat.\n"
    (small,) = read(WhatsAppImporter(), {"_chat.txt": WHATSAPP + line * 1000})
    assert len(small.messages) == 1003
    with pytest.raises(InvalidInput, match=r"_chat.txt has more than 1 MB, .*split it"):
        read(WhatsAppImporter(), {"_chat.txt": WHATSAPP + line * 20_000})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"name": "A", "type": "personal_chat", "id": 1, "messages": [{"id": 1}', "is cut off"),
        ('{"name": "A", "type": "personal_chat", "id": 1, "messages": [{"id"', "no well-formed JSON"),
        ('{"name": "A", "type": "personal_chat", "id" 1, "messages": []}', "1 in place of :"),
    ],
)
def test_a_damaged_chat_is_an_error(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read(TelegramImporter(), {"result.json": text})


def test_what_stands_behind_the_messages_counts_too() -> None:
    order = ("messages", "id", "type", "name")
    whole = {name: telegram(5, "小美")[name] for name in order}
    whole = {"about": "", "chats": {"list": [whole | {"type": "bot_chat"}, 3, {"name": "none"}]}}
    bot, number, none = read(TelegramImporter(), {"result.json": whole})
    assert (bot.url, bot.messages[0]["role"]) == ("telegram:5", "assistant")
    assert [(one.messages, one.warnings) for one in (number, none)] == [((), ("it holds no `messages`",))] * 2
