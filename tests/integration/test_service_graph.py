"""The graph through the service: told in chats, walked, edited, and used for questions over two relations."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cli_kit import CONFIG, Memu, take
from server_kit import served
from service_kit import config

from memu_py import AsyncMemoryClient, MemoryService, SyncMemoryService
from memu_py.errors import InvalidInput, NotFound
from memu_py.records.item import ItemDraft
from memu_py.records.relation import RelationDraft

DAY = timedelta(days=1)
START = datetime(2026, 1, 1, tzinfo=UTC)
ENGLISH = (
    "Leo leads the Phoenix project.",
    "The Phoenix project uses Python.",
    "Mia leads the Atlas project.",
    "The Atlas project uses Java.",
    "Tom leads the Orion project.",
    "The Orion project uses Rust.",
)
CHINESE = (
    "李雷负责凤凰项目。",
    "凤凰项目使用Python。",
    "韩梅负责蓝天项目。",
    "蓝天项目使用Java。",
    "王强负责长江项目。",
    "长江项目使用Rust。",
)


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(config()) as made:
        yield made


async def tell(service: MemoryService, *texts: str, day: int = 0, name: str = "Ann", **more: Any) -> None:
    at = (START + day * DAY).isoformat()
    turns = [{"role": "user", "name": name, "content": text, "created_at": at} for text in texts]
    await service.memorize(messages=turns, user="ann", **more)


async def edges(service: MemoryService, **more: Any) -> set[tuple[str, str, str]]:
    found = await service.graph.relations(user="ann", **more)
    return {(one.subject, one.predicate, one.object) for one in found}


async def test_employers_and_hobbies(service: MemoryService) -> None:
    await tell(service, "I work at Acme.", "I love hiking.")
    await tell(service, "I work at Beta.", "I love sailing.", day=10)

    assert await edges(service, predicate="employer") == {("Ann", "works_at", "Beta")}
    assert await edges(service, predicate="works_at", as_of=START + DAY) == {("Ann", "works_at", "Acme")}
    assert await edges(service, object="Ann", predicate="employs") == {("Ann", "works_at", "Beta")}
    assert await edges(service, predicate="hobby") == {
        ("Ann", "hobby", "hiking"),
        ("Ann", "hobby", "sailing"),
    }
    await tell(service, "I don't work at Beta anymore.", day=20)
    assert await edges(service, predicate="works_at") == set()
    assert len(await service.graph.relations(user="ann", predicate="works_at", ended=True)) == 2


async def test_each_agent_has_what_it_was_told(service: MemoryService) -> None:
    await tell(service, "I work at Acme.", agent="cook")
    await tell(service, "I work at Beta.", day=10, agent="guide")

    for who, place in (("cook", "Acme"), ("guide", "Beta"), (None, "Beta")):
        mine: dict[str, Any] = {} if who is None else {"agent": who}
        assert await edges(service, predicate="works_at", **mine) == {("Ann", "works_at", place)}
        profile = await service.profile.get(user="ann", **mine)
        assert [str(one) for one in profile.of("employer")] == [place]


async def test_the_source_is_the_item_and_goes_with_it(service: MemoryService) -> None:
    await tell(service, "I work at Acme.")
    (one,) = await service.graph.relations(user="ann")
    item = await service.get_item(one.item_id or "", user="ann")
    assert (item.text, one.said_by, one.valid_from) == ("I work at Acme.", "Ann", START)
    await service.update_item(item.id, {"text": "I work at Gamma."}, user="ann")
    assert await edges(service) == {("Ann", "works_at", "Gamma")}
    await service.update_item(item.id, {"text": "I like it here."}, user="ann")
    assert await edges(service) == set()
    await service.update_item(item.id, {"text": "My sister is Mia."}, user="ann")
    await service.delete_item(item.id, user="ann")
    assert await edges(service, ended=True) == set()


async def test_the_user_speaks_where_a_turn_names_nobody_and_an_assistant_tells_nothing(
    service: MemoryService,
) -> None:
    turns = [
        {"role": "user", "content": "I work at Acme."},
        {"role": "assistant", "content": "I work at Beta."},
    ]
    await service.memorize(messages=turns, user="ann")

    assert await edges(service) == {("ann", "works_at", "Acme")}
    (hit, *_) = (await service.retrieve("Where do I work?", user="ann", recall=["relation"])).items
    assert hit.record.text == "I work at Acme."


@pytest.mark.parametrize(
    ("told", "question", "answer", "name"),
    [
        (ENGLISH, "Who leads the project that uses Python?", ENGLISH[0], "Leo"),
        (ENGLISH, "Who leads the project that uses Rust?", ENGLISH[4], "Tom"),
        (CHINESE, "使用Python的项目是谁负责的？", CHINESE[0], "李雷"),
        (CHINESE, "谁负责使用Java的项目？", CHINESE[2], "韩梅"),
    ],
)
async def test_a_question_over_two_relations(
    service: MemoryService, told: tuple[str, ...], question: str, answer: str, name: str
) -> None:
    await tell(service, *told)
    hits = [hit.record.text for hit in (await service.retrieve(question, user="ann")).items]
    leaders = [text for text in hits if "leads" in text or "负责" in text]

    assert leaders[0] == answer
    assert name in leaders[0]
    assert answer in hits[:2]


async def test_an_exact_match_stays_on_top(service: MemoryService) -> None:
    await tell(service, *ENGLISH, "Python is what Ann learned at school.")
    question = "Python is what Ann learned at school."
    hits = (await service.retrieve(question, user="ann")).items

    assert hits[0].record.text == question


async def test_as_of_asks_the_graph_of_then(service: MemoryService) -> None:
    await tell(service, "Mia works at Acme.")
    await tell(service, "Mia works at Beta.", day=10)

    async def asked(**more: Any) -> list[str]:
        found = await service.retrieve("Where does Mia work?", user="ann", recall=["relation"], **more)
        return [hit.record.text for hit in found.items]

    assert await asked() == ["Mia works at Beta."]
    assert await asked(as_of=START + DAY) == ["Mia works at Acme."]


async def test_rules_can_be_off_and_predicates_ones_own() -> None:
    captain = {"holds": "one", "synonyms": ["skipper_of"], "inverse": ["captained_by"], "words": ["captain"]}
    async with MemoryService(
        config(graph={"rules": False, "predicates": {"captain_of": captain}})
    ) as service:
        await tell(service, "I work at Acme.")
        assert await edges(service) == set()
        said = RelationDraft(subject="Tern", predicate="captained by", object="Ann")
        made = await service.create_item(
            ItemDraft(type="fact", text="The Tern has a captain, Ann.", relations=(said,)), user="ann"
        )
        assert await edges(service) == {("Ann", "captain_of", "Tern")}
        await service.graph.add("Ann", "skipper_of", "Gull", user="ann", valid_from=datetime.now(UTC) + DAY)
        assert await edges(service) == {("Ann", "captain_of", "Gull")}
        await service.update_item(made.id, {"text": "The Tern has a captain, Ann, for now."}, user="ann")
        assert await edges(service, ended=True) == {("Ann", "captain_of", "Gull")}


async def test_by_hand(service: MemoryService) -> None:
    graph = service.for_user("ann").graph
    one = await graph.add("Ann", "employed_by", "Acme", valid_from=START)
    two = await graph.add("Ann", "works_at", "Beta", confidence=0.5)
    assert (await graph.relations(ended=True, predicate="works_at", limit=1))[0].id == two.id
    await graph.delete(two.id)
    assert [x.id for x in await graph.relations()] == [one.id]
    assert (await graph.end(one.id, at=START + DAY)).valid_to == START + DAY
    assert [x.op for x in await service.history(one.id, user="ann")] == ["create", "update"]
    await graph.add("Annie", "knows", "Bob")
    assert (await graph.alias("Annie", "Ann")).same_as == "Ann"
    assert [near.name for near in await graph.neighbors("Ann")] == ["Bob"]
    (path,) = await graph.paths("Ann", "Bob", predicate=["knows", "likes"])
    assert (path.hops, path.names) == (1, ("Ann", "Bob"))
    assert (await graph.unalias("Annie")).tie == "apart"
    assert await graph.neighbors("Ann") == []
    assert [x.name for x in await graph.aliases()] == ["Annie"]


@pytest.mark.parametrize(
    "call",
    [
        lambda graph: graph.add("Ann", "knows", " "),
        lambda graph: graph.add("Ann", "!", "Bob"),
        lambda graph: graph.add("Ann", "knows", "ann"),
        lambda graph: graph.add("Ann", "knows", "Bob", confidence=2),
        lambda graph: graph.add("Ann", "knows", "Bob", valid_from=datetime(2026, 1, 1)),  # noqa: DTZ001
        lambda graph: graph.neighbors("Ann", hops=7),
        lambda graph: graph.neighbors("Ann", direction="up"),
        lambda graph: graph.paths("Ann", "Bob", limit=0),
        lambda graph: graph.alias("Ann", "ANN"),
    ],
)
async def test_what_is_refused(service: MemoryService, call: Any) -> None:
    with pytest.raises(InvalidInput):
        await call(service.for_user("ann").graph)
    with pytest.raises(NotFound):
        await service.graph.end("missing", user="ann")


async def test_erasure_and_other_users(service: MemoryService) -> None:
    await tell(service, *ENGLISH)
    assert await service.graph.relations(user="bob") == []
    assert await service.graph.neighbors("Python", user="bob", hops=3) == []
    await service.clear(user="ann")
    assert await service.graph.relations(user="ann", ended=True) == []
    assert await service.graph.aliases(user="ann") == []


async def test_over_http_and_without_a_loop() -> None:
    async with served() as serving, AsyncMemoryClient(serving.url) as client:
        mine = client.for_user("ann")
        made = await mine.graph.add("Leo", "leads", "Phoenix")
        await mine.graph.add("Phoenix", "uses", "Python", valid_from=START)
        assert (await mine.graph.relations(subject="Leo"))[0] == made
        (path,) = await mine.graph.paths("Leo", "Python")
        assert path.names == ("Leo", "Phoenix", "Python")
        assert [x.name for x in await mine.graph.neighbors("Python", hops=2)] == ["Phoenix", "Leo"]
        await mine.graph.add("Leonard", "likes", "tea")
        assert (await mine.graph.alias("Leonard", "Leo")).tie == "hand"
        assert (await mine.graph.unalias("Leonard")).tie == "apart"
        assert len(await mine.graph.aliases()) == 1
        assert (await mine.graph.end(made.id, at=START + DAY)).valid_to is not None
        await mine.graph.delete(made.id)
        with pytest.raises(NotFound):
            await mine.graph.delete(made.id)


def test_plain_calls() -> None:
    with SyncMemoryService(config()) as service:
        service.graph.add("Ann", "knows", "Bob", user="ann")
        assert service.graph.neighbors("Bob", user="ann")[0].name == "Ann"


def test_the_command(memu: Memu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEMU_CONFIG", raising=False)
    Path("config.yaml").write_text(CONFIG)
    assert "No relations." in memu("graph")[2]
    take(memu, "notes.txt", "Leo leads the Phoenix project.\n\nThe Phoenix project uses Python.\n")
    assert "leads" in memu("graph")[1]
    assert "Phoenix project" in memu("graph", "Python")[1]
    assert "leads" in memu("graph", "Python", "--hops", "2")[1]
    assert memu("graph", "Leo", "--to", "Python")[1].count("Phoenix project") == 2
    assert '"predicate": "uses"' in memu("graph", "--predicate", "uses", "--json")[1]
    assert "No relations." in memu("graph", "Leo", "--as-of", "2001-01-01")[2]
