"""From the text of an answer to a value."""

import json
import time
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from memu_py.llm.fragments import LONGEST_LOOSE, loose
from memu_py.llm.reading import read
from memu_py.llm.sifting import SIFTED, sift, sifted_lists
from memu_py.llm.strict import response_format


class Fact(BaseModel):
    text: str
    importance: int = 5


class Facts(BaseModel):
    facts: Annotated[list[Fact], SIFTED]


class Verdict(BaseModel):
    good: bool
    why: str = ""


class Relation(BaseModel):
    subject: str


class Both(BaseModel):
    title: str
    facts: Annotated[list[Fact], SIFTED]
    relations: Annotated[list[Relation], SIFTED]


def texts(answer: str, *, whole: bool = True) -> list[str] | None:
    value = read(answer, Facts, whole=whole).value
    return None if value is None else [fact.text for fact in Facts.model_validate(value).facts]


A_AND_B = '{"facts": [{"text": "a"}, {"text": "b"}]}'


@pytest.mark.parametrize(
    "answer",
    [
        A_AND_B,
        f"  {A_AND_B}\n",
        f"Sure, here it is:\n{A_AND_B}\nAnything else?",
        f"```json\n{A_AND_B}\n```",
        f"```\n{A_AND_B}",
        f"Like ```{{}}```, or rather:\n```json\n{A_AND_B}\n```",
        f'<think>perhaps {{"facts": [{{"text": "wrong"}}]}}</think>{A_AND_B}',
        f'perhaps {{"facts": [{{"text": "wrong"}}]}}</think>{A_AND_B}',
        f"I {{really}} think [so]: {A_AND_B}",
        '[{"text": "a"}, {"text": "b"}]',
        f'{{"answer": {A_AND_B}}}',
        A_AND_B[:-1],
        A_AND_B[:-2],
        A_AND_B + "}",
        A_AND_B.replace(", ", ","),
        A_AND_B.replace("}, {", "} {"),
        A_AND_B.replace("[", "[<"),
        A_AND_B.replace("}, {", "}, < {"),
        A_AND_B.replace('"b"}', '"b",}'),
        A_AND_B.replace('"', "'"),
        '{"facts": [{"text": "a"}, {text: "b"}]}',
        '{"facts": [{"text": "a"}, // first\n {"text": "b"}]}',
    ],
)
def test_what_is_said_around_it_and_small_faults_do_not_matter(answer: str) -> None:
    reading = read(answer, Facts)

    assert texts(answer) == ["a", "b"]
    assert (reading.kept, reading.dropped) == (2, 0)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I found nothing worth keeping.",
        "{}",
        "null",
        '{"text": ',
        '{"facts": [',
        '{"facts": null}',
        '{"facts": "none"}',
        '{"fact": []}',
        '{"$defs": {}, "properties": {"facts": {}}, "type": "object"}',
        "<think>" + A_AND_B,
        '{"facts": [{"txt": 1}]}',
        "[" * 5000,
        "NaN",
    ],
)
def test_what_says_nothing_is_never_an_empty_list(answer: str) -> None:
    reading = read(answer, Facts)

    assert reading.value is None
    assert reading.faults


def test_an_empty_list_that_is_said_is_one() -> None:
    assert texts('{"facts": []}') == []
    assert texts('There are none: {"facts": []}') == []


def test_records_that_do_not_fit_are_dropped_and_counted() -> None:
    reading = read('{"facts": [{"text": "a"}, {"text": 1}, "b", {"importance": 3}, {"text": "c"}]}', Facts)

    assert reading.value == Facts(facts=[Fact(text="a"), Fact(text="c")])
    assert (reading.kept, reading.dropped) == (2, 3)
    assert reading.faults[0] == "facts: text: Input should be a valid string, not 1"


def test_a_record_that_was_cut_off_is_dropped_and_never_taken_for_whole() -> None:
    cut = '{"facts": [{"text": "a"}, {"text": "Ann lives in Ber'

    assert texts(cut, whole=False) == ["a"]
    assert read(cut, Facts, whole=False).dropped == 1
    # Nor one whose inner part ends where the whole might have.
    nested = '{"facts": [{"text": "a"}, {"text": "x", "who": [{"n": 1}, {"n'
    assert texts(nested, whole=False) == ["a"]
    assert read('{"good": true, "why": "since it', Verdict, whole=False).value is None


def test_parts_of_a_broken_record_are_no_records() -> None:
    class Loose(BaseModel):
        text: str = ""

    class Looses(BaseModel):
        looses: Annotated[list[Loose], SIFTED]

    reading = read(
        '{"looses": [{"text": "a"}, {"text": 1, "of": {"text": 2}, {"text": "c"', Looses, whole=False
    )

    assert reading.value == Looses(looses=[Loose(text="a")])
    assert reading.dropped == 1


def test_several_lists_keep_their_own_records() -> None:
    answer = '{"title": "t", "facts": [{"text": "a"}, {"text": "b"], "relations": [{"subject": "s"}, {"sub'

    reading = read(answer, Both, whole=False)

    assert reading.value == Both(title="t", facts=[Fact(text="a")], relations=[Relation(subject="s")])
    assert reading.dropped == 2


def test_what_stands_beside_the_lists_must_be_there() -> None:
    reading = read('{"facts": [{"text": "a"}], "relations": [{"sub', Both, whole=False)

    assert reading.value is None
    assert reading.faults


def test_keys_inside_texts_do_not_begin_a_list() -> None:
    hostile = json.dumps({"facts": [{"text": 'say "facts": [{"text": "planted"}]'}, {"text": "b"}]})

    assert texts(hostile[:-2], whole=False) == ['say "facts": [{"text": "planted"}]', "b"]


def test_texts_are_kept_as_they_are() -> None:
    words = "{braces} <think>x</think> ```code``` \\ \n 我 🦀"
    assert texts(json.dumps({"facts": [{"text": words}]})) == [words]
    assert texts('{"facts": [{"text": "two\nlines"}]}') == ["two\nlines"]
    assert texts('{"facts": [{"text": "half \\ud800 pair"}]}') == ["half \ufffd pair"]


def test_an_object_alone_is_read_too() -> None:
    assert read("So: {'good': True, 'why': 'because'}", Verdict).value == Verdict(good=True, why="because")
    assert read('{"verdict": {"good": false}}', Verdict).value == Verdict(good=False)
    assert read('{"good": "perhaps"}', Verdict).faults[0].startswith("good: Input should be a valid boolean")
    assert read('{"why": "so"}', Verdict).value is None


def test_a_schema_without_keys_takes_any_object() -> None:
    class Anything(BaseModel):
        pass

    assert read('{"x": 1}', Anything).value == Anything()
    assert read("[1]", Anything).value is None


def test_a_whole_that_does_not_fit_without_the_dropped_ones_is_refused() -> None:
    class Two(BaseModel):
        facts: Annotated[list[Fact], SIFTED, Field(min_length=2)]

    reading = read('{"facts": [{"text": "a"}, {"text": 1}]}', Two)

    assert reading.value is None
    assert any("at least 2" in fault for fault in reading.faults)


def test_sifted_fields_are_lists() -> None:
    class Wrong(BaseModel):
        facts: Annotated[Fact, SIFTED]

    class Other(BaseModel):
        facts: Annotated[list[Fact], SIFTED] = Field(alias="the facts")
        more: list[Fact] = []

    with pytest.raises(TypeError, match="facts is sifted, and no list"):
        sifted_lists(Wrong)
    assert [one.key for one in sifted_lists(Other)] == ["the facts"]
    assert sift(Other, {"the facts": [{"text": "a"}]}).kept == 1


@pytest.mark.parametrize(
    "hostile",
    [
        '{"a":' * 20_000,
        '{"facts": [' + '{"text": "' * 20_000,
        '{"facts": [' + '{"text": {' * 20_000,
        "[" * 100_000,
        '"' * 100_000,
        "{" * 100_000,
        "}" * 100_000,
        '{"facts": [' + '{"text": 1' + "}" * 50_000,
        '{"facts": [' * 20_000,
        "```" * 50_000,
        "<think>" * 30_000,
        "\\" * 100_000,
        '{"a":' * 10_000 + "}" * 10_000,
    ],
    ids=range(13),
)
def test_hostile_answers_take_little_time(hostile: str) -> None:
    began = time.process_time()
    reading = read(hostile, Facts)

    assert reading.value is None
    assert time.process_time() - began < 10


def test_what_is_very_long_is_not_read_loosely() -> None:
    assert loose("{" + " " * LONGEST_LOOSE) is None
    assert loose("{'a': 1,}") == {"a": 1}
    assert loose("word") is None


def test_a_schema_is_strict_where_it_can_be() -> None:
    body: dict[str, Any] = response_format(Both)["json_schema"]

    assert (body["name"], body["strict"]) == ("Both", True)
    assert body["schema"]["required"] == ["title", "facts", "relations"]
    assert body["schema"]["$defs"]["Fact"] == {
        "type": "object",
        "properties": {"text": {"type": "string"}, "importance": {"type": "integer"}},
        "required": ["text", "importance"],
        "additionalProperties": False,
    }


def test_a_schema_with_any_keys_is_not_strict() -> None:
    class Open(BaseModel):
        scores: dict[str, int]

    class Inside(BaseModel):
        title: Fact = Field(description="beside a reference")
        opens: list[Open] = []

    assert "strict" not in response_format(Open)["json_schema"]
    assert response_format(Inside)["json_schema"]["schema"] == Inside.model_json_schema()
    described = response_format(type("Ünsure", (Facts,), {"__module__": __name__}))["json_schema"]
    assert described["name"] == "_nsure"
