"""Everything that is wrong with a workflow is told at once, with file and line."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, model_validator
from workflow_kit import INPUTS, Request, load, workflow

from memu_py.errors import ConfigError, WorkflowError
from memu_py.workflow.contract import InputSpec
from memu_py.workflow.step import step

SPLIT = "  - split"


def faults(text: str, *more: Any, **options: Any) -> list[str]:
    """Return the faults of a workflow, without the name of its file."""
    with pytest.raises(WorkflowError) as caught:
        load(text, *more, **options)
    assert str(caught.value).splitlines()[1:] == [f"  {fault}" for fault in caught.value.faults]
    return [fault.removeprefix("w.yaml:") for fault in caught.value.faults]


FAULTY = """\
name: w
descripton: typo
inputs: [text, requst]
steps:
  - use: splt
  - use: split
    name: again
    with: {limitt: 2, separator: ""}
    timout_s: 3
  - use: lower
    retry: {attempts: 0, backoff_s: -1}
    timeout_s: 0
  - parallel: [sort, lower]
  - use: count
    required: true
    on_error: skip
  - use: translate
    when: {request.langage: zh}
  - strict_answer
  - numbers
  - use: find_prefix
"""

REPORT = """\
workflow `w` has 18 faults:
  flows/w.yaml:2: no key `descripton`; did you mean `description`? there are description, inputs, name, steps
  flows/w.yaml:3: no input `requst`; did you mean `request`? there are request, text
  flows/w.yaml:4: no step gives the output `missing` (int); no step that is installed gives it
  flows/w.yaml:5: step `splt`: no step `splt`; did you mean `split`? there are answer, count, find_long, \
find_prefix, greet, halve, hint_reader, lower, numbers, sort, split, strict_answer, translate
  flows/w.yaml:8: step `again`: `separator`: string should have at least 1 character
  flows/w.yaml:8: step `again`: no key `limitt`; did you mean `limit`? there are limit, separator
  flows/w.yaml:9: step `again`: no key `timout_s`; did you mean `timeout_s`? there are name, on_error, \
replaces, required, retry, timeout_s, use, when, with
  flows/w.yaml:11: step `lower`: `retry.attempts`: input should be greater than or equal to 1
  flows/w.yaml:11: step `lower`: `retry.backoff_s`: input should be greater than or equal to 0
  flows/w.yaml:12: step `lower`: `timeout_s`: input should be greater than 0
  flows/w.yaml:13: step `lower`: there is a step of this name at flows/w.yaml:10; give one a `name`
  flows/w.yaml:13: step `lower`: it writes `words`, and so does `sort` beside it in parallel; only a key that \
both append to can be shared
  flows/w.yaml:14: step `count`: it needs `found` (list[str]), which nothing before it gives; `find_prefix` \
would, but later; before it there are request, text, words
  flows/w.yaml:16: step `count`: a required step cannot have `on_error: skip`
  flows/w.yaml:18: step `translate`: `when`: `request` (Request): no field `langage`; did you mean `language`? \
there are depth, language
  flows/w.yaml:19: step `strict_answer`: it needs `translation`, which may be missing: `translate` gives it \
only when request.langage is zh; a default would do
  flows/w.yaml:20: step `numbers`: it gives `words` as list[int], but `splt` gives it as list[str]; a key has \
one type
  flows/w.yaml:21: step `find_prefix`: `prefix` is missing"""


def test_the_report_has_every_fault_in_the_order_of_the_file() -> None:
    with pytest.raises(WorkflowError) as caught:
        load(FAULTY, file="flows/w.yaml", outputs={"reply": str, "missing": int})
    assert str(caught.value) == REPORT


def test_a_single_fault_is_told_in_the_singular() -> None:
    with pytest.raises(WorkflowError) as caught:
        load(workflow(SPLIT, "  - rank"))
    assert str(caught.value) == (
        "workflow `w` has a fault:\n"
        "  w.yaml:4: step `rank`: no step `rank`; there are answer, count, find_long, find_prefix, greet, halve, "
        "hint_reader, lower, numbers, sort, split, strict_answer, translate"
    )


def test_a_missing_input_names_the_steps_that_would_give_it() -> None:
    assert faults(workflow("  - lower")) == [
        "3: step `lower`: it needs `words` (list[str]), which nothing before it gives; steps that give it: "
        "numbers, sort, split; before it there are request, text"
    ]


def test_a_missing_input_that_nothing_gives_has_the_nearest_key() -> None:
    @step("odd")
    async def odd(texts: str) -> None: ...

    assert faults(workflow("  - odd"), odd) == [
        "3: step `odd`: it needs `texts` (str), which nothing before it gives; no step that is installed gives it; "
        "did you mean `text`? before it there are request, text"
    ]


def test_a_workflow_without_inputs_has_no_keys_at_first() -> None:
    assert faults(workflow("  - split"), inputs={}) == [
        "3: step `split`: it needs `text` (str), which nothing before it gives; no step that is installed gives it; "
        "before it there are no keys"
    ]


def test_parallel_steps_do_not_see_each_other() -> None:
    assert faults(workflow(SPLIT, "  - parallel: [find_long, count]")) == [
        "4: step `count`: it needs `found` (list[str]), which nothing before it gives; `find_long` would, but "
        "beside it in parallel; before it there are request, text, words"
    ]


def test_a_type_clash_shows_both_sides() -> None:
    @step("reader")
    async def reader(words: set[str], text: int) -> None: ...

    assert faults(workflow(SPLIT, "  - reader"), reader) == [
        "4: step `reader`: it reads `words` as set[str], but `split` gives list[str]",
        "4: step `reader`: it reads `text` as int, but the caller gives str",
    ]


def test_readers_may_be_optional_or_any() -> None:
    @step("reader")
    async def reader(words: list[str] | None, text: Any, request: Request) -> None: ...

    assert [one.name for one in load(workflow(SPLIT, "  - reader"), reader).steps] == ["split", "reader"]


def test_a_key_that_is_given_on_an_error_only_needs_a_default() -> None:
    text = workflow("  - use: translate", "    on_error: skip", "  - strict_answer")
    assert faults(text) == [
        "5: step `strict_answer`: it needs `translation`, which may be missing: `translate` is skipped when it fails; "
        "a default would do"
    ]


def test_a_reader_that_is_optional_without_a_default_is_not_enough_for_a_conditional_key() -> None:
    @step("reader")
    async def reader(translation: str | None) -> None: ...

    text = workflow("  - use: translate", "    when: {request.depth: 2}", "  - reader")
    assert len(faults(text, reader)) == 1


def test_two_conditional_givers_do_not_make_a_key_sure_and_both_are_named() -> None:
    text = workflow(
        "  - {use: translate, when: {request.depth: 1}}",
        "  - {use: translate, name: second, on_error: skip}",
        "  - strict_answer",
    )
    assert faults(text) == [
        "5: step `strict_answer`: it needs `translation`, which may be missing: `translate` gives it only when "
        "request.depth is 1, and `second` is skipped when it fails; a default would do"
    ]


def test_a_key_that_was_sure_stays_sure_and_one_that_is_given_again_becomes_sure() -> None:
    sure = workflow("  - translate", "  - {use: translate, name: more, on_error: skip}", "  - strict_answer")
    later = workflow(
        "  - {use: translate, on_error: skip}", "  - {use: translate, name: more}", "  - strict_answer"
    )
    assert len(load(sure).steps) == len(load(later).steps) == 3


def test_an_appended_key_is_there_even_when_its_step_does_not_run() -> None:
    text = workflow(SPLIT, "  - {use: find_long, when: {request.depth: 9}}", "  - count")
    assert len(load(text).steps) == 3


def test_parallel_steps_may_append_to_one_key_and_not_set_it() -> None:
    @step("set_found", produces={"found": list[str]})
    async def set_found() -> list[str]:
        return []

    assert (
        len(load(workflow(SPLIT, "  - parallel: [find_long, {use: find_prefix, with: {prefix: a}}]")).steps)
        == 3
    )
    assert faults(workflow(SPLIT, "  - parallel: [find_long, set_found]"), set_found) == [
        "4: step `set_found`: it writes `found`, and so does `find_long` beside it in parallel; only a key that both "
        "append to can be shared"
    ]


def test_a_step_may_set_an_input_again_with_its_type() -> None:
    @step("trim", produces={"text": str})
    async def trim(text: str) -> str:
        return text.strip()

    @step("measure", produces={"text": int})
    async def measure(text: str) -> int:
        return len(text)

    assert len(load(workflow("  - trim", SPLIT), trim).steps) == 2
    assert faults(workflow("  - measure"), measure) == [
        "3: step `measure`: it gives `text` as int, but the caller gives it as str; a key has one type"
    ]


def test_an_optional_input_needs_a_default_or_a_reader_that_takes_none() -> None:
    @step("needs")
    async def needs(hint: str) -> None: ...

    @step("shrugs")
    async def shrugs(hint: str = "x") -> None: ...

    inputs = {**INPUTS, "hint": InputSpec(type=str, required=False)}
    assert len(load(workflow("  - hint_reader", "  - shrugs"), shrugs, inputs=inputs).steps) == 2
    assert faults(workflow("  - needs"), needs, inputs=inputs) == [
        "3: step `needs`: it needs `hint`, which may be missing: the caller need not give it; a default would do"
    ]


def test_wanted_outputs_must_be_given_in_every_run_with_their_type() -> None:
    text = workflow(SPLIT, "  - {use: translate, on_error: skip}")
    wanted = {"words": list[int], "translation": str, "total": int}
    assert faults(text, outputs=wanted) == [
        "2: the output `words` has the wrong type: the program wants list[int], `split` gives list[str]",
        "2: the output `translation` may be missing: `translate` is skipped when it fails",
        "2: no step gives the output `total` (int); steps that give it: count",
    ]
    fine = {"words": list[str], "translation": str | None, "total": int | None, "text": str}
    assert len(load(text, outputs=fine).steps) == 2


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["  - 3"], "3: a step is a name or a mapping with `use`, not 3"),
        (["  - {}"], "3: a step is a name or a mapping with `use`, not an empty one"),
        (["  -"], "3: a step is a name or a mapping with `use`, not nothing"),
        (["  - [split]"], "3: a step is a name or a mapping with `use`, not a list"),
        (["  - ''"], "3: `use`: string should have at least 1 character"),
        (["  - name: x"], "3: step `x`: `use` is missing"),
        (["  - use: [split]"], "3: `use`: input should be a valid string"),
        (["  - parallel: []"], "3: `parallel` must be a list of steps, not an empty one"),
        (["  - parallel: split"], "3: `parallel` must be a list of steps, not 'split'"),
        (["  - parallel: [{parallel: [split]}]"], "3: `parallel` cannot stand within `parallel`"),
        (["  - parallel: [3]"], "3: a step is a name or a mapping with `use`, not 3"),
        (
            ["  - parallel: [split]", "    timeout_s: 3"],
            "4: no key `timeout_s` beside `parallel`; put it on the steps within",
        ),
        (["  - use: split", "    with: 3"], "4: step `split`: `with`: input should be a valid mapping"),
        (
            ["  - use: split", "    required: 'yes'"],
            "4: step `split`: `required`: input should be a valid boolean",
        ),
        (
            ["  - use: split", "    on_error: ignore"],
            "4: step `split`: `on_error`: input should be 'fail' or 'skip'",
        ),
        (
            ["  - use: split", "    timeout_s: .inf"],
            "4: step `split`: `timeout_s`: input should be a finite number",
        ),
        (
            ["  - use: split", "    retry: 3"],
            "4: step `split`: `retry`: input should be a valid mapping or instance of RetrySpec",
        ),
        (
            ["  - use: split", "    retry:", "      atempts: 3"],
            "5: step `split`: `retry`: no key `atempts`; did you mean `attempts`? there are attempts, backoff_s, "
            "max_backoff_s",
        ),
        (["  - use: greet", "    with: {a: 1}"], "4: step `greet`: it takes no `with`"),
        (
            ["  - use: split", "    replaces: x"],
            "4: step `split`: `replaces`: there is no packaged workflow here",
        ),
        (
            ["  - use: split", "    when:", "      modality: audio"],
            "5: step `split`: `when`: no key `modality`; there are request, text",
        ),
        (
            ["  - use: split", "    when: {words: x}"],
            "4: step `split`: `when`: no key `words`; there are request, text",
        ),
    ],
)
def test_what_cannot_be_read_is_a_fault_with_its_line(lines: list[str], message: str) -> None:
    assert message in faults(workflow(*lines))


def test_what_an_unreadable_step_may_have_given_is_not_reported_as_missing() -> None:
    assert faults(workflow("  - 3", "  - lower"), outputs={"total": int}) == [
        "3: a step is a name or a mapping with `use`, not 3"
    ]


def test_what_an_unknown_step_may_have_given_is_not_reported_as_missing() -> None:
    report = faults(workflow("  - something_else", "  - lower"))
    assert [fault.partition(";")[0] for fault in report] == [
        "3: step `something_else`: no step `something_else`"
    ]


@pytest.mark.parametrize(
    ("text", "report"),
    [
        ("name: w\nsteps: []\n", ["2: the workflow has no steps"]),
        ("name: w\nsteps: split\n", ["2: `steps` must be a list of steps, not 'split'"]),
        ("name: w\n", ["1: `steps` is missing"]),
        ("steps: [split]\n", ["1: `name` is missing or no text"]),
        ("name: 3\nsteps: [split]\n", ["1: `name` is missing or no text"]),
        ("- split\n", ["1: a workflow is a mapping with `name` and `steps`"]),
        ("", ["empty.yaml: a workflow is a mapping with `name` and `steps`"]),
        (
            "name: w\ninputs: {text: a text, txt: b}\nsteps: [split]\n",
            ["2: no input `txt`; did you mean `text`? there are request, text"],
        ),
        (
            "name: w\ninputs: text\nsteps: [split]\n",
            ["2: `inputs` must list names; their types come from the program"],
        ),
    ],
)
def test_a_file_that_is_no_workflow_says_why(text: str, report: list[str]) -> None:
    assert faults(text, file="w.yaml" if text else "empty.yaml") == report


def test_bad_yaml_is_told_with_its_line() -> None:
    with pytest.raises(ConfigError, match=r"^w\.yaml:4:5: the key `use` is here twice"):
        load(workflow("  - use: split", "    use: lower"))


def test_a_nested_fault_of_a_configuration_has_its_own_line() -> None:
    class Part(BaseModel):
        model_config = ConfigDict(extra="forbid")

        size: int = 1

    class Whole(BaseModel):
        model_config = ConfigDict(extra="forbid")

        part: Part = Part()
        many: list[int] = []

    @step("whole")
    async def whole(*, config: Whole) -> None: ...

    text = workflow(
        "  - use: whole",
        "    with:",
        "      part:",
        "        sizes: 3",
        "      many:",
        "        - 1",
        "        - x",
    )
    assert faults(text, whole) == [
        "6: step `whole`: `part`: no key `sizes`; did you mean `size`? there are size",
        "9: step `whole`: `many.1`: input should be a valid integer, unable to parse string as an integer",
    ]


def test_a_configuration_may_refuse_with_an_error_of_its_own() -> None:
    class Picky(BaseModel):
        model_config = ConfigDict(extra="forbid")

        @model_validator(mode="after")
        def _refuse(self) -> "Picky":
            raise ConfigError("there is no model `x`")

    @step("picky")
    async def picky(*, config: Picky) -> None: ...

    assert faults(workflow("  - use: picky", "    with: {}"), picky) == [
        "4: step `picky`: there is no model `x`"
    ]
