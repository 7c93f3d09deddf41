"""Retrieve: arguments, plug-in recalls, profiles, templates, categories, and what stays out of an answer."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from service_kit import NOW, config

from memu_py import MemoryService
from memu_py.errors import ConfigError, InvalidFilter, InvalidInput, WorkflowError
from memu_py.records.page import Page
from memu_py.steps.resources import MemoryResources
from memu_py.steps.view import View
from memu_py.workflow.context import ProgressEvent

TEXTS = ["Ann drinks green tea.", "Ann owns a red boat.", "Ann fears loud storms."]


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(config(), clock=lambda: NOW) as opened:
        yield opened


def graph(**settings: Any) -> dict[str, Any]:
    recalls = [["recall_dense", "recall_keyword", {"use": "recall_graph", "with": settings}]]
    return {"retrieve_rag": {"steps": [{"parallel": recalls[0]}]}}


async def top(service: MemoryService, query: str, **more: Any) -> list[tuple[str, float]]:
    result = await service.retrieve(query, user="ann", **{"min_score": 0, **more})
    return [(hit.record.text.split()[-1].rstrip("."), round(hit.score, 4)) for hit in result]


@pytest.mark.parametrize("layers", [None, ["category"], ["item"], ["resource"]])
async def test_an_empty_store_answers_with_nothing_and_no_error(service: MemoryService, layers: Any) -> None:
    for profile in ("similarity", "three_factor", "salience", "additive"):
        result = await service.retrieve("tea", user="ann", layers=layers, profile=profile, min_score=0)
        assert not result
        assert (len(result), list(result), result.context) == (0, [], "")
    assert not await service.search("tea", user="ann")
    assert not await service.retrieve("???", user="ann")


async def test_each_layer_comes_alone_when_asked_alone(service: MemoryService) -> None:
    await service.memorize(messages=["I drink green tea daily."], user="ann")
    await service.create_category("tea", description="I drink green tea", user="ann")
    await service.memorize(messages=["I drink green tea at work."], user="ann")
    for layer in ("category", "item", "resource"):
        result = await service.retrieve("green tea", user="ann", layers=[layer], min_score=0)
        counts = {
            "category": len(result.categories),
            "item": len(result.items),
            "resource": len(result.resources),
        }
        assert [name for name, count in counts.items() if count] == [layer]
        assert bool(result.context) == (layer == "item")


async def test_a_score_is_the_same_whatever_else_is_found(service: MemoryService) -> None:
    await service.create_items(TEXTS, user="ann")
    among_others = await top(service, "green tea")
    assert among_others[0][0] == "tea"
    assert await top(service, "green tea", where={"text": TEXTS[0]}) == among_others[:1]


async def test_a_question_with_several_wordings_counts_the_best_of_them(service: MemoryService) -> None:
    await service.create_items(TEXTS, user="ann")
    both = await service.retrieve(queries=["green tea", "red boat"], user="ann", min_score=0)
    single = {
        hit.record.id: hit.score
        for query in ("green tea", "red boat")
        for hit in (await service.retrieve(query, user="ann", min_score=0, top_k=1)).items
    }
    assert {hit.record.id: hit.score for hit in both.items[:2]} == pytest.approx(single)


@pytest.mark.parametrize("score", [1.0, 50.0, float("inf")])
async def test_a_plug_ins_recall_joins_on_the_scale_of_the_others(score: float) -> None:
    async with MemoryService(config(workflows=graph(score=score, containing="storms"))) as service:
        await service.create_items(TEXTS, user="ann")
        plain = await top(service, "green tea", recall=["dense", "keyword"])
        found = await top(service, "green tea")
        assert found[0] == plain[0]
        assert found[1][0] == "storms"
        hit = (await service.retrieve("green tea", user="ann", min_score=0)).items[1]
        assert hit.scores["graph"] == 1.0


@pytest.mark.parametrize("score", [-3.0, float("nan")])
async def test_a_plug_ins_score_that_is_none_counts_nothing(score: float) -> None:
    async with MemoryService(config(workflows=graph(score=score, containing="storms"))) as service:
        await service.create_items(TEXTS, user="ann")
        plain = await top(service, "green tea", recall=["dense", "keyword"])
        assert await top(service, "green tea") == plain


async def test_a_plug_ins_recall_asked_alone_decides_alone_and_sees_only_the_scope() -> None:
    async with MemoryService(config(workflows=graph(score=0.5))) as service:
        await service.create_items(TEXTS[:1], user="ann", session="s1")
        await service.create_items(TEXTS[1:], user="ann", session="s2")
        await service.create_items(["Bob drinks rum."], user="bob")
        found = await service.retrieve(
            "green tea", user="ann", session="s2", recall=["graph"], profile="similarity"
        )
        assert {hit.record.text for hit in found} == set(TEXTS[1:])
        assert [hit.score for hit in found] == pytest.approx([0.5, 0.5])
        narrow = {"where": {"text": {"contains": "boat"}}}
        assert [one for one, _ in await top(service, "green tea", recall=["graph"], **narrow)] == ["boat"]


async def test_the_additive_profile_is_the_mean_of_the_sources_that_were_asked() -> None:
    async with MemoryService(
        config(workflows=graph(score=1.0, containing="storms", source="entity"))
    ) as service:
        await service.create_items(TEXTS, user="ann")
        result = await service.retrieve("green tea storms", user="ann", profile="additive", min_score=0)
        for hit in result:
            dense, keyword = hit.scores["dense"], hit.scores["keyword"]
            entity = hit.scores.get("entity", 0.0)
            assert hit.score == pytest.approx((dense + keyword + entity / 2) / 2.5, abs=1e-6)
        without = await service.retrieve(
            "green tea", user="ann", profile="additive", min_score=0, recall=["dense", "keyword"]
        )
        hit = without.items[0]
        assert hit.score == pytest.approx((hit.scores["dense"] + hit.scores["keyword"]) / 2, abs=1e-6)


async def test_a_profile_none_of_whose_sources_were_asked_leaves_it_to_fuse() -> None:
    async with MemoryService(config(workflows=graph(score=0.5, containing="storms"))) as service:
        await service.create_items(TEXTS, user="ann")
        assert await top(service, "tea", recall=["graph"], profile="additive") == [("storms", 0.5)]


async def test_now_moves_the_ages(service: MemoryService) -> None:
    await service.create_item({"text": TEXTS[0], "said_at": NOW - timedelta(days=1)}, user="ann")

    async def recency(now: datetime) -> float:
        (hit,) = (await service.retrieve("green tea", user="ann", now=now, min_score=0)).items
        return hit.scores["recency"]

    soon, late, before = [await recency(NOW + timedelta(days=days)) for days in (0, 300, -100)]
    assert late < soon < before == 1.0
    elsewhere = datetime(2026, 6, 2, 1, tzinfo=UTC).astimezone()
    context = (await service.retrieve("green tea", user="ann", now=elsewhere)).context
    assert "today is 2026-06-02" in context


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"min_score": 1.5}, "`min_score` is a number from 0 to 1, not 1.5"),
        ({"min_score": float("nan")}, "`min_score`"),
        ({"min_score": "high"}, "`min_score`"),
        ({"max_tokens": 0}, "`max_tokens` is a whole number of at least 1"),
        ({"top_k": 2.5}, "`top_k`"),
        ({"top_k": 1001}, "at most 1000"),
        ({"layers": []}, "`layers` is a list"),
        ({"layers": "item"}, "`layers` is a list"),
        ({"recall": "dense"}, "`recall` is a list"),
        ({"recall": []}, "`recall` is a list"),
        ({"recall": ["dense", "graf"]}, "no recall of the workflow answers to graf"),
        ({"query": None, "queries": "tea"}, "`queries` is a list"),
        ({"query": None, "queries": []}, "`queries` is a list"),
        ({"query": None, "queries": ["tea", 3]}, "is text|list of texts"),
        ({"query": 3}, "is text|list of texts"),
    ],
)
async def test_an_argument_out_of_range_is_told_by_name(
    service: MemoryService, call: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        await service.retrieve(**{"query": "tea", "user": "ann", **call})


async def test_the_configured_method_counts_when_a_call_names_none() -> None:
    async with MemoryService(config(retrieve={"method": "llm"})) as service:
        with pytest.raises(ConfigError, match='use method="rag"'):
            await service.retrieve("tea", user="ann")
        assert not await service.retrieve("tea", user="ann", method="rag")


async def test_where_and_the_scopes_attributes_narrow_together(service: MemoryService) -> None:
    for session, topic in (("s1", "food"), ("s1", "work"), ("s2", "food")):
        text = f"Tea is served in {session} for {topic}."
        await service.create_item({"text": text, "metadata": {"topic": topic}}, user="ann", session=session)
    found = await service.retrieve(
        "tea", user="ann", session="s1", where={"metadata.topic": "food"}, min_score=0
    )
    assert [hit.record.text for hit in found] == ["Tea is served in s1 for food."]
    listed = await service.list_items(user="ann", session="s1", where={"metadata.topic": "food"})
    assert [item.id for item in listed] == [hit.record.id for hit in found]
    both = {"and": [{"metadata.topic": {"ne": "food"}}, {"metadata.topic": {"ne": "work"}}]}
    assert not await service.retrieve("tea", user="ann", where=both, min_score=0)
    assert not await service.retrieve("tea", user="ann", where={"speaker": "x"}, min_score=0)
    assert len(await service.retrieve("tea", user="ann", where={"speaker": None}, min_score=0)) == 3
    with pytest.raises(InvalidFilter):
        await service.retrieve("tea", user="ann", where={"text": {"like": "%"}})


async def test_the_steps_of_one_question_look_at_the_store_once(
    service: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    await service.create_items(TEXTS, user="ann")
    looks: list[str] = []
    look = MemoryResources._view

    async def counted(self: MemoryResources, scope: Any, where: Any, as_of: Any, known: Any) -> View:
        looks.append(str(where))
        return await look(self, scope, where, as_of, known)

    monkeypatch.setattr(MemoryResources, "_view", counted)
    assert await service.retrieve("green tea", user="ann", where={"type": "fact"})
    assert looks == ["{'type': 'fact'}"]


# The prompt block


def answering(**settings: Any) -> dict[str, Any]:
    step = {"use": "build_retrieve_response", "name": "build_response", "with": settings}
    return {"retrieve_rag": {"steps": ["recall_categories", "recall_resources", step]}}


async def test_braces_in_a_memory_stay_as_they_are(service: MemoryService) -> None:
    text = "The template is {name} and {{x}} with %s."
    await service.create_item({"text": text, "speaker": "{Ann}"}, user="ann")
    context = (await service.retrieve("template name", user="ann", min_score=0)).context
    assert f"- {text} ({{Ann}} said it)" in context


async def test_own_words_replace_the_packaged_ones_and_the_rest_stays() -> None:
    workflows = answering(templates={"zh": {"facts": "要点："}, "en": {"title": "Known:"}}, caps={"event": 0})
    async with MemoryService(config(workflows=workflows), clock=lambda: NOW) as service:
        await service.memorize(messages=["我喜欢红茶。"], user="ann")
        chinese = (await service.retrieve("红茶", user="ann", min_score=0)).context
        assert chinese.splitlines()[:2] == ["记忆（今天是2026-06-01）：", "要点："]
        await service.create_item({"text": "Tea party.", "type": "event"}, user="bob")
        await service.create_item("Tea is green.", user="bob")
        english = (await service.retrieve("tea", user="bob", min_score=0)).context
        assert english == "Known:\nFacts, the most relevant first:\n- Tea is green."


@pytest.mark.parametrize(
    "settings",
    [
        {"templates": {"en": {"item": "- {txt}"}}},
        {"templates": {"en": {"item": "- {text"}}},
        {"templates": {"en": {"item": "- {}"}}},
        {"templates": {"en": {"item": "- {text.nothing}"}}},
        {"templates": {"en": {"title": "{today:%Y}"}}},
        {"templates": {"en": {"facts": "{text}"}}},
        {"templates": {"en": {"titel": "x"}}},
        {"templates": {"en": "x"}},
        {"templates": "x"},
        {"caps": {"fact": -1}},
    ],
)
def test_a_template_that_cannot_be_filled_is_a_fault_at_load(settings: dict[str, Any]) -> None:
    with pytest.raises(WorkflowError, match="build_response"):
        MemoryService(config(workflows=answering(**settings)))


@pytest.mark.parametrize("weights", [{"dense": -1}, {"dense": float("nan")}, {"dense": "much"}])
def test_weights_that_weigh_nothing_sensible_are_faults_at_load(weights: dict[str, Any]) -> None:
    with pytest.raises(WorkflowError, match="weights"):
        MemoryService(
            config(workflows={"retrieve_rag": {"steps": [{"use": "fuse", "with": {"weights": weights}}]}})
        )


async def test_weights_of_nothing_make_an_answer_without_relevance() -> None:
    steps = [{"use": "fuse", "with": {"weights": {"dense": 0, "keyword": 0, "session": 0}}}]
    async with MemoryService(config(workflows={"retrieve_rag": {"steps": steps}})) as service:
        await service.create_items(TEXTS, user="ann")
        assert not await service.retrieve("green tea", user="ann")


CHAT = [
    {"role": "user", "name": "Ann", "content": "I bought a canoe at the harbour on 3 May 2025."},
    {"role": "user", "name": "Leo", "content": "I bought a canoe at the harbour shop too."},
]


@pytest.mark.parametrize(("name", "other"), [("Ann", "Leo"), ("Leo", "Ann")])
async def test_a_question_that_names_one_speaker_is_answered_by_that_speaker(
    service: MemoryService, name: str, other: str
) -> None:
    await service.memorize(messages=CHAT, user="ann")
    found = await service.retrieve(f"What did {name} buy at the harbour?", user="ann", min_score=0)
    assert [hit.record.speaker for hit in found] == [name, other]
    neutral = await service.retrieve("What was bought at the harbour?", user="ann", min_score=0)
    scores = {hit.record.speaker: hit.scores["relevance"] for hit in found}
    fair = {hit.record.speaker: hit.scores["relevance"] for hit in neutral}
    assert scores[other] / scores[name] < fair[other] / fair[name]


async def test_a_question_for_a_time_is_answered_by_what_has_one(service: MemoryService) -> None:
    await service.memorize(messages=[CHAT[1], {**CHAT[0], "name": "Leo"}], user="ann")
    found = await service.retrieve("When was the canoe bought at the harbour?", user="ann", min_score=0)
    assert [hit.record.happened is not None for hit in found] == [True, False]


async def test_sources_asked_alone_are_not_touched_by_what_a_question_asks_for(
    service: MemoryService,
) -> None:
    await service.memorize(messages=CHAT, user="ann")
    for source in ("dense", "keyword"):
        found = await service.retrieve("Ann canoe", user="ann", recall=[source], min_score=0)
        for hit in found:
            assert hit.scores["relevance"] == pytest.approx(hit.scores[source])
            assert "session" not in hit.scores
            assert hit.scores["fit"] == 1


async def test_words_alone_need_no_embedding(service: MemoryService) -> None:
    await service.memorize(messages=CHAT, user="ann")
    found = await service.retrieve("Ann canoe", user="ann", recall=["keyword"], min_score=0, layers=["item"])
    assert found
    assert found.usage.embedded_texts == 0
    assert "cosine" not in found.items[0].scores


async def test_own_words_alone_count_when_what_stands_around_is_left_out(service: MemoryService) -> None:
    await service.memorize(messages=["The boat is red.", "It sank in May."], user="ann")
    near = await service.retrieve("red boat", user="ann", min_score=0)
    alone = await service.retrieve("red boat", user="ann", min_score=0, around=False)
    assert [hit.scores["keyword"] > 0 for hit in near] == [True, True]
    assert [hit.scores["keyword"] > 0 for hit in alone] == [True, False]


SAME = [f"Ann drinks green tea {where}." for where in ("at home", "at home today", "at home again")]


@pytest.mark.parametrize(("diversity", "lamps"), [(0.0, 0), (0.6, 1)])
async def test_diverse_hits_do_not_say_the_same_thrice(diversity: float, lamps: int) -> None:
    steps = [{"use": "rank", "with": {"diversity": diversity}}]
    async with MemoryService(config(workflows={"retrieve_rag": {"steps": steps}})) as service:
        await service.create_items(
            [*SAME, "A lamp stands beside the green door."], user="ann", dedupe="exact"
        )
        found = await service.retrieve("green tea at home", user="ann", top_k=2, min_score=0)
        assert found.items[0].record.text in SAME
        assert sum("lamp" in hit.record.text for hit in found) == lamps
        assert len(found.items) == 2


async def test_an_empty_store_is_diverse_too() -> None:
    steps = [{"use": "rank", "with": {"diversity": 1}}]
    async with MemoryService(config(workflows={"retrieve_rag": {"steps": steps}})) as service:
        assert not await service.retrieve("tea", user="ann")


async def test_progress_is_told_of_a_question_too(service: MemoryService) -> None:
    events: list[ProgressEvent] = []
    result = await service.retrieve("tea", user="ann", progress=events.append)
    assert {event.step for event in events} == {one.step for one in result.trace.steps}


# Topics


async def test_items_that_fit_no_topic_open_one_of_their_own() -> None:
    own = config(categories={"defaults": [{"name": "work", "description": "office boss deadline"}]})
    async with MemoryService(own) as service:
        chat = [f"The blue heron nests by lake {place}." for place in ("Alma", "Brno", "Como")]
        result = await service.memorize(messages=chat, user="ann")
        (opened,) = [one for one in result.categories if one.origin == "auto"]
        assert "heron" in opened.name
        assert "Como" in opened.summary
        links = await service.list_links(opened.id, direction="in", user="ann")
        assert {link.source_id for link in links} == {item.id for item in result.added}


@pytest.mark.parametrize("categories", [{"defaults": []}, {"defaults": [], "max_per_user": 1}])
async def test_two_of_a_kind_or_a_full_shelf_open_nothing(categories: dict[str, Any]) -> None:
    async with MemoryService(config(categories=categories)) as service:
        count = 2
        if "max_per_user" in categories:
            await service.create_category("the only one", user="ann")
            count = 3
        chat = [f"The blue heron nests by lake {n}." for n in ("Alma", "Brno", "Como")[:count]]
        await service.memorize(messages=chat, user="ann")
        names = [one.name for one in await service.list_categories(user="ann")]
        assert names == ["the only one"][: count - 2]


async def test_a_threshold_of_ones_own_decides_what_is_close() -> None:
    step = {"use": "update_categories", "with": {"close": 0.99}}
    steps = ["extract_entities", "classify_items", step]
    own = config(categories={"defaults": []}, workflows={"memorize": {"steps": steps}})
    async with MemoryService(own) as service:
        chat = [f"The blue heron nests by lake {place}." for place in ("Alma", "Brno", "Como")]
        await service.memorize(messages=chat, user="ann")
        listed: Page[Any] = await service.list_categories(user="ann")
        assert len(listed) == 0
