"""Whatever is given and taken back in whatever order, an agent sees its own and what it was granted last, no more."""

import asyncio
from collections.abc import Sequence

from hypothesis import example, given, settings
from hypothesis import strategies as st
from service_kit import config

from memu_py import MemoryService
from memu_py.errors import MemuError, OutsideScope

AGENTS = ("cook", "Cook", "助手", 'a"b')
USERS = ("ann", "bob")

Step = tuple[str, str, str, str]
Steps = st.lists(
    st.tuples(
        st.sampled_from(USERS),
        st.sampled_from(["read", "write", "revoke"]),
        st.sampled_from(AGENTS),
        st.sampled_from(AGENTS),
    ),
    max_size=8,
)


async def _take(service: MemoryService, known: dict[tuple[str, str, str], str], step: Step) -> None:
    user, what, giver, getter = step
    try:
        if what == "revoke":
            await service.grants.revoke(giver, getter, user=user)
        else:
            rights = ("read", "write") if what == "write" else ("read",)
            await service.grants.give(giver, getter, rights=rights, user=user)
    except MemuError:
        assert giver == getter or (what == "revoke" and (user, giver, getter) not in known)
        return
    known[user, giver, getter] = what
    if what == "revoke":
        del known[user, giver, getter]


async def _check(steps: Sequence[Step]) -> None:
    async with MemoryService(config()) as service:
        ids = {}
        for user in USERS:
            for agent in AGENTS:
                item = await service.create_item("Ann likes tea. 喝茶", user=user, agent=agent)
                ids[user, agent] = item.id
        known: dict[tuple[str, str, str], str] = {}
        for step in steps:
            await _take(service, known, step)
        for user in USERS:
            for agent in AGENTS:
                seen = {one for one in AGENTS if one == agent or (user, one, agent) in known}
                expected = {ids[user, one] for one in seen}
                found = await service.retrieve("tea 喝茶", user=user, agent=agent, min_score=0.0)
                listed = await service.list_items(user=user, agent=agent)
                assert {hit.record.id for hit in found.items} == expected
                assert {item.id for item in listed} == expected
                for one in seen - {agent}:
                    change = service.update_item(ids[user, one], {"importance": 7}, user=user, agent=agent)
                    try:
                        await change
                        assert known[user, one, agent] == "write"
                    except OutsideScope:
                        assert known[user, one, agent] == "read"


@settings(max_examples=10, deadline=None)
@example([("ann", "read", "cook", "助手"), ("ann", "write", "助手", "Cook")])
@example([("ann", "write", "cook", "助手"), ("ann", "read", "cook", "助手"), ("bob", "read", "Cook", "cook")])
@given(Steps)
def test_an_agent_sees_its_own_and_what_it_was_granted(steps: list[Step]) -> None:
    asyncio.run(_check(steps))
