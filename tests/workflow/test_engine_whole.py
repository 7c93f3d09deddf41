"""Whole workflows of the user's, in the stead of the packaged ones."""

import pytest
from merge_kit import MEMORIZE, Draft, TuneConfig, order, packaged, registry

from memu_py.errors import WorkflowError
from memu_py.workflow.load import load_workflow
from memu_py.workflow.pipeline import Pipeline


def own(text: str) -> Pipeline:
    return load_workflow(
        text, file="own.yaml", registry=registry(), inputs={"text": Draft}, packaged=packaged(MEMORIZE)
    )


WHOLE = """\
name: memorize
steps:
  - ingest
  - preprocess
  - my_extract
  - dedupe
  - {use: my_embed, replaces: embed}
  - use: persist
    with: {size: 2}
  - {use: build_memorize, name: build}
"""


def test_a_whole_workflow_stands_in_for_the_packaged_one() -> None:
    pipeline = own(WHOLE)
    assert order(pipeline) == "ingest preprocess my_extract dedupe my_embed persist build"
    assert {one.origin for one in pipeline.steps} == {"config"}
    assert [one.name for one in pipeline.steps if not one.required] == ["my_extract"]
    assert pipeline.step("persist").config == TuneConfig(size=2)


def test_a_whole_workflow_must_have_the_required_steps() -> None:
    text = WHOLE.replace("  - preprocess\n", "").replace("my_extract", "{use: my_extract, replaces: embd}")
    text = text.replace("  - ingest\n", "  - {use: ingest, required: false}\n")
    with pytest.raises(WorkflowError) as caught:
        own(text)
    assert [fault.partition("; ")[0] for fault in caught.value.faults] == [
        "own.yaml:2: step `preprocess`: it is required and missing",
        "own.yaml:3: step `ingest`: it is required",
        "own.yaml:4: step `my_extract`: `replaces`: no packaged step `embd`",
        "own.yaml:4: step `my_extract`: it needs `segments` (list[str]), which nothing before it gives",
    ]
