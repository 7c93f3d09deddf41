"""The step `rerank` through the public API: what is on top, what it costs, what is refused."""

import importlib.util
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from service_kit import NOW, config

from memu_py import MemoryService
from memu_py.errors import ConfigError, ModelError, WorkflowError
from memu_py.testing.reranker import OverlapReranker

STEPS = ["recall_categories", "recall_resources", "expand_context"]
MESSAGES = [
    {"name": "Bob", "role": "user", "content": "Ann drinks tea, Bob drinks coffee."},
    {"name": "Ann", "role": "user", "content": "The cello is in the kitchen."},
    {"name": "Bob", "role": "user", "content": "Green tea again, tea and more tea."},
]


def reranking(
    backend: str = "overlap",
    *,
    own: dict[str, Any] | None = None,
    read: dict[str, Any] | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """A configuration whose retrieval reranks."""
    step = {"use": "rerank", "with": read or {}, **settings}
    reranker = {"backend": backend, **(own or {})}
    return config(reranker=reranker, workflows={"retrieve_rag": {"steps": [step, *STEPS]}})


async def filled(service: MemoryService, *facts: str) -> MemoryService:
    await service.create_items(list(facts), user="ann")
    return service


@pytest.fixture
async def plain() -> AsyncIterator[MemoryService]:
    async with MemoryService(config(), clock=lambda: NOW) as service:
        yield service


FACTS = ("tea tea tea tea", "Ann drinks green tea in Lisbon", "Bob has a cello")
QUERY = "Where does Ann drink green tea?"


async def test_what_the_model_prefers_comes_out_on_top() -> None:

    async with MemoryService(reranking(read={"weight": 1}), clock=lambda: NOW) as service:
        found = await (await filled(service, *FACTS)).retrieve(
            QUERY, user="ann", min_score=0, profile="similarity"
        )

    top, *others = found.items
    assert top.record.text == "Ann drinks green tea in Lisbon"
    assert top.score == pytest.approx(top.scores["rerank"]) == pytest.approx(1)
    assert others[0].scores["rerank"] == pytest.approx(0.25)


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
async def test_the_score_is_the_mean_by_weight(plain: MemoryService, weight: float) -> None:
    before = await (await filled(plain, *FACTS)).retrieve(
        QUERY, user="ann", min_score=0, profile="similarity"
    )
    relevance = {hit.record.text: hit.score for hit in before.items}
    async with MemoryService(reranking(read={"weight": weight}), clock=lambda: NOW) as service:
        found = await (await filled(service, *FACTS)).retrieve(
            QUERY, user="ann", min_score=0, profile="similarity"
        )

    assert len(found.items) == len(before.items) == 3
    for hit in found.items:
        assert hit.scores["fused"] == pytest.approx(relevance[hit.record.text])
        expected = (1 - weight) * hit.scores["fused"] + weight * hit.scores["rerank"]
        assert hit.score == pytest.approx(hit.scores["relevance"]) == pytest.approx(expected)
        assert 0 <= hit.score <= 1


async def test_what_was_not_read_does_not_pass_what_was() -> None:
    async with MemoryService(reranking(read={"top_k": 2}), clock=lambda: NOW) as service:
        await filled(
            service, *(f"tea with {what}" for what in ("milk", "cake", "lemon", "sugar", "honey", "rum"))
        )
        reranker = service._runtime.reranker
        found = await service.retrieve("tea", user="ann", min_score=0)

    assert isinstance(reranker, OverlapReranker)
    ((query, texts),) = reranker.asked
    read = [hit for hit in found.items if "rerank" in hit.scores]
    assert (query, set(texts)) == ("tea", {hit.record.text for hit in read})
    assert [len(read), len(found.items)] == [2, 6]
    assert {hit.record.text for hit in found.items[:2]} == set(texts)
    (trace,) = (step for step in found.trace.steps if step.step == "rerank")
    assert dict(trace.notes) == {"reranked": 2, "unread": 4}


async def test_a_turn_is_read_with_its_speaker_and_only_in_its_scope() -> None:
    async with MemoryService(reranking(), clock=lambda: NOW) as service:
        await service.memorize(messages=MESSAGES, user="ann")
        await service.memorize(messages=[{"role": "user", "content": "Secret tea."}], user="eve")
        await service.retrieve("Who drinks tea?", user="ann", min_score=0)
        reranker = service._runtime.reranker

    assert isinstance(reranker, OverlapReranker)
    texts = {text for _, asked in reranker.asked for text in asked}
    assert "Bob: Green tea again, tea and more tea." in texts
    assert not any("Secret" in text for text in texts)


async def test_several_questions_count_by_the_best() -> None:
    async with MemoryService(reranking(), clock=lambda: NOW) as service:
        await filled(service, *FACTS)
        found = await service.retrieve(queries=["Who has a cello?", "green tea"], user="ann", min_score=0)

    shown = {hit.record.text: hit.scores["rerank"] for hit in found.items}
    assert shown["Ann drinks green tea in Lisbon"] == shown["Bob has a cello"] == 1


async def test_a_call_may_do_without_and_search_always_does(plain: MemoryService) -> None:
    before = await (await filled(plain, *FACTS)).retrieve(QUERY, user="ann", min_score=0)
    async with MemoryService(reranking("broken", own={"model": "away"}), clock=lambda: NOW) as service:
        await filled(service, *FACTS)
        found = await service.retrieve(QUERY, user="ann", min_score=0, rerank=False)
        searched = await service.search("tea", user="ann", min_score=0)

    assert [hit.record.text for hit in found.items] == [hit.record.text for hit in before.items]
    assert [hit.score for hit in found.items] == pytest.approx([hit.score for hit in before.items])
    assert "tea" in searched.items[0].record.text


async def test_nothing_known_asks_nobody() -> None:
    async with MemoryService(reranking("broken", own={"model": "away"}), clock=lambda: NOW) as service:
        assert not await service.retrieve(QUERY, user="ann", min_score=0)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("away", "the model is away"),
        ("many", "scores of shape"),
        ("nan", "not from 0"),
        ("high", "not from 0"),
    ],
)
async def test_a_reranker_that_fails_is_an_error_or_left_out(how: str, message: str) -> None:
    own = {"model": how}
    async with MemoryService(reranking("broken", own=own), clock=lambda: NOW) as service:
        with pytest.raises(ModelError, match=message):
            await (await filled(service, *FACTS)).retrieve(QUERY, user="ann")
    async with MemoryService(reranking("broken", own=own, on_error="skip"), clock=lambda: NOW) as service:
        found = await (await filled(service, *FACTS)).retrieve(QUERY, user="ann")

    assert found.items[0].record.text == "Ann drinks green tea in Lisbon"
    assert "rerank" not in found.items[0].scores
    assert [step.status for step in found.trace.steps if step.step == "rerank"] == ["skipped"]


def test_listed_without_a_model_it_is_refused_at_load(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("workflows:\n  retrieve_rag:\n    steps:\n      - recall_categories\n      - rerank\n")

    with pytest.raises(WorkflowError) as caught:
        MemoryService.from_config(file)

    (fault,) = (one for one in caught.value.faults if "rerank" in one)
    assert fault.startswith(f"{file}:5: step `rerank`: no reranker is configured: set `reranker.path`")


async def test_put_in_later_without_a_model_it_is_refused_too(plain: MemoryService) -> None:
    with pytest.raises(WorkflowError, match=r"set `reranker\.path`"):
        plain.workflows["retrieve_rag"].insert_after("fuse", "rerank")

    assert plain.workflows["retrieve_rag"].revision == 1
    with pytest.raises(ConfigError, match=r"set `reranker\.path`"):
        await plain._runtime.resources(plain.for_user("ann").scope or pytest.fail()).rerank("a", ["b"])


def test_a_file_is_checked_with_what_is_configured(
    tmp_path: Path, memu: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["parallel: [recall_dense, recall_keyword]", "fuse", "rerank", "rank"]
    lines += ["parallel: [recall_categories, recall_resources, expand_context]"]
    lines += ["{use: build_retrieve_response, name: build_response}"]
    flow = "".join(f"  - {line}\n" for line in lines)
    (tmp_path / "flow.yaml").write_text(f"name: retrieve_rag\nsteps:\n{flow}")

    code, _, err = memu("workflows", "check", "flow.yaml")
    assert (code != 0, "no reranker is configured" in err) == (True, True)

    (tmp_path / "config.yaml").write_text("reranker: {model: Xenova/ms-marco-MiniLM-L-6-v2}\n")
    assert memu("workflows", "check", "flow.yaml")[0] == 0


def test_an_unknown_backend_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"reranker\.backend: no reranker `onx`; did you mean `onnx`\?"):
        MemoryService({"reranker": {"backend": "onx"}})


async def test_a_real_model_in_a_folder_reranks(tmp_path: Path) -> None:
    if any(importlib.util.find_spec(name) is None for name in ("onnx", "onnxruntime", "tokenizers")):
        pytest.skip("the extra onnx is not installed")
    from cross_encoder_kit import write_cross_encoder  # noqa: PLC0415 - needs the extra

    own = {"path": str(write_cross_encoder(tmp_path / "model"))}
    facts = ("Ann lives with tea, tea, tea", "In Lisbon lives Ann, who plays the cello", "Bob is due")
    async with MemoryService(reranking("onnx", own=own), clock=lambda: NOW) as service:
        found = await (await filled(service, *facts)).retrieve("who plays cello in Lisbon", user="ann")

    assert found.items[0].record.text == facts[1]
    assert found.items[0].scores["rerank"] > 0.9


async def test_it_is_off_unless_it_is_named(plain: MemoryService) -> None:
    async with MemoryService(
        config(reranker={"backend": "broken", "model": "away"}), clock=lambda: NOW
    ) as service:
        found = await (await filled(service, *FACTS)).retrieve(QUERY, user="ann")

    assert "rerank" not in [step.step for step in found.trace.steps]
    assert found.items[0].record.text == "Ann drinks green tea in Lisbon"


async def test_it_can_be_tried(plain: MemoryService) -> None:
    assert not await plain.try_reranker()
    async with MemoryService(config(reranker={"backend": "overlap"})) as service:
        assert await service.try_reranker()
    async with MemoryService(config(reranker={"backend": "broken", "model": "many"})) as service:
        with pytest.raises(ModelError, match="for 1 texts"):
            await service.try_reranker()
