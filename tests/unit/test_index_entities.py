"""Names of a memory are found in a question, and lead to the items that carry them."""

import numpy as np
import pytest

from memu_py.index.entities import MOST_ITEMS, Entities
from memu_py.records.entity import entity_key, names_by_key
from memu_py.steps.retrieve.recall_entities import RecallEntitiesConfig

NAMES = (
    "Ann", "Ann Smith", "New York", "New York City", "Bank of America", "C++", "gpt-4", "Will", "小明", "北京",
    "北京大学", "support group", "...",
)  # fmt: skip
AXES = np.eye(4, dtype=np.float32)


def known(*names: str) -> Entities:
    return Entities([(f"item {number}", entity_key(name)) for number, name in enumerate(names)])


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What does ann like?", ["ann"]),
        ("Where is Ann Smith's dog?", ["ann smith"]),
        ("Who flew to NEW YORK?", ["new york"]),
        ("Who flew to New York City in May?", ["new york city"]),
        ("Does Ann Smith know Ann?", ["ann smith", "ann"]),
        ("Who works at the bank of america?", ["bank of america"]),
        ("Does she write C++, or ask GPT-4?", ["c++", "gpt-4"]),
        ("What will she do?", []),
        ("Which support groups are there?", ["support group"]),
        ("What does Annabel like?", []),
        ("小明喜欢什么？", ["小明"]),
        ("他在北京大学读书吗？", ["北京大学"]),
        ("小明和Ann去过北京吗？", ["ann", "小明", "北京"]),
        ("小 明", []),
        ("...", []),
        ("", []),
    ],
)
def test_a_question_says_the_longest_names_that_stand_in_it(question: str, found: list[str]) -> None:
    assert sorted(known(*NAMES).named(question)) == sorted(found)


def test_what_is_known_to_be_a_name_is_one_also_where_it_is_a_common_word() -> None:
    assert known(*NAMES).named("What will Will do?", ["Will", "Nobody"]) == ["will"]


def test_two_names_that_are_cut_alike_are_both_said() -> None:
    found = known("support group", "Support Groups").named("any support group?")
    assert sorted(found) == ["support group", "support groups"]


def test_an_item_of_several_names_comes_before_the_items_of_one() -> None:
    entities = Entities([("1", "ann"), ("2", "rome"), ("3", "ann"), ("3", "rome"), ("4", "oslo")])
    weights = {"ann": 0.5, "rome": 0.4, "nobody": 1.0}
    assert [item for item, _ in entities.carriers(weights)] == ["3", "1", "2"]
    scores = entities.scores(["3", "1", "2", "4", "gone"], weights)
    assert scores.tolist() == pytest.approx([1 - 0.5 * 0.6, 0.5, 0.4, 0, 0])
    assert [item for item, _ in entities.carriers({"ann": 0.5})] == ["3", "1"]
    assert entities.carriers({}) == []


def test_a_name_of_many_items_proposes_the_newest_and_says_something_for_all() -> None:
    entities = Entities([(f"{number:06}", "ann") for number in range(MOST_ITEMS + 10)])
    carriers = [item for item, _ in entities.carriers({"ann": 0.1})]
    assert (len(carriers), carriers[0], carriers[-1]) == (MOST_ITEMS, f"{MOST_ITEMS + 9:06}", f"{10:06}")
    assert entities.scores(["000000"], {"ann": 0.1}).tolist() == pytest.approx([0.1])


def test_the_more_items_a_name_has_the_less_each_counts() -> None:
    config = RecallEntitiesConfig()
    worth = [config.worth(1.0, items) for items in (1, 2, 10, 1000)]
    assert worth == pytest.approx([1.0, 1 / (1 + np.log(2)), 1 / (1 + np.log(10)), 1 / (1 + np.log(1000))])
    assert config.worth(0.8, 10) == pytest.approx(0.8 * worth[2])
    assert RecallEntitiesConfig(damping=0).worth(1.0, 1000) == 1.0
    assert RecallEntitiesConfig(damping=3).worth(1.0, 10) < worth[2]


def test_changed_items_carry_what_they_carry_now_and_empty_names_are_forgotten() -> None:
    entities = Entities([("1", "ann"), ("1", "rome"), ("2", "ann"), ("3", "oslo")])
    full = entities.nbytes
    entities.update(["1", "3"], [("1", "ann"), ("1", "bern")])
    assert [entities.count(key) for key in ("ann", "rome", "bern", "oslo")] == [2, 0, 1, 0]
    assert len(entities) == 2
    assert entities.named("rome, bern or oslo?", ["Rome"]) == ["bern"]
    entities.update((), [("1", "bern")])
    assert [entities.count("ann"), entities.count("bern")] == [1, 1]
    entities.update(["1", "2", "unknown"], ())
    assert len(entities) == 0
    assert entities.nbytes < full
    assert entities.nbytes == 0


def test_names_that_are_near_in_meaning_are_found_by_their_vectors() -> None:
    entities = Entities([("1", "beijing"), ("2", "peking"), ("3", "rome"), ("4", "nameless")])
    assert sorted(entities.unlearned()) == ["beijing", "nameless", "peking", "rome"]
    near = np.array([0.8, 0.6, 0, 0], dtype=np.float32)
    entities.learn({"beijing": AXES[0], "peking": near, "rome": AXES[2], "nameless": None, "gone": AXES[3]})
    assert entities.unlearned() == []
    assert entities.near(AXES[0], 0.7, 3) == pytest.approx({"beijing": 1.0, "peking": 0.8})
    assert list(entities.near(AXES[0], 0.7, 1)) == ["beijing"]
    assert entities.near(AXES[3], 0.7, 3) == {}
    assert entities.near(np.ones(3, dtype=np.float32), 0.0, 3) == {}
    entities.update(["1", "5"], [("5", "bern")])
    assert entities.unlearned() == ["bern"]
    assert list(entities.near(AXES[0], 0.7, 3)) == ["peking"]


def test_without_vectors_nothing_is_near() -> None:
    assert known("Ann").near(AXES[0], 0.0, 3) == {}


def test_a_key_folds_spellings_and_what_has_none_is_no_name() -> None:
    assert entity_key("  New\tYORK ") == entity_key("new york")
    assert dict(names_by_key([("Rome", ""), ("ROME", "小明", " ")])) == {"rome": "Rome", "小明": "小明"}
