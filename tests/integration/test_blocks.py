"""Blocks: who sees and edits which, and how they stand in the prompt."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from service_kit import NOW, config

from memu_py import MemoryService
from memu_py.errors import Conflict, InvalidInput, MemuError, NotFound, OutsideScope
from memu_py.language.budget import count_tokens

HUMAN = "Ann is a nurse in Lisbon.\n安娜喜欢喝茶。"


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(config(), clock=lambda: NOW) as opened:
        yield opened


async def test_blocks_stand_first_in_the_prompt_and_count(service: MemoryService) -> None:
    await service.memorize(text="I like black tea with milk. I own a red boat.", user="ann")
    bare = await service.retrieve("What does Ann like?", user="ann")
    await service.blocks.set("human", HUMAN, user="ann")
    await service.blocks.set("empty", "", user="ann")
    found = await service.retrieve("What does Ann like?", user="ann")
    assert found.context == f"<block human>\n{HUMAN}\n</block>\n\n{bare.context}"
    assert found.items == bare.items
    for budget in (1, 12, 20, 40, 80):
        small = await service.retrieve("What does Ann like?", user="ann", max_tokens=budget)
        assert count_tokens(small.context) <= budget
    only = await service.retrieve("What does Ann like?", user="ann", max_tokens=35)
    assert only.context.startswith("<block human>") and "tea with" not in only.context
    nobody = await service.retrieve("Anything?", user="bob")
    assert nobody.context == ""
    before = await service.retrieve("What does Ann like?", user="ann", as_of=NOW - timedelta(days=1))
    assert "<block" not in before.context


async def test_they_can_be_left_out_of_the_prompt() -> None:
    async with MemoryService(config(blocks={"in_context": False, "max_chars": 5})) as service:
        await service.blocks.set("a", "five!", user="ann")
        assert (await service.retrieve("five", user="ann")).context == ""
        with pytest.raises(InvalidInput, match=r"would have 6 characters and takes 5: 1 too many"):
            await service.blocks.append("a", "", user="ann")


async def test_a_block_is_edited_within_its_limits(service: MemoryService) -> None:
    blocks = service.for_user("ann").blocks
    made = await blocks.set("human", "Ann plays the cello.", description="who it is", max_tokens=10)
    assert (made.version, made.max_chars, made.agent) == (1, 2000, None)
    assert (await blocks.replace("human", "cello", "viola")).text == "Ann plays the viola."
    assert (await blocks.append("human", "她很忙。")).text == "Ann plays the viola.\n她很忙。"
    with pytest.raises(InvalidInput, match=r"would have 19 tokens and takes 10: 9 too many"):
        await blocks.append("human", "她住在里斯本附近。")
    for old in ("flute", ""):
        with pytest.raises(InvalidInput, match="does not hold"):
            await blocks.replace("human", old, "x")
    with pytest.raises(InvalidInput, match="holds 2 times"):
        await blocks.replace("human", "l", "x")
    assert (await blocks.replace("human", "\n她很忙。", "")).text == "Ann plays the viola."
    assert (await blocks.set("human", "Ann plays the viola.")).version == 4
    assert (await blocks.get("human")).description == "who it is"
    for name in ("", " ", "a\nb", "<a>", "x" * 65):
        with pytest.raises(InvalidInput, match="name of a block"):
            await blocks.set(name, "x")
    for call in (blocks.append("none", "x"), blocks.replace("none", "a", "b"), blocks.delete("none")):
        with pytest.raises(NotFound, match="no block 'none'"):
            await call


async def test_a_named_version_is_compared(service: MemoryService) -> None:
    blocks = service.for_user("ann").blocks
    made = await blocks.set("plan", "one", if_version=0)
    with pytest.raises(Conflict, match="has version 1, not 0"):
        await blocks.set("plan", "two", if_version=0)
    await blocks.append("plan", "two", if_version=made.version)
    with pytest.raises(Conflict, match="has version 2, not 1"):
        await blocks.delete("plan", if_version=1)
    await blocks.delete("plan", if_version=2)
    assert await blocks.list() == ()


async def test_lines_that_many_add_at_once_are_all_there(service: MemoryService) -> None:
    await asyncio.gather(*(service.blocks.set(f"b{n % 2}", "", user="ann") for n in range(4)))
    await asyncio.gather(*(service.blocks.append("b0", str(n), user="ann") for n in range(6)))
    block = await service.blocks.get("b0", user="ann")
    assert sorted(block.text.split()) == [str(n) for n in range(6)]


async def test_agents_see_their_own_the_users_and_what_is_shared(service: MemoryService) -> None:
    ann, cook, guide = (service.for_user("ann", agent=agent).blocks for agent in (None, "cook", "guide"))
    await ann.set("human", HUMAN)
    await cook.set("menu", "soup", shared_with=[])
    assert [one.name for one in await guide.list()] == ["human"]
    with pytest.raises(NotFound):
        await guide.get("menu")
    await cook.set("menu", shared_with=["guide", "guide"])
    assert (await guide.append("menu", "fish")).text == "soup\nfish"
    assert (await guide.replace("human", "nurse", "doctor")).agent is None
    assert [(one.name, one.agent) for one in await ann.list()] == [("human", None), ("menu", "cook")]
    shown = (await service.retrieve("x", user="ann", agent="guide")).context
    assert shown.index("doctor") < shown.index("fish")
    assert "fish" not in (await service.retrieve("x", user="ann")).context
    # Its own goes before one that is shared.
    await service.blocks.set("menu", "bread", user="ann", agent="baker")
    await service.blocks.set("menu", shared_with=["cook"], user="ann", agent="baker")
    assert (await cook.get("menu")).text == "soup\nfish"
    for edit in (guide.set("menu", read_only=True), guide.delete("menu"), guide.delete("human")):
        with pytest.raises(InvalidInput, match="not this agent's own"):
            await edit
    with pytest.raises(InvalidInput, match="every agent sees it"):
        await ann.set("human", shared_with=["cook"])
    with pytest.raises(InvalidInput, match="`shared_with` is a list"):
        await cook.set("menu", shared_with="guide")
    await cook.set("menu", shared_with=[])
    with pytest.raises(NotFound):
        await guide.get("menu")


async def test_what_is_read_only_is_a_persons_to_change(service: MemoryService) -> None:
    await service.blocks.set("rules", "Be kind.", read_only=True, user="ann")
    cook = service.for_user("ann", agent="cook").blocks
    for edit in (cook.set("rules", "x"), cook.append("rules", "x"), cook.delete("rules")):
        with pytest.raises(InvalidInput, match="read-only for agents"):
            await edit
    with pytest.raises(OutsideScope, match="bound to agent"):
        await cook.set("rules", "x", by="person")
    block = await service.blocks.append("rules", "Be brief.", user="ann")
    history = await service.history(block.id, user="ann")
    assert [(one.kind, one.op, one.actor) for one in history] == [
        ("block", "create", "person"),
        ("block", "update", "person"),
        ("block", "update", "person"),
    ]
    await service.blocks.set("notes", "a", user="ann", agent="cook")
    edited = await service.blocks.set("notes", "b", user="ann", agent="cook", by="person")
    actors = [one.actor for one in await service.history(edited.id, user="ann")]
    assert actors == ["agent cook", "agent cook", "person"]


async def test_another_user_has_other_blocks(service: MemoryService) -> None:
    for user in ("ann", "bob"):
        await service.blocks.set("human", f"I am {user}.", user=user)
    await service.blocks.delete("human", user="bob")
    assert (await service.blocks.get("human", user="ann")).text == "I am ann."
    with pytest.raises(MemuError):
        await service.history((await service.blocks.get("human", user="ann")).id, user="bob")
    alone = await service.blocks.set("skills", "knots", agent="sailor")
    assert alone.agent is None and (await service.blocks.list(agent="sailor")) == (alone,)
    await service.clear(user="ann")
    assert await service.blocks.list(user="ann") == ()
