"""Answers mangled at random: what fits is never lost, nothing is made up, and nothing crashes."""

import json
from typing import Annotated

from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from memu_py.llm.reading import read
from memu_py.llm.sifting import SIFTED, Reading

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
hostile = st.sampled_from(
    ['"', "\\", "{", "}", "[", "]", "<", ",", ":", "`", "```", "</think>", '"facts": [', "'"]
)
noise = st.text(st.characters(exclude_categories=["Cs"], exclude_characters='{}[]"'), max_size=40)


class Tag(BaseModel):
    name: str


class Fact(BaseModel):
    text: str
    tags: list[Tag]
    importance: int


class Facts(BaseModel):
    facts: Annotated[list[Fact], SIFTED]


fact = st.builds(
    Fact,
    text=st.one_of(texts, hostile),
    tags=st.lists(st.builds(Tag, name=texts), max_size=2),
    importance=st.integers(1, 10),
)
facts = st.lists(fact, min_size=1, max_size=5)
misfit = st.sampled_from(['{"text": 1}', '"word"', "3", "null", "[]", "{}"])
indents = st.sampled_from([None, 2])


def dumped(given_facts: list[Fact], indent: int | None) -> str:
    return json.dumps(Facts(facts=given_facts).model_dump(), ensure_ascii=False, indent=indent)


def found(reading: Reading) -> list[Fact]:
    return [] if reading.value is None else Facts.model_validate(reading.value).facts


def part_of(some: list[Fact], every: list[Fact]) -> bool:
    """Whether the one is the other with some left out."""
    rest = iter(every)
    return all(one in rest for one in some)


@given(facts, indents, noise, noise)
def test_whatever_is_said_around_it_all_is_read(
    said: list[Fact], indent: int | None, before: str, after: str
) -> None:
    answer = dumped(said, indent)

    for text in (
        answer,
        f"{before}\n{answer}\n{after}",
        f"```json\n{answer}\n```",
        f"<think>{before}</think>{answer}",
    ):
        reading = read(text, Facts)
        assert found(reading) == said
        assert reading.dropped == 0


@given(facts, indents, st.data())
def test_what_was_whole_before_a_cut_is_kept_and_nothing_else(
    said: list[Fact], indent: int | None, data: st.DataObject
) -> None:
    answer = dumped(said, indent)
    cut = answer[: data.draw(st.integers(0, len(answer) - 1))]
    reading = read(cut, Facts, whole=False)

    whole = 0
    while whole < len(said) and cut.startswith(dumped(said[: whole + 1], indent).rstrip("]} \n")):
        whole += 1
    kept = found(reading)
    assert part_of(kept, said)
    # The last one may end in what was stripped off: then it may be whole or not.
    assert len(kept) >= whole - 1
    assert kept == said[: len(kept)]


@given(facts, st.data())
def test_one_stray_character_loses_one_record_at_most(said: list[Fact], data: st.DataObject) -> None:
    records = [json.dumps(one.model_dump(), ensure_ascii=False) for one in said]
    struck = data.draw(st.integers(0, len(records) - 1))
    place = data.draw(st.integers(1, len(records[struck]) - 1))
    broken = records[struck][:place] + data.draw(st.sampled_from("<>,:;\\")) + records[struck][place:]
    answer = '{"facts": [' + ", ".join([*records[:struck], broken, *records[struck + 1 :]]) + "]}"
    reading = read(answer, Facts)
    kept = found(reading)

    others = said[:struck] + said[struck + 1 :]
    assert part_of(others, kept)
    # Lost, or mended: then it is counted, or there.
    assert len(kept) + reading.dropped >= len(said)


@given(facts, st.lists(misfit, min_size=1, max_size=4), st.data())
def test_records_that_do_not_fit_are_counted(
    said: list[Fact], misfits: list[str], data: st.DataObject
) -> None:
    records = [json.dumps(one.model_dump()) for one in said]
    mixed = data.draw(st.permutations([*records, *misfits]))
    reading = read('{"facts": [' + ",".join(mixed) + "]}", Facts)

    assert {one.model_dump_json() for one in found(reading)} == {one.model_dump_json() for one in said}
    assert (reading.kept, reading.dropped) == (len(said), len(misfits))
    assert reading.faults


pieces = st.one_of(
    hostile, texts, st.sampled_from(['{"facts": [', '{"text": "a", "tags": [], "importance": 1}', "]}"])
)


@given(st.lists(pieces, max_size=12).map("".join), st.booleans())
@example('{"facts": [{"text": "\ud800"}]}', True)
def test_nothing_crashes_and_nothing_is_silent(text: str, whole: bool) -> None:
    reading = read(text, Facts, whole=whole)

    if reading.value is None:
        assert reading.faults
    else:
        assert len(found(reading)) == reading.kept
        assert bool(reading.faults) == bool(reading.dropped)
