"""What a step cannot do without: refused where the program lacks it."""

import pytest
from workflow_kit import load, workflow

from memu_py.errors import WorkflowError
from memu_py.workflow.book import Workflow
from memu_py.workflow.step import step

ASKING = workflow("  - split", "  - ask_oracle", "  - answer")


@step("ask_oracle", produces={"translation": str}, needs=("oracle", "bell"))
async def ask_oracle(text: str) -> str:
    return text


def test_a_step_is_refused_where_the_program_lacks_what_it_needs() -> None:
    with pytest.raises(WorkflowError) as caught:
        load(ASKING, ask_oracle, lacks={"oracle": "there is no oracle", "drum": "there is no drum"})

    assert caught.value.faults == ("w.yaml:4: step `ask_oracle`: there is no oracle",)


def test_a_step_is_taken_where_nothing_that_it_needs_is_lacking() -> None:
    pipeline = load(ASKING, ask_oracle, lacks={"drum": "there is no drum"})

    assert [one.name for one in pipeline.steps] == ["split", "ask_oracle", "answer"]


def test_an_edit_is_refused_where_the_program_lacks_what_it_needs() -> None:
    flow = Workflow(load(workflow("  - split", "  - answer"), ask_oracle, lacks={"bell": "there is no bell"}))

    with pytest.raises(WorkflowError, match="there is no bell"):
        flow.insert_after("split", "ask_oracle")

    assert flow.revision == 1
