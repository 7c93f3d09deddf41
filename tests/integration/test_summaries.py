"""Categories by a model: what items go to, what new ones come, and summaries that follow by patches."""

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from summaries_kit import (
    NEW,
    TOPICS,
    answering,
    config,
    edits,
    extracting,
    is_summary,
    item,
    notes_of,
    prompt_of,
    said,
    summaries_asked,
    telling,
    topics,
)

from memu_py import MemoryService
from memu_py.errors import ConfigError
from memu_py.records.batch import Batch, Supersession
from memu_py.records.cited import citations, uncited
from memu_py.testing.chat_answers import CHAT
from memu_py.testing.http import Answer, Request
from memu_py.testing.refusals import failed
from memu_py.testing.server import ScriptedServer

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


async def test_items_go_where_the_model_says_and_all_summaries_are_one_call(server: ScriptedServer) -> None:
    server.route(
        CHAT,
        answering(
            lambda _: extracting(
                item("Ann works at Acme.", "t0", topic="work"),
                item("Ann lives in Porto.", "t1", topic="Home"),
            )
        ),
    )
    async with MemoryService(config(server)) as service:
        result = await service.memorize(messages=said("I work at Acme.", "I live in Porto."), user="ann")
        found = await topics(service)
        assert result.usage.chat_calls == 2
        work, home = result.added
        assert (found["Work"].summary, found["Work"].stale) == (
            f"Ann: Ann works at Acme. [ref:{work.id}]",
            False,
        )
        assert found["Home"].summary == f"Ann: Ann lives in Porto. [ref:{home.id}]"
        assert {one.name for one in result.categories} == {"Work", "Home"}


async def test_new_topics_come_within_limits_and_only_with_items(server: ScriptedServer) -> None:
    def extract(_: str) -> Answer:
        return extracting(
            item("Ann has a cat.", "t0", topic="Pets", new_topic="all about pets\n" * 99),
            item("Ann plays the cello.", "t1", topic="music", new_topic="all about music"),
            item("Ann sings.", "t1", topic="Music"),
            item("Ann drives a Saab.", "t2", topic="Cars", new_topic="all about cars"),
            item("Ann paints.", "t2", topic="Art"),
        )

    server.route(CHAT, answering(extract))
    async with MemoryService(config(server, new_per_run=2)) as service:
        await service.memorize(
            messages=said("I have a cat.", "I play the cello.", "I drive a Saab."), user="ann"
        )
        found = await topics(service)
        assert set(found) == {"Work", "Home", "Pets", "music"}
        assert (found["music"].origin, found["music"].description) == ("auto", "all about music")
        assert found["music"].item_count == 2
        assert len(found["Pets"].description) <= 300
        assert "\n" not in found["Pets"].description
    assert "[block room" in prompt_of(server.requests[0])

    async with MemoryService(config(server, max_per_user=2)) as service:
        await service.memorize(messages=said("I have a cat."), user="ann")
        assert set(await topics(service)) == {"Work", "Home"}
    assert "[block room" not in prompt_of([one for one in server.requests if not is_summary(one)][-1])


async def test_a_summary_changes_by_a_patch_of_what_is_new(server: ScriptedServer) -> None:
    async with MemoryService(config(server)) as service:
        server.script(CHAT, extracting(item("Ann works at Acme.", "t0", topic="Work")))
        server.script(CHAT, edits({"category": "c1", "text": "Ann works at Acme. [ref:x]", "refs": ["i1"]}))
        first = await service.memorize(messages=said("I work at Acme."), user="ann")

        server.script(CHAT, extracting(item("Ann became a director.", "t0", topic="Work")))
        server.script(
            CHAT,
            edits(
                {
                    "category": "c1",
                    "line": "s1",
                    "text": "Ann is a director at Acme.",
                    "refs": ["i1", "[I2]"],
                },
                {"category": "c1", "text": "Ann flies to Mars.", "refs": ["i9"]},
                {"category": "c1", "text": "Nobody said this."},
                {"category": "c7", "text": "Ann works at Acme.", "refs": ["i1"]},
                {"text": 1},
            ),
        )
        second = await service.memorize(messages=said("I became a director."), user="ann")
        work = (await topics(service))["Work"]
        assert uncited(work.summary) == "Ann is a director at Acme."
        assert citations(work.summary) == [first.added[0].id, second.added[0].id]
        notes = notes_of(second, "update_categories")
        assert (notes["strangers"], notes["unsourced"], notes["dropped"]) == (1, 2, 1)

    shown = prompt_of(summaries_asked(server)[-1])
    assert "[s1] Ann works at Acme. (i1)" in shown
    assert NEW.findall(shown) == [("i2", "Ann: Ann became a director.")]


async def test_eight_at_once_leave_every_fact_reflected_once(server: ScriptedServer) -> None:
    def extract(prompt: str) -> Answer:
        (name,) = re.findall(r"my friend (\w+)", prompt.rpartition("[block turns")[2])
        return extracting(item(f"{name} is a friend of Ann.", "t0", topic="Home"))

    names = ["Bo", "Cy", "Di", "Ed", "Fay", "Gus", "Hal", "Ivy"]
    server.route(CHAT, answering(extract))
    async with MemoryService(config(server)) as service:
        await asyncio.gather(
            *(service.memorize(messages=said(f"I met my friend {name}."), user="ann") for name in names)
        )
        home = (await topics(service))["Home"]
        assert not home.stale
        assert sorted(line.split()[1] for line in uncited(home.summary).splitlines()) == names
        assert len(citations(home.summary)) == len(names)
    told = [text for request in summaries_asked(server) for _, text in NEW.findall(prompt_of(request))]
    assert sorted(told) == sorted(f"Ann: {name} is a friend of Ann." for name in names)


async def test_a_summary_written_by_another_process_meanwhile_is_patched_again(
    server: ScriptedServer,
) -> None:
    async with MemoryService(config(server)) as service:
        server.script(CHAT, extracting(item("Ann works at Acme.", "t0", topic="Work")))
        rounds: list[str] = []

        async def late(request: Request) -> Answer:
            rounds.append(prompt_of(request))
            if len(rounds) == 1:
                work = (await topics(service))["Work"]
                await service.update_category(work.id, {"summary": "", "description": "careers"}, user="ann")
                await service.update_category(work.id, {"summary": "Ann has a job."}, user="ann")
            return telling(rounds[-1])

        server.route(CHAT, late)
        result = await service.memorize(messages=said("I work at Acme."), user="ann")
        work = (await topics(service))["Work"]
        assert (uncited(work.summary), work.stale) == ("Ann: Ann works at Acme.", False)
        assert "careers" in rounds[1]
        assert notes_of(result, "update_categories")["conflicts"] == 1


async def test_a_model_that_fails_leaves_summaries_stale_until_the_next_memorize(
    server: ScriptedServer,
) -> None:
    async with MemoryService(config(server)) as service:
        server.script(
            CHAT, extracting(item("Ann works at Acme.", "t0", topic="Work")), failed(500, "out of order")
        )
        result = await service.memorize(messages=said("I work at Acme."), user="ann")
        work = (await topics(service))["Work"]
        assert (work.summary, work.stale, len(result.added)) == ("", True, 1)
        assert "out of order" in notes_of(result, "update_categories")["failed"]

        server.route(CHAT, answering(lambda _: extracting(item("Ann likes tea.", "t0", topic="Home"))))
        await service.memorize(messages=said("I like tea."), user="ann")
        work = (await topics(service))["Work"]
        assert (uncited(work.summary), work.stale) == ("Ann: Ann works at Acme.", False)


async def test_what_is_deleted_leaves_the_summary_at_once_and_what_ended_with_the_next_patch(
    server: ScriptedServer,
) -> None:
    server.route(
        CHAT,
        answering(
            lambda _: extracting(
                item("Ann works at Acme.", "t0", topic="Work"), item("Ann leads a team.", "t1", topic="Work")
            )
        ),
    )
    async with MemoryService(config(server)) as service:
        result = await service.memorize(messages=said("I work at Acme.", "I lead a team."), user="ann")
        acme, team = result.added
        calls = len(server.requests)
        await service.delete_item(acme.id, user="ann")
        assert uncited((await topics(service))["Work"].summary) == "Ann: Ann leads a team."
        await service.update_item(team.id, {"text": "Ann leads two teams."}, user="ann")
        work = (await topics(service))["Work"]
        assert (work.summary, work.stale, len(server.requests)) == ("", True, calls)

        server.route(CHAT, answering(lambda _: extracting(item("Ann is busy.", "t0", topic="Work"))))
        await service.memorize(messages=said("I am busy."), user="ann")
        work = (await topics(service))["Work"]
        assert sorted(uncited(work.summary).splitlines()) == [
            "Ann: Ann is busy.",
            "Ann: Ann leads two teams.",
        ]


async def test_a_summary_keeps_within_its_length(server: ScriptedServer) -> None:
    facts = [item(f"Ann knows fact number {number} by heart.", "t0", topic="Work") for number in range(20)]
    server.route(CHAT, answering(lambda _: extracting(*facts)))
    async with MemoryService(config(server, summary_chars=120)) as service:
        result = await service.memorize(messages=said("I know twenty facts by heart."), user="ann")
        work = (await topics(service))["Work"]
        assert 40 < len(uncited(work.summary)) <= 120
        assert (work.stale, notes_of(result, "update_categories")["trimmed"]) == (False, 17)
    assert "(at most 120 characters; now 0)" in prompt_of(summaries_asked(server)[0])


async def test_more_than_fits_one_call_is_told_in_several(server: ScriptedServer) -> None:
    facts = [
        item(f"Ann met person {number} in the city of {number}.", "t0", topic="Work") for number in range(60)
    ]
    server.route(CHAT, answering(lambda _: extracting(*facts)))
    async with MemoryService(config(server, update={"tokens": 200}, summary_chars=100_000)) as service:
        await service.memorize(messages=said("I met sixty people."), user="ann")
        work = (await topics(service))["Work"]
        assert (len(citations(work.summary)), work.stale) == (60, False)
    assert len(summaries_asked(server)) > 2


async def test_a_summary_drawn_without_a_model_is_made_anew_by_one(server: ScriptedServer) -> None:
    async with MemoryService(config(server)) as service:
        await service.memorize(messages=said("I have a new job at the bank."), user="ann", infer=False)
        await service.link(
            (await service.list_items(user="ann"))[0].id, (await topics(service))["Work"].id, user="ann"
        )
        await service.memorize(messages=said("The bank is nice."), user="ann", infer=False)
        assert server.requests == []
        before = (await topics(service))["Work"].summary
        assert before and not citations(before)

        server.route(CHAT, answering(lambda _: extracting(item("Ann likes tea.", "t0", topic="Work"))))
        await service.memorize(messages=said("I like tea."), user="ann")
        work = (await topics(service))["Work"]
        assert len(citations(work.summary)) == work.item_count >= 2

        kept = work.summary
        await service.memorize(messages=said("My job at the bank is hard."), user="ann", infer=False)
        assert (await topics(service))["Work"].summary == kept


async def test_a_conversation_of_sixty_messages_is_at_most_three_calls(server: ScriptedServer) -> None:
    def extract(prompt: str) -> Answer:
        turns = re.findall(r"^\[(t\d+)\]", prompt.rpartition("[block turns")[2], re.MULTILINE)
        return extracting(*(item(f"Ann told story {turn}.", turn, topic="Home") for turn in turns))

    server.route(CHAT, answering(extract))
    async with MemoryService({**config(server), "workflows": {}, "categories": {}}) as service:
        messages = said(
            *(f"Story {number}: I spent a long day at the lake with the children." for number in range(60))
        )
        result = await service.memorize(messages=messages, user="ann")
        assert len(result.added) == 60
        assert result.usage.chat_calls <= 3
        assert (await service.retrieve("stories", user="ann")).usage.chat_calls == 0


async def test_a_model_that_is_asked_for_must_be_there() -> None:
    settings: dict[str, Any] = {"database": {"backend": "memory"}, "categories": {"defaults": TOPICS}}
    update = {"use": "update_categories", "with": {"mode": "llm"}}
    settings["workflows"] = {"memorize": {"steps": ["extract_entities", "classify_items", update]}}
    async with MemoryService(settings) as service:
        with pytest.raises(ConfigError, match=r"llm\.default"):
            await service.memorize(messages=said("I have a new job."), user="ann")


async def test_what_is_deleted_or_ends_while_the_model_writes_is_not_told(server: ScriptedServer) -> None:
    facts = ("Ann works at Acme.", "Ann leads a team.", "Ann likes her job.")
    async with MemoryService(config(server)) as service:
        server.script(
            CHAT,
            extracting(*(item(text, f"t{place}", topic="Work") for place, text in enumerate(facts))),
        )
        rounds: list[str] = []

        async def late(request: Request) -> Answer:
            rounds.append(prompt_of(request))
            known = {one.text: one for one in await service.list_items(user="ann")}
            if len(rounds) == 1:
                await service.delete_item(known["Ann works at Acme."].id, user="ann")
            if len(rounds) == 2:
                await service.update_item(known["Ann leads a team."].id, {"valid_to": NOW}, user="ann")
            return telling(rounds[-1])

        server.route(CHAT, late)
        await service.memorize(
            messages=said("I work at Acme.", "I lead a team.", "I like my job."), user="ann"
        )
        work = (await topics(service))["Work"]
        assert (uncited(work.summary), work.stale) == ("Ann: Ann likes her job.", False)
        assert len(rounds) == 3


async def test_a_cited_memory_that_ends_while_the_model_writes_leaves_the_summary_too(
    server: ScriptedServer,
) -> None:
    async with MemoryService(config(server)) as service:
        server.script(CHAT, extracting(item("Ann works at Acme.", "t0", topic="Work")))
        server.route(CHAT, answering(lambda _: extracting()))
        result = await service.memorize(messages=said("I work at Acme."), user="ann")
        (acme,) = result.added
        server.script(CHAT, extracting(item("Ann likes her job.", "t0", topic="Work")))
        end = Supersession(item_id=acme.id, at=NOW)
        ended = Batch(run_id="other", actor="memorize", read_seq=0, supersessions=(end,))
        rounds: list[str] = []

        async def late(request: Request) -> Answer:
            rounds.append(prompt_of(request))
            if len(rounds) == 1:
                # As another memorize does it: the summary is left as it is.
                await service._runtime.store.commit(acme.scope, ended)
            return telling(rounds[-1]) if len(rounds) == 1 else edits()

        server.route(CHAT, late)
        await service.memorize(messages=said("I like my job."), user="ann")
        work = (await topics(service))["Work"]
        assert (uncited(work.summary), work.stale) == ("Ann: Ann likes her job.", False)
