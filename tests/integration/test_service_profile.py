"""A person's profile: from what is memorized, by hand, over HTTP, and from the command line."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cli_kit import CONFIG, Memu, take
from server_kit import served
from service_kit import config

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import InvalidInput
from memu_py.testing.clock import FixedClock

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)


def said(text: str, day: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, "created_at": f"{day}T12:00:00Z", **more}


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(config(), clock=FixedClock(NOW)) as made:
        yield made


async def known(service: MemoryService, **given: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in await service.profile.get(**{"user": "ann", **given}):
        found.setdefault(one.facet, []).append(one.value)
    return found


async def test_what_is_said_is_known_with_its_item_and_time(service: MemoryService) -> None:
    await service.memorize(
        messages=[
            said("I'm a nurse and I live in Porto.", "2024-01-01"),
            said("I live in Rome.", "2024-01-02", role="assistant"),
            said("我对花生过敏。", "2024-01-03"),
            said("My sister lives in Paris. Do I live in Bonn?", "2024-01-04"),
        ],
        user="ann",
    )
    profile = await service.profile.get(user="ann")

    assert await known(service) == {"home": ["Porto"], "occupation": ["nurse"], "allergies": ["花生"]}
    (home,) = profile.of("home")
    assert str(home) == "Porto" and home.since == datetime(2024, 1, 1, 12, tzinfo=UTC)
    assert (await service.get_item(home.item_id, user="ann")).text.startswith("I'm a nurse")
    assert await known(service, user="bob") == {}
    assert len(profile) == 3 and profile.at == NOW


async def test_a_value_may_be_set_again_from_elsewhere(service: MemoryService) -> None:
    first = await service.profile.set("home", "Porto", user="ann")
    elsewhere: list[dict[str, Any]] = [
        {"session": "s"},
        {"agent": "coach"},
        {"agent": "coach", "session": "s"},
    ]
    for keys in elsewhere:
        assert (await service.profile.set("home", "Porto", user="ann", **keys)).value == first.value
    assert (await service.profile.set("home", "Por\0to", topic="a\0b", user="ann")).value == "Por\ufffdto"


async def test_a_value_may_be_set_to_hold_from_earlier_on(service: MemoryService) -> None:
    await service.profile.set("home", "Porto", since=datetime(2024, 5, 1, tzinfo=UTC), user="ann")
    early = datetime(2024, 1, 1, tzinfo=UTC)
    assert (await service.profile.set("home", "Porto", since=early, user="ann")).since == early
    assert await known(service, as_of=datetime(2024, 2, 1, tzinfo=UTC)) == {"home": ["Porto"]}
    assert len(await service.profile.history("home", user="ann")) == 1


async def test_a_contradiction_ends_what_was_whatever_comes_first(service: MemoryService) -> None:
    await service.memorize(messages=[said("I live in Lisbon now.", "2024-05-01")], user="ann")
    assert await known(service) == {"home": ["Lisbon"]}
    await service.memorize(messages=[said("I live in Porto.", "2023-01-01")], user="ann")
    await service.memorize(messages=[said("I love coffee and jazz.", "2023-01-02")], user="ann")
    await service.memorize(messages=[said("I no longer like coffee.", "2024-02-01")], user="ann")

    assert await known(service) == {"home": ["Lisbon"], "likes": ["jazz"]}
    then = datetime(2023, 6, 1, tzinfo=UTC)
    assert await known(service, as_of=then) == {"home": ["Porto"], "likes": ["coffee", "jazz"]}
    history = await service.profile.history("home", user="ann")
    assert [(one.value, one.until is None) for one in history] == [("Porto", False), ("Lisbon", True)]


async def test_a_value_goes_with_its_item(service: MemoryService) -> None:
    first = await service.create_item("I live in Porto.", user="ann")
    second = await service.create_item("I have a dog named Rex.", user="ann")
    assert await known(service) == {"home": ["Porto"], "pets": ["dog Rex"]}
    await service.update_item(first.id, {"text": "I live in Bonn."}, user="ann")
    assert (await known(service))["home"] == ["Bonn"]
    await service.update_item(second.id, {"valid_to": NOW}, user="ann")
    assert await known(service) == {"home": ["Bonn"]}
    await service.delete_item(first.id, user="ann")
    assert await known(service) == {}
    await service.clear(user="ann")
    assert (await service.stats())["facets"] == 0


async def test_named_speakers_are_others_unless_they_are_the_user(service: MemoryService) -> None:
    await service.memorize(
        messages=[
            said("I live in Porto.", "2024-01-01", name="Ann"),
            said("I live in Rome.", "2024-01-02", name="Bob"),
        ],
        user="ann",
    )
    await service.memorize(
        messages=[
            said("I am a nurse.", "2024-01-01", name="Cleo"),
            said("Great!", "2024-01-02", role="assistant"),
        ],
        user="u-1",
    )
    assert await known(service) == {"home": ["Porto"]}
    assert await known(service, user="u-1") == {"occupation": ["nurse"]}


async def test_whose_words_they_were_outlives_the_conversation(tmp_path: Path) -> None:
    others = "My name is Claude. I live in Berlin. I work at Acme."
    told = {"home": ["Lisbon"]}

    async def touched(service: MemoryService) -> dict[str, list[str]]:
        for item in await service.list_items(user="ann"):
            await service.update_item(item.id, {"importance": (item.importance or 1) % 9 + 1}, user="ann")
        return await known(service)

    async with MemoryService(config(tmp_path / "memu.db"), clock=FixedClock(NOW)) as service:
        turns = [
            said("I live in Lisbon.", "2024-01-01", name="Ann Lee"),
            said(others, "2024-01-02", role="assistant"),
        ]
        await service.conversations.add("c", turns, user="ann")
        await service.memorize(resource_url="conversation://c", user="ann")
        assert await known(service) == told
        await service.conversations.delete("c", user="ann")
        assert len(await service.list_items(user="ann")) == len(turns)
        assert await touched(service) == told
        await service.export_user(tmp_path / "out.zip", user="ann")
        await service.import_user(tmp_path / "out.zip", user="eve")
        assert await known(service, user="eve") == told
    # With other rules all is read again.
    async with MemoryService(
        config(tmp_path / "memu.db", timezone="Asia/Tokyo"), clock=FixedClock(NOW)
    ) as service:
        assert await known(service) == told
        assert await service.integrity() == []


async def test_values_are_set_and_ended_by_hand(service: MemoryService) -> None:
    ann = service.for_user("ann")
    home = await ann.profile.set("home", "Porto", since=NOW - timedelta(days=30))
    assert (home.value, home.confidence, home.until) == ("Porto", 1.0, None)
    later = await ann.profile.set("home", "Lisbon")
    await ann.profile.set("family", "Eva", topic="wife")
    await ann.profile.set("likes", "茶")

    assert await known(service) == {"home": ["Lisbon"], "family": ["Eva"], "likes": ["茶"]}
    assert [item.text for item in await ann.list_items()] == ["Home: Lisbon", "Family, wife: Eva", "喜欢：茶"]
    (old,) = [one for one in await ann.profile.history("home") if one.value == "Porto"]
    assert old.until == later.since
    assert await ann.profile.end("family", topic="wife") == 1
    assert await ann.profile.end("likes", "咖啡") == 0
    assert await ann.profile.end("likes", "茶") == 1
    assert await ann.profile.end("home") == 1
    assert await known(service) == {}
    assert (await ann.profile.set("home", "Lisbon")).until is None


async def test_what_was_said_can_be_ended_by_hand(service: MemoryService) -> None:
    item = await service.create_item("I live in Porto and I love tea.", user="ann")
    assert await service.profile.end("home", "porto", user="ann") == 1
    assert await known(service) == {"likes": ["tea"]}
    assert not (await service.get_item(item.id, user="ann")).ended


async def test_what_is_known_already_can_be_set_for_an_earlier_time(service: MemoryService) -> None:
    ann = service.for_user("ann").profile
    await service.create_item({"text": "I live in Porto.", "said_at": NOW}, user="ann")
    await service.create_item({"text": "My wife Eva sails.", "said_at": NOW}, user="ann")
    early = NOW - timedelta(days=365)

    assert (await ann.set("home", "porto", since=early)).since == early
    assert (await ann.set("home", "Rome", since=early - timedelta(days=9))).until == early
    assert (await ann.set("family", "Ida", topic="Wife")).topic == "wife"
    assert await known(service) == {"home": ["Porto"], "family": ["Ida"]}


async def test_what_privacy_takes_out_is_not_in_a_profile() -> None:
    async with MemoryService(config(privacy={"email": "drop"})) as service:
        with pytest.raises(InvalidInput, match="empty"):
            await service.profile.set("home", "ann@example.org", user="ann")
        kept = await service.kv.set("n", "k", ["ann@example.org"], user="ann")
        assert kept.value == [""]


async def test_many_readers_at_once_read_the_same(service: MemoryService) -> None:
    for number in range(5):
        await service.create_item(f"I love sport number {number}.", user="ann")
    found = await asyncio.gather(*(known(service) for _ in range(8)))
    assert all(one == found[0] for one in found) and len(found[0]["likes"]) == 5


async def test_a_model_writes_of_the_person_by_name(service: MemoryService) -> None:
    await service.create_item({"text": "Ann works as a welder at Acme.", "type": "profile"}, user="ann")
    await service.create_item({"text": "The user loves tea.", "type": "preference"}, user="ann")
    assert await known(service) == {"occupation": ["welder"], "employer": ["Acme"], "likes": ["tea"]}


async def test_facets_are_configured() -> None:
    async with MemoryService(config(profile={"facets": {"home": "many", "motto": "one"}})) as service:
        for text in ("I live in Porto.", "I live in Rome.", "I love tea."):
            await service.create_item(text, user="ann")
        await service.profile.set("motto", "carpe diem", user="ann")
        found = await known(service)
        assert list(found) == ["home", "motto"] and set(found["home"]) == {"Porto", "Rome"}
        with pytest.raises(InvalidInput, match="facet"):
            await service.profile.history("likes", user="ann")


@pytest.mark.parametrize(
    "call",
    [
        lambda profile: profile.set("home", " "),
        lambda profile: profile.set("home", "x" * 501),
        lambda profile: profile.set("hoem", "x"),
        lambda profile: profile.set("home", "x", since=datetime(2024, 1, 1)),  # noqa: DTZ001 - what is tested
        lambda profile: profile.get(as_of=datetime(2024, 1, 1)),  # noqa: DTZ001 - what is tested
        lambda profile: profile.end("x"),
    ],
)
async def test_what_is_not_usable_is_refused(service: MemoryService, call: Any) -> None:
    with pytest.raises(InvalidInput):
        await call(service.for_user("ann").profile)
    assert await service.count_items(user="ann") == 0


def test_plain_code_has_plain_calls() -> None:
    with SyncMemoryService(MemoryService(config())) as sync:
        sync.for_user("ann").profile.set("home", "Porto")
        assert sync.profile.get(user="ann").of("home")[0].value == "Porto"


async def test_a_client_does_the_same() -> None:
    async with served() as server, server.client() as client:
        ann = client.for_user("ann")
        kept = await ann.profile.set("home", "Porto")
        assert (await ann.profile.get()).values == (kept,)
        assert await ann.profile.history("home") == [kept]
        assert (await ann.profile.get(as_of=NOW)).values == ()
        assert await ann.profile.end("home") == 1


def test_the_command_line(memu: Memu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text(CONFIG)
    assert memu("profile")[2] == "Nothing is known yet.\n"
    take(memu, "note.jsonl", '{"role": "user", "content": "I live in Porto."}\n')
    assert memu("profile")[1].splitlines()[1].startswith("home\tPorto\t")
    assert memu("profile", "home", "--set", "Rome")[0] == 0
    assert [one["value"] for one in json.loads(memu("profile", "home", "--json")[1])] == ["Rome"]
    assert len(memu("profile", "home", "--history")[1].splitlines()) == 3
    assert memu("profile", "home", "--end")[0] == 0
    assert json.loads(memu("profile", "--json", "--as-of", "2001-01-01")[1]) == []
    assert memu("profile", "--history")[0] == 1


@pytest.mark.parametrize(
    ("texts", "facet", "predicate", "values"),
    [
        (("我在谷歌工作。", "我现在在字节跳动工作。"), "employer", "works_at", ["字节跳动"]),
        (("我在腾讯工作。", "我失业了。"), "employer", "works_at", []),
        (("我在腾讯工作。", "我被裁员了。"), "employer", "works_at", []),
        (("I work at Acme.", "I got laid off."), "employer", "works_at", []),
        (("I work at Acme.", "I lost my job, but now I work at Beta."), "employer", "works_at", ["Beta"]),
        (("我女朋友叫李娜。", "我和李娜分手了。"), "family", "partner_of", []),
        (("My girlfriend is Lena.", "I broke up with Lena."), "family", "partner_of", []),
        (("I live in Rome.", "I used to live in Rome."), "home", "lives_in", []),
        (("我老婆叫王芳。", "我和王芳离婚了。"), "family", "married_to", ["离婚"]),
        (("My wife is Marie.", "I divorced Marie."), "family", "married_to", ["divorced"]),
    ],
)
async def test_profile_and_graph_tell_the_same(
    service: MemoryService, texts: tuple[str, str], facet: str, predicate: str, values: list[str]
) -> None:
    turns = [said(text, f"2024-0{month}-01") for month, text in enumerate(texts, 1)]
    await service.memorize(messages=turns, user="ann")
    related = await service.graph.relations(predicate=predicate, user="ann")

    assert (await known(service)).get(facet, []) == values
    # That somebody is divorced is known of him, and is no relation.
    assert [one.object for one in related] == [one for one in values if facet != "family"]
