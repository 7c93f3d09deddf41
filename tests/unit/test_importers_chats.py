"""ChatGPT, Claude, Telegram and Slack: what is said, by whom, when, and what is context."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memu_py.errors import InvalidInput
from memu_py.importers.chatgpt import ChatGptImporter
from memu_py.importers.claude import ClaudeImporter
from memu_py.importers.slack import SlackImporter
from memu_py.importers.telegram import TelegramImporter
from memu_py.testing.exports import SLACK, archive, chatgpt, claude, node, read, said, telegram, tree

# ChatGPT


def test_the_path_that_is_shown_is_read_and_other_branches_are_not() -> None:
    one = chatgpt()
    one["mapping"] |= {"x": node("x", "m1", "assistant", "A regenerated answer.", create_time=1683554180)}
    (found,) = read(ChatGptImporter(), {"conversations.json": [one]})
    assert (found.url, found.title) == ("chatgpt:c1", "Trip to Rome")
    assert said(found) == [
        ("user", None, "I am allergic to peanuts."),
        ("assistant", None, "Noted, no peanuts."),
    ]
    assert [one["id"] for one in found.messages] == ["m1", "m2"]
    assert found.period(UTC) == (
        datetime(2023, 5, 8, 13, 56, 1, 500000, UTC),
        datetime(2023, 5, 8, 13, 56, 10, tzinfo=UTC),
    )


def test_without_a_current_node_the_newest_message_ends_the_path() -> None:
    one = chatgpt()
    one["mapping"] |= {"x": node("x", "m1", "assistant", "Newer.", create_time=1683559999)}
    (found,) = read(ChatGptImporter(), {"conversations.json": [one | {"current_node": None}]})
    assert [text for *_, text in said(found)] == ["I am allergic to peanuts.", "Newer."]


def test_a_tree_that_bites_its_tail_ends() -> None:
    one = chatgpt()
    one["mapping"]["m1"]["parent"] = "m2"
    (found,) = read(ChatGptImporter(), {"conversations.json": [one]})
    assert len(found.messages) == 2


def test_what_is_hidden_and_what_tools_say_is_context() -> None:
    more = [
        node("s", "m2", "system", "You are kind."),
        node("h", "s", "user", "hidden", metadata={"is_visually_hidden_from_conversation": True}),
        node("p", "h", "user", {"content_type": "user_editable_context", "user_profile": "I am a vet."}),
        node("t", "p", "tool", {"content_type": "execution_output", "text": "42"}),
        node("c", "t", "assistant", {"content_type": "code", "text": "print(42)"}, recipient="python"),
        node("th", "c", "assistant", {"content_type": "thoughts", "thoughts": [{"content": "hm"}]}),
        node("e", "th", "assistant", "It is 42."),
    ]
    (found,) = read(ChatGptImporter(), {"conversations.json": [chatgpt("c1", "T", *more)]})
    assert [(role, text) for role, _, text in said(found)][2:] == [
        ("system", "You are kind."),
        ("system", "hidden"),
        ("system", "I am a vet."),
        ("tool", "42"),
        ("tool", "print(42)"),
        ("tool", "hm"),
        ("assistant", "It is 42."),
    ]


def test_pictures_and_speech_are_named_or_read() -> None:
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://f1"}
    heard = {"content_type": "audio_transcription", "text": "我想去北京"}
    more = [
        node(
            "i",
            "m2",
            "user",
            {"content_type": "multimodal_text", "parts": [image, "What is this?"]},
            metadata={"attachments": [{"name": "cat.png"}]},
        ),
        node("v", "i", "user", {"content_type": "multimodal_text", "parts": [heard]}),
        node("o", "v", "user", {"content_type": "multimodal_text", "parts": [image]}),
    ]
    (found,) = read(ChatGptImporter(), {"conversations.json": [chatgpt("c1", "T", *more)]})
    first, second, third = found.messages[2:]
    assert (first["content"], first["attached"]) == ("What is this?", ["cat.png"])
    assert second["content"] == "我想去北京"
    assert (third["role"], third["content"], third["attached"]) == ("system", "[image]", ["image"])


def test_the_page_and_the_settings_beside_belong_to_the_export_and_pictures_do_not() -> None:
    files = {
        "x/conversations.json": [chatgpt()],
        "x/chat.html": "<html>",
        "x/user.json": {},
        "x/file-1.png": b"\x89PNG",
        "x/notes.json": {},
        "chat.html": "<html>",
    }
    claimed = ChatGptImporter().claims(archive(files))
    assert set(claimed) == {"x/conversations.json", "x/chat.html", "x/user.json"}


def test_a_list_cut_off_gives_what_came_before() -> None:
    whole = archive({"conversations.json": [chatgpt("c1"), chatgpt("c2")]}).read("conversations.json")
    opened = archive({"conversations.json": whole[:-200]})
    going = ChatGptImporter().conversations(opened)
    assert next(going).url == "chatgpt:c1"
    with pytest.raises(InvalidInput, match="no well-formed JSON"):
        next(going)


@pytest.mark.parametrize("broken", [{"mapping": []}, {"mapping": {"a": 3}}, {}, 3, None, {"mapping": None}])
def test_a_broken_conversation_does_not_hide_the_others(broken: Any) -> None:
    found = read(ChatGptImporter(), {"conversations.json": [chatgpt("c1"), broken, chatgpt("c2")]})
    assert [bool(one.messages) for one in found] == [True, False, True]


def test_other_json_is_no_export() -> None:
    files = {
        "a.json": {"mapping": {}},
        "b.json": [{"role": "user", "content": '"mapping": {"message":'}],
        "c.json": "[",
    }
    for importer in (ChatGptImporter(), ClaudeImporter(), TelegramImporter(), SlackImporter()):
        assert not importer.claims(archive(files))


# Claude


def test_claude_tells_who_said_what() -> None:
    answer = {
        "uuid": "k1-2",
        "text": "old form",
        "content": [
            {"type": "thinking", "thinking": "roses…"},
            {"type": "tool_use", "name": "search", "input": {"q": "玫瑰"}},
            {"type": "tool_result", "name": "search", "content": [{"type": "text", "text": "found"}]},
            {"type": "text", "text": "Twelve is a good number."},
        ],
        "sender": "assistant",
        "created_at": "2024-03-01T10:01:00Z",
    }
    plain = {"uuid": "k1-3", "text": "谢谢，我住在成都。", "sender": "human"}
    (found,) = read(ClaudeImporter(), {"conversations.json": [claude("k1", "Garden", answer, plain)]})
    assert (found.url, found.title) == ("claude:k1", "Garden")
    assert said(found) == [
        ("user", None, "My garden has 12 roses."),
        ("assistant", None, "Twelve is a good number."),
        ("tool", None, "roses…"),
        ("tool", None, 'search {"q": "玫瑰"}'),
        ("tool", None, "search found"),
        ("user", None, "谢谢，我住在成都。"),
    ]
    assert len({one["id"] for one in found.messages}) == 6


def test_attached_text_is_context_and_files_are_named() -> None:
    message = {
        "uuid": "a",
        "text": "Read this.",
        "sender": "human",
        "attachments": [{"file_name": "plan.txt", "extracted_content": "Plan: go to Rome."}],
        "files": [{"file_name": "map.png"}],
    }
    (found,) = read(ClaudeImporter(), {"conversations.json": [claude("k", "n", message)]})
    attached, read_this = found.messages[1:]
    assert (attached["role"], attached["content"], attached["file"]) == (
        "system",
        "Plan: go to Rome.",
        "plan.txt",
    )
    assert (read_this["role"], read_this["attached"]) == ("user", ["plan.txt", "map.png"])


def test_a_conversation_without_messages_says_so() -> None:
    empty, broken = read(
        ClaudeImporter(),
        {"conversations.json": [claude() | {"chat_messages": []}, claude() | {"chat_messages": "?"}]},
    )
    assert (empty.messages, empty.warnings) == ((), ())
    assert (broken.messages, broken.warnings) == ((), ("it holds no `chat_messages`",))


# Telegram


def service_message(**more: Any) -> dict[str, Any]:
    return {"type": "service", "date_unixtime": "1683554162", "date": "2023-05-08T13:56:02", **more}


def test_a_chat_of_telegram() -> None:
    more = [
        service_message(id=2, actor="Ann", action="phone_call", duration_seconds=12),
        {
            "id": 3,
            "type": "message",
            "date": "2023-05-08T13:57:00",
            "from": "Ann",
            "from_id": "user2",
            "reply_to_message_id": 1,
            "text": ["See ", {"type": "text_link", "text": "this", "href": "https://x.org"}, "!"],
        },
        {"id": 4, "type": "message", "from": "Ann", "forwarded_from": "Carl", "text": "I love skiing."},
        {"id": 5, "type": "message", "from": "Ann", "photo": "photos/p1.jpg", "text": ""},
        {"id": 6, "type": "message", "from": None, "from_id": "user9", "text": "gone"},
        {
            "id": 7,
            "type": "message",
            "from": "Ann",
            "text": "",
            "poll": {"question": "Tea?", "answers": [{"text": "yes"}]},
        },
    ]
    (found,) = read(TelegramImporter(), {"result.json": telegram(4711, "小美", *more)})
    assert (found.url, found.title) == ("telegram:4711", "小美")
    assert said(found) == [
        ("user", "小美", "我下周搬到上海。"),
        ("system", None, "Ann: phone call 12"),
        ("user", "Ann", "See this (https://x.org)!"),
        ("user", "Carl", "I love skiing."),
        ("system", "Ann", "[p1.jpg]"),
        ("user", "user9", "gone"),
        ("user", "Ann", "Tea? yes"),
    ]
    assert found.messages[2]["reply_to"] == 1
    assert found.messages[3]["forwarded_by"] == "Ann"
    assert found.period(UTC)[0] == datetime(2023, 5, 8, 13, 56, 1, tzinfo=UTC)


def test_all_chats_of_telegram_come_one_by_one() -> None:
    whole = {
        "about": 'Here is the data you "requested".',
        "contacts": {"list": [{"first_name": "小美", "chats": "none"}] * 2000},
        "chats": {
            "about": "All chats",
            "list": [telegram(1), telegram(2, "Bob"), {"type": "saved_messages", "id": 3}],
        },
        "left_chats": {"about": "", "list": [telegram(4, "Old")]},
    }
    found = read(TelegramImporter(), {"DataExport/result.json": whole})
    assert [(one.url, one.title) for one in found] == [
        ("telegram:1", "小美"),
        ("telegram:2", "Bob"),
        ("telegram:3", "Saved Messages"),
        ("telegram:4", "Old"),
    ]


def test_a_bot_is_the_assistant_of_its_chat() -> None:
    bot = telegram(5, "小美") | {"type": "bot_chat"}
    (found,) = read(TelegramImporter(), {"result.json": bot})
    assert said(found)[0][:2] == ("assistant", "小美")


# Slack


@pytest.mark.parametrize("root", ["", "acme export/"])
def test_a_workspace_of_slack(root: str) -> None:
    files = {root + name: content for name, content in SLACK.items()} | {root + "notes.txt": "other"}
    opened = archive(files)
    assert set(opened.names) - set(SlackImporter().claims(opened)) == {root + "notes.txt"}
    direct, general = sorted(read(SlackImporter(), files), key=lambda one: one.url, reverse=True)
    assert (general.url, general.title) == ("slack:C1", "#general")
    assert said(general) == [
        ("system", "小伟", "@小伟 joined"),
        ("user", "Ann Lee", "Deploy?"),
        ("user", "小伟", "@Ann Lee deployed to #general, @here"),
        ("user", "小伟", "我们用 这个 (https://x.org) & tea"),
    ]
    assert [one.get("thread") for one in general.messages] == [None, None, "1683554161.0001", None]
    assert (direct.url, direct.title) == ("slack:D1", "Ann Lee, 小伟")


def test_bots_and_files_of_slack() -> None:
    day = [
        {
            "type": "message",
            "subtype": "bot_message",
            "username": "CI",
            "ts": "1683554161.1",
            "attachments": [{"text": "Build 7 failed"}],
        },
        {"type": "message", "user": "U9", "ts": "1683554162.1", "text": "", "files": [{"name": "plan.pdf"}]},
        {"type": "message", "subtype": "tombstone", "ts": "1683554163.1", "text": "deleted"},
        "nonsense",
    ]
    (found,) = read(SlackImporter(), {"channels.json": [], "random/2023-05-08.json": day})
    assert found.url == "slack:random"
    assert said(found) == [("assistant", "CI", "Build 7 failed"), ("system", "U9", "[plan.pdf]")]


def test_trees_without_nodes_have_no_path() -> None:
    (found,) = read(
        ChatGptImporter(),
        {
            "c.json": [
                chatgpt() | {"mapping": tree([]), "conversation_id": ""},
            ]
        },
    )
    assert (found.messages, found.url) == ((), "chatgpt:root")
