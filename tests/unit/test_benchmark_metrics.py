"""The measures of the benchmarks, and how their runs are read and kept."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.dialogues import load_dialogues
from benchmarks.machine import commit, installed, machine
from benchmarks.metrics import CUTS, hit_at, recall_at, reciprocal_rank, score, summarize
from benchmarks.record import record, table

TURNS = st.sampled_from([f"t{number}" for number in range(8)])
RANKINGS = st.lists(st.frozensets(TURNS, max_size=3), max_size=60)
EVIDENCE = st.frozensets(TURNS, min_size=1)


def test_recall_is_the_share_of_the_evidence() -> None:
    ranking = [{"a"}, {"x"}, {"b"}, {"c"}]

    assert recall_at(ranking, {"a", "b", "c", "d"}, 3) == 0.5
    assert recall_at(ranking, {"a"}, 1) == 1.0
    assert recall_at(ranking, {"z"}, 4) == 0.0
    assert recall_at([], {"z"}, 10) == 0.0


def test_a_merged_hit_counts_by_all_its_turns() -> None:
    assert recall_at([{"a", "b"}, {"c"}], {"a", "b"}, 1) == 1.0


def test_turns_found_twice_count_once() -> None:
    assert recall_at([{"a"}, {"a"}], {"a", "b"}, 2) == 0.5


def test_one_piece_of_evidence_is_a_hit() -> None:
    assert hit_at([{"x"}, {"a"}], {"a", "b"}, 2) == 1.0
    assert hit_at([{"x"}, {"a"}], {"a", "b"}, 1) == 0.0


def test_the_reciprocal_rank_is_that_of_the_first_hit() -> None:
    assert reciprocal_rank([{"x"}, {"y"}, {"a"}, {"b"}], {"a", "b"}) == 1 / 3
    assert reciprocal_rank([{"x"}], {"a"}) == 0.0


def test_a_question_without_evidence_is_refused() -> None:
    with pytest.raises(ValueError, match="without evidence"):
        score([{"a"}], set(), category="1")


@given(ranking=RANKINGS, evidence=EVIDENCE)
def test_figures_agree_with_one_another(ranking: list[frozenset[str]], evidence: frozenset[str]) -> None:
    figures = score(ranking, evidence, category="1").figures
    recalls = [figures[f"recall@{k}"] for k in CUTS]
    hits = [figures[f"hit@{k}"] for k in CUTS]

    assert recalls == sorted(recalls)
    assert hits == sorted(hits)
    assert all(0 <= value <= 1 for value in figures.values())
    assert [recall > 0 for recall in recalls] == [hit == 1 for hit in hits]
    assert (figures["mrr"] >= 1 / CUTS[0]) == (figures["hit@5"] == 1)


def test_means_are_over_questions_not_over_categories() -> None:
    good = [score([{"a"}], {"a"}, category="4")] * 3
    bad = [score([{"x"}], {"a"}, category="1")]

    summary = summarize(good + bad)

    assert summary.overall["recall@10"] == 0.75
    assert summary.overall["mrr"] == 0.75
    assert summary.overall["questions"] == 4
    assert summary.by_category["4"]["recall@10"] == 1.0
    assert summary.by_category["1"]["recall@10"] == 0.0
    assert summary.by_category["1"]["questions"] == 1


def test_no_questions_make_no_figures() -> None:
    assert summarize([]).overall == {"questions": 0.0}


# Conversations


def conversation(**changes: Any) -> dict[str, Any]:
    turns = [
        {"id": "D1:1", "speaker": "Ann", "text": "I have a dog."},
        {"id": "D1:2", "speaker": "Leo", "text": "Look!", "caption": "a photo of a cat"},
    ]
    questions = [
        {"question": "Who has a dog?", "answer": "Ann", "category": 4, "evidence": ["D1:1"]},
        {"question": "Who has a horse?", "answer": "Ann", "category": 5, "evidence": ["D1:1"]},
        {"question": "What is unknown?", "answer": 2022, "category": 3, "evidence": []},
    ]
    sessions = [{"n": 1, "date_time": "2024-03-08T13:56:00", "turns": turns}]
    return {
        "id": "conv-1",
        "speakers": ["Ann", "Leo"],
        "sessions": sessions,
        "questions": questions,
        **changes,
    }


def written(folder: Path, **files: Mapping[str, Any] | list[Any]) -> Path:
    for name, data in files.items():
        (folder / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    return folder


def test_turns_become_messages_with_the_time_of_their_session(tmp_path: Path) -> None:
    (dialogue,) = load_dialogues(written(tmp_path, one=conversation()))

    assert dialogue.id == "conv-1"
    assert dialogue.messages[0] == {
        "role": "user",
        "name": "Ann",
        "content": "I have a dog.",
        "created_at": "2024-03-08T13:56:00+00:00",
        "id": "D1:1",
    }
    assert dialogue.ends == datetime(2024, 3, 9, 13, 56, tzinfo=UTC)


def test_captions_are_kept_beside_the_words(tmp_path: Path) -> None:
    (dialogue,) = load_dialogues(written(tmp_path, one=conversation()))

    assert dialogue.messages[1]["content"] == "Look!"
    assert dialogue.messages[1]["caption"] == "a photo of a cat"


def test_only_questions_with_evidence_to_find_are_asked(tmp_path: Path) -> None:
    (dialogue,) = load_dialogues(written(tmp_path, one=conversation()))

    assert [question.text for question in dialogue.questions] == ["Who has a dog?"]
    assert dialogue.questions[0].evidence == {"D1:1"}


def test_files_come_by_name_and_other_json_is_passed_over(tmp_path: Path) -> None:
    nameless = {key: value for key, value in conversation().items() if key != "id"}
    folder = written(tmp_path, b=conversation(id="second"), a=nameless, other=[1, 2], more={"x": 1})

    assert [dialogue.id for dialogue in load_dialogues(folder)] == ["a", "second"]


def test_a_folder_without_conversations_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no conversation"):
        load_dialogues(tmp_path)


# Results


def test_runs_are_appended_for_people_and_for_programs(tmp_path: Path) -> None:
    for number in (1, 2):
        shown = {"all": table(["system", "mrr"], [["default", f"0.{number}"]])}
        page, store = record("toy", title=f"run {number}", tables=shown, data={"n": number}, folder=tmp_path)

    text = page.read_text(encoding="utf-8")
    assert text.startswith("# toy\n\n## run 1\n")
    assert text.index("| default | 0.1 |") < text.index("## run 2") < text.index("| default | 0.2 |")
    runs = json.loads(store.read_text(encoding="utf-8"))
    assert [(run["title"], run["n"]) for run in runs] == [("run 1", 1), ("run 2", 2)]
    assert runs[0]["machine"]["commit"] == commit()


def test_a_machine_is_described_by_what_matters() -> None:
    facts = machine()

    assert int(facts["cores"]) >= 1
    assert facts["python"].startswith("3.")
    assert facts["numpy"] == installed("numpy") != "not installed"
    assert installed("no-such-package-anywhere") == "not installed"
