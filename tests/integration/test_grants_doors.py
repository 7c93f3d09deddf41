"""Grants over HTTP, by the clients, and on the command line."""

import json
from pathlib import Path

import pytest
from cli_kit import CONFIG, Memu
from server_kit import served

from memu_py import SyncMemoryService
from memu_py.errors import AccessDenied, InvalidScope, NotFound, OutsideScope

COFFEE = "Ann drinks black coffee."
TEA = "安娜喜欢喝绿茶。"
HILL = "Ann walks up the hill."


async def test_a_key_of_an_agent_sees_what_is_granted_and_nothing_else() -> None:
    async with served(auth="keys") as server:
        service = server.service
        for text, user, agent in (
            (COFFEE, "ann", "cook"),
            (TEA, "ann", "cook"),
            (HILL, "ann", "guide"),
            ("Ann parks her car.", "ann", "driver"),
            ("Bob drinks black coffee.", "bob", "cook"),
        ):
            await service.create_item(text, user=user, agent=agent)
        guide = server.client(await server.key("write", user="ann", agent="guide"))
        person = server.client(await server.key("admin", user="ann"))
        async with guide, person:
            assert [one.text for one in await guide.list_items()] == [HILL]
            given = await person.grants.give("cook", "guide")
            assert (await person.grants.list()) == (given,)
            found = await guide.retrieve("谁喜欢喝绿茶？")
            assert found.items[0].record.text == TEA
            seen = {one.text: one.id for one in await guide.list_items()}
            assert set(seen) == {COFFEE, TEA, HILL}
            with pytest.raises(OutsideScope, match="may read it, not write"):
                await guide.delete_item(seen[TEA])
            with pytest.raises(OutsideScope):
                await guide.list_items(agent="cook")
            await person.grants.give("cook", "guide", rights=["read", "write"])
            await guide.delete_item(seen[TEA])
            assert await service.count_items(user="ann", agent="cook") == 1
            revoked = await person.grants.revoke("cook", "guide")
            assert revoked.rights == ("read", "write")
            assert [one.text for one in await guide.list_items()] == [HILL]
            with pytest.raises(NotFound):
                await person.grants.revoke("cook", "guide")


async def test_no_key_of_an_agent_grants_itself_anything() -> None:
    async with served(auth="keys") as server:
        writer = server.client(await server.key("write", user="ann"))
        agent = server.client(await server.key("admin", user="ann", agent="guide"))
        other = server.client(await server.key("admin", user="bob"))
        async with writer, agent, other:
            with pytest.raises(AccessDenied, match="needs the role admin"):
                await writer.grants.give("cook", "guide")
            with pytest.raises(InvalidScope, match="given by a user"):
                await agent.grants.give("cook", "guide")
            with pytest.raises(OutsideScope):
                await other.grants.give("cook", "guide", user="ann")
        assert await server.service.grants.list(user="ann") == ()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(CONFIG)
    return tmp_path


def test_the_command_line_gives_lists_and_takes_back(memu: Memu, folder: Path) -> None:
    with SyncMemoryService.from_config(folder / "config.yaml") as service:
        service.create_item(TEA, user="local", agent="cook")
    assert memu("grants", "list") == (0, "", "No grants. `memu grants give FROM TO` makes one.\n")
    code, out, err = memu("grants", "give", "cook", "guide", "--write")
    assert (code, err) == (0, "")
    assert out.splitlines()[1].split("\t")[:3] == ["cook", "guide", "read, write"]
    (item,) = json.loads(memu("items", "--agent", "guide", "--json")[1])["records"]
    assert (item["text"], item["scope"]) == (TEA, {"user": "local", "agent": "cook"})
    assert json.loads(memu("grants", "give", "助手", "guide", "--json")[1])["rights"] == ["read"]
    assert len(memu("grants", "list")[1].splitlines()) == 3
    (only,) = json.loads(memu("grants", "list", "--agent", "cook", "--json")[1])
    assert only["to_agent"] == "guide"
    done = memu("grants", "revoke", "cook", "guide")
    assert done == (0, "Agent guide no longer sees the memory of agent cook.\n", "")
    code, _, err = memu("grants", "revoke", "cook", "guide")
    assert (code, "was granted nothing" in err) == (1, True)
    assert json.loads(memu("items", "--agent", "guide", "--json")[1])["records"] == []
