"""Corrections in words: by id, by what is clear, by a model; and nothing done where it is not clear."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cli_kit import CONFIG, Memu, take
from reading_kit import model_at
from server_kit import served
from service_kit import config

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import InvalidInput, NotFound
from memu_py.testing.chat_answers import CHAT, chat
from memu_py.testing.clock import FixedClock
from memu_py.testing.server import ScriptedServer

NOW = datetime(2024, 6, 15, 12, tzinfo=UTC)


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(config(), clock=FixedClock(NOW)) as made:
        yield made


async def texts(service: MemoryService) -> list[str]:
    return [item.text for item in await service.list_items(user="ann")]


async def test_a_date_is_corrected_by_id_and_shows_what_it_did(service: MemoryService) -> None:
    taken = await service.memorize(
        messages=[{"role": "user", "content": "I moved to Lisbon in May 2020."}], user="ann"
    )
    (item,) = taken.added
    done = await service.correct("That is wrong, it was 2021.", item_id=item.id, user="ann")

    assert done and (done.how, done.by) == ("date", "id")
    assert done.before is not None and done.after is not None
    assert done.before.superseded_by == done.after.id
    assert done.after.text == "I moved to Lisbon in May 2021."
    assert done.after.happened is not None and done.after.happened.start == datetime(2021, 5, 1, tzinfo=UTC)
    assert done.after.sources == item.sources
    assert await texts(service) == ["I moved to Lisbon in May 2021."]
    history = await service.history(item.id, user="ann")
    assert history[-1].reason == "corrected: That is wrong, it was 2021."
    assert "2021" in (await service.retrieve("When did I move?", user="ann")).items[0].record.text


async def test_what_was_wrong_never_held(service: MemoryService) -> None:
    item = await service.create_item(
        {"text": "I live in Porto.", "said_at": NOW - timedelta(days=9)}, user="ann"
    )
    assert [str(one) for one in await service.profile.get(user="ann")] == ["Porto"]
    await service.correct("not Porto but Rome", item_id=item.id, user="ann")

    assert [str(one) for one in await service.profile.history("home", user="ann")] == ["Rome"]
    then = await service.retrieve("Where do I live?", user="ann", as_of=NOW - timedelta(days=1))
    assert [hit.record.text for hit in then.items] == ["I live in Rome."]


async def known(service: MemoryService, as_of: datetime | None = None) -> tuple[list[str], list[str]]:
    """Return what the graph and the profile say."""
    edges = await service.graph.relations(user="ann", as_of=as_of)
    return [one.object for one in edges], [
        str(one) for one in await service.profile.get(as_of=as_of, user="ann")
    ]


@pytest.mark.parametrize("wrong", ["I work at Meta.", "I no longer work at Google."])
async def test_what_a_wrong_statement_ended_holds_again(service: MemoryService, wrong: str) -> None:
    messages = [
        {"role": "user", "content": text, "created_at": f"{year}-01-01"}
        for text, year in (("I work at Google.", 2020), (wrong, 2021))
    ]
    taken = await service.memorize(messages=messages, user="ann")
    assert "Google" not in (await known(service))[0]
    await service.correct("That's wrong.", item_id=taken.added[1].id, user="ann")

    for as_of in (None, datetime(2022, 1, 1, tzinfo=UTC), datetime(2020, 6, 1, tzinfo=UTC)):
        assert await known(service, as_of) == (["Google"], ["Google"])


@pytest.mark.parametrize("text", ["I moved to Rome in 2019.", "I live in Rome since 2019."])
@pytest.mark.parametrize("words", ["That's wrong.", "not Rome but Porto"])
async def test_what_was_wrong_never_held_since_it_happened(
    service: MemoryService, text: str, words: str
) -> None:
    messages = [{"role": "user", "content": text, "created_at": "2024-01-01"}]
    (item,) = (await service.memorize(messages=messages, user="ann")).added
    assert await service.profile.get(as_of=datetime(2022, 1, 1, tzinfo=UTC), user="ann")
    await service.correct(words, item_id=item.id, user="ann")

    for as_of in (datetime(2022, 1, 1, tzinfo=UTC), NOW):
        assert not {"Rome"} & {one for found in await known(service, as_of) for one in found}


async def test_a_memory_that_is_wrong_ends(service: MemoryService) -> None:
    item = await service.create_item("Ann owns a boat.", user="ann")
    done = await service.correct("that's wrong", item_id=item.id, user="ann")
    assert (done.how, done.after) == ("end", None) and done.before is not None and done.before.ended
    assert await texts(service) == []
    with pytest.raises(InvalidInput, match="no longer"):
        await service.correct("it was 2021", item_id=item.id, user="ann")


async def test_the_only_one_that_fits_is_meant(service: MemoryService) -> None:
    for text in ("Ann lives in Porto.", "Ann bought a cello in 2019.", "Carl sails."):
        await service.create_item(text, user="ann")
    done = await service.correct("not Porto but Lisbon", user="ann")
    assert (done.by, done.after and done.after.text) == ("rules", "Ann lives in Lisbon.")
    first = await service.memorize(text="I met Eva in 2018.", user="ann")
    assert first.trace is not None
    by_run = await service.correct("it was 2017", run_id=first.trace.run_id, user="ann")
    assert by_run.after is not None and by_run.after.text == "I met Eva in 2017."


async def test_where_it_is_not_clear_nothing_is_done(service: MemoryService) -> None:
    for text in ("Ann lives in Porto.", "Carl was born in Porto."):
        await service.create_item(text, user="ann")
    before = await texts(service)
    done = await service.correct("not Porto but Lisbon", user="ann")

    assert not done and done.before is None
    assert {hit.record.text for hit in done.candidates} == set(before)
    assert not await service.correct("that's wrong", user="ann")
    assert await texts(service) == before
    assert not await service.correct("it was 2021", user="bob")


async def test_a_whole_statement_takes_the_place_of_the_nearest(service: MemoryService) -> None:
    for text in ("Ann plays the cello in Porto.", "Carl sails on Sundays."):
        await service.create_item(text, user="ann")
    done = await service.correct("That's wrong, Ann plays the cello in Braga.", user="ann")
    assert done.how == "statement" and "Ann plays the cello in Braga" in await texts(service)
    assert "Carl sails on Sundays." in await texts(service)


@pytest.mark.parametrize(
    ("words", "given", "kind"),
    [
        (" ", {}, InvalidInput),
        ("it was Lisbon", {"item_id": "mine"}, InvalidInput),
        ("it was 2021", {"item_id": "x"}, NotFound),
        ("it was 2021", {"run_id": "x"}, NotFound),
        ("it was 2021", {"item_id": "mine", "user": "bob"}, NotFound),
    ],
)
async def test_what_is_not_usable_is_refused(
    service: MemoryService, words: str, given: dict[str, Any], kind: type[Exception]
) -> None:
    item = await service.create_item("Ann lives in Porto.", user="ann")
    given = {"user": "ann", **given, **({"item_id": item.id} if given.get("item_id") == "mine" else {})}
    with pytest.raises(kind):
        await service.correct(words, **given)
    assert await texts(service) == ["Ann lives in Porto."]


async def test_a_model_is_asked_where_it_is_not_clear() -> None:
    answers = [
        {"target": "k1", "text": "Ann lives in Lisbon.", "reason": "a city"},
        {"target": "k9", "text": "x", "reason": ""},
        {"target": None, "text": "", "reason": "several"},
    ]
    async with ScriptedServer() as server:
        server.script(CHAT, *(chat(json.dumps(answer)) for answer in answers))
        async with MemoryService(config(llm=model_at(server))) as service:
            item = await service.create_item("Ann lives in Porto.", user="ann")
            done = await service.correct("it was Lisbon", item_id=item.id, user="ann")
            assert (done.by, done.after and done.after.text) == ("model", "Ann lives in Lisbon.")
            for words in ("it was Braga", "it was Rome"):
                assert not await service.correct(words, user="ann")
            assert await texts(service) == ["Ann lives in Lisbon."]


def test_plain_code_has_plain_calls() -> None:
    with SyncMemoryService(MemoryService(config())) as sync:
        item = sync.create_item("Ann lives in Porto.", user="ann")
        assert (
            sync.correct("not Porto but Rome", item_id=item.id, user="ann").after.text == "Ann lives in Rome."
        )


async def test_a_client_does_the_same() -> None:
    async with served() as server, server.client() as client:
        item = await client.create_item("Ann lives in Porto.", user="ann")
        done = await client.correct("not Porto but Rome", item_id=item.id, user="ann")
        assert done and done.after is not None and done.after.text == "Ann lives in Rome."
        assert len((await client.correct("that's wrong", user="ann")).candidates) == 1


def test_the_command_line(memu: Memu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text(CONFIG)
    take(memu, "note.txt", "Ann lives in Porto.\n")
    code, out, err = memu("correct", "that's wrong")
    assert code == 1 and "Ann lives in Porto." in out and "--item" in err
    code, out, err = memu("correct", "not Porto but Rome")
    assert (code, out) == (0, "Ann lives in Rome.\n") and "Was: Ann lives in Porto." in err
    assert json.loads(memu("correct", "not Rome but Bonn", "--json")[1])["done"] is True
