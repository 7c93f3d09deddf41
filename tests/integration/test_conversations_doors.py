"""Conversations and blocks over HTTP, in plain calls, and on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_kit import CONFIG, Memu
from server_kit import served
from service_kit import config

from memu_py.errors import AccessDenied, InvalidInput, NotFound, OutsideScope
from memu_py.service.sync import SyncMemoryService


async def test_all_of_it_works_over_http() -> None:
    async with served(auth="keys") as server:
        key = await server.key("write", user="ann")
        async with server.client(key) as client, server.client(await server.key("write", user="bob")) as bob:
            talks = client.conversations
            begun = await talks.add_message({"role": "user", "content": "I like tea."})
            await talks.add_message("I own a boat.", "a/b 聊天", session="s")
            whole = await talks.get("a/b 聊天")
            assert [one.entry for one in whole.messages] == ["I own a boat."]
            assert (whole.conversation.status, whole.conversation.unread) == ("open", 1)
            assert [one.id for one in await talks.list(order="created_at", descending=False)] == [
                begun.id,
                "a/b 聊天",
            ]
            assert {one.session for one in await talks.sessions()} == {begun.scope.session, "s"}
            assert "I own a boat." in str(await talks.context("a/b 聊天", max_tokens=50))
            assert (await talks.close("a/b 聊天")).status == "closed"
            for call in (bob.conversations.get, bob.conversations.close, bob.conversations.delete):
                with pytest.raises(NotFound):
                    await call(begun.id)
            await talks.delete(begun.id, keep_items=False)
            assert len(await talks.list()) == 1

            made = await client.blocks.set("human", "Ann sails.", max_chars=30)
            assert (await client.blocks.append("human", "她很忙。", if_version=made.version)).version == 2
            assert (await client.blocks.replace("human", "sails", "rows")).text == "Ann rows.\n她很忙。"
            assert [one.name for one in await client.blocks.list()] == ["human"]
            with pytest.raises(InvalidInput, match="too many"):
                await client.blocks.set("human", "x" * 31)
            with pytest.raises(NotFound):
                await bob.blocks.get("human")
            assert "Ann rows." in (await client.retrieve("x")).context
            await client.blocks.delete("human")
            assert await client.blocks.list() == ()
        async with server.client(await server.key("write", user="ann", agent="cook")) as cook:
            with pytest.raises(OutsideScope):
                await cook.blocks.set("menu", "soup", by="person")
            assert (await cook.blocks.set("menu", "soup")).agent == "cook"
        async with server.client(await server.key("read", user="ann")) as reader:
            assert (await reader.blocks.list())[0].name == "menu"
            with pytest.raises(AccessDenied):
                await reader.blocks.set("menu", "x")


def test_plain_calls() -> None:
    with SyncMemoryService(config(jobs={"workers": 0})) as service:
        ann = service.for_user("ann")
        ann.conversations.add("c", ["I like tea."])
        assert ann.conversations.get("c").messages[0].memorized_at is None
        assert str(ann.conversations.context("c")).endswith("user: I like tea.")
        ann.blocks.set("human", "Ann sails.")
        assert ann.blocks.get("human").text == "Ann sails."


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEMU_CONFIG", raising=False)
    Path("config.yaml").write_text(CONFIG)
    return tmp_path


def data(memu: Memu, *arguments: str) -> Any:
    code, out, err = memu(*arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def test_conversations_on_the_command_line(home: Path, memu: Memu) -> None:
    with SyncMemoryService("config.yaml") as service:
        said = [
            {"role": "user", "name": "Ann", "content": "I like [tea]."},
            {"role": "tool", "content": "{}"},
        ]
        service.conversations.add("chat", said, user="local", session="s")
    code, out, _ = memu("conversations", "list")
    assert code == 0 and out.splitlines()[1].split("\t")[:4] == ["chat", "open", "2", "0"]
    assert data(memu, "conversations", "list", "--open")["records"][0]["id"] == "chat"
    assert memu("conversations", "show", "chat")[1].splitlines()[1] == "0\tAnn\tnot yet\tI like [tea]."
    assert data(memu, "conversations", "close", "chat")["closed_at"]
    assert "closed" in memu("conversations", "close", "chat")[1]
    assert "No conversations" in memu("conversations", "list", "--open")[2]
    assert memu("worker", "--once")[0] == 0
    assert data(memu, "conversations", "show", "chat")["messages"][0]["memorized_at"]
    assert memu("conversations", "delete", "chat")[0] == 0
    assert memu("conversations", "show", "chat")[0] == 1
    assert "I like [tea]." in memu("items")[1]


def test_blocks_on_the_command_line(home: Path, memu: Memu) -> None:
    assert "memu blocks set" in memu("blocks", "list")[2]
    assert memu("blocks", "set", "rules", "Be [kind].", "--read-only")[0] == 0
    made = data(
        memu, "blocks", "set", "menu", "soup", "--agent", "cook", "--share", "guide", "--max-chars", "9"
    )
    assert (made["shared_with"], made["scope"]["agent"]) == (["guide"], "cook")
    assert memu("blocks", "get", "rules")[1] == "Be [kind].\n"
    assert data(memu, "blocks", "get", "menu", "--agent", "guide")["text"] == "soup"
    assert [one["name"] for one in data(memu, "blocks", "list")] == ["menu", "rules"]
    assert memu("blocks", "list")[1].splitlines()[1].split("\t") == ["menu", "cook", "1", "4/9", "soup"]
    assert "1 too many" in memu("blocks", "set", "menu", "long soups", "--agent", "cook")[2]
    assert memu("blocks", "delete", "rules", "--agent", "cook")[0] == 0
    assert memu("blocks", "delete", "rules")[0] == 1
