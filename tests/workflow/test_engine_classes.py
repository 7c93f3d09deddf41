"""Steps that are classes: made once for each place, warmed up once, closed with the workflows."""

import asyncio
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel, ConfigDict
from workflow_kit import Desk, load, run, workflow

from memu_py.errors import StepError
from memu_py.workflow.book import WorkflowBook
from memu_py.workflow.step import step


class ModelConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = "small"


@step("model", appends={"found": list[str]})
class Model:
    """Writes its life into a book."""

    book: ClassVar[list[str]] = []
    failures: ClassVar[list[Exception]] = []

    def __init__(self, config: ModelConfig) -> None:
        self.name = config.name
        self.book.append(f"made {self.name}")

    async def warm_up(self) -> None:
        await asyncio.sleep(0)
        self.book.append(f"warm {self.name}")
        if self.failures:
            raise self.failures.pop()

    async def run(self, text: str) -> list[str]:
        return [f"{self.name} {text}"]

    async def close(self) -> None:
        self.book.append(f"close {self.name}")


@step("bare", produces={"length": int})
class Bare:
    """Has no life cycle of its own."""

    async def run(self, text: str, config: ModelConfig) -> int:
        return len(text) + len(config.name)


@pytest.fixture(autouse=True)
def _clean() -> None:
    Model.book.clear()
    Model.failures.clear()


TWO = workflow("  - model", "  - {use: model, name: big_model, with: {name: big}}", "  - bare")


def book_of(text: str) -> WorkflowBook:
    book = WorkflowBook()
    book.register(load(text, Model, Bare))
    return book


async def test_a_class_is_made_and_warmed_up_at_its_first_run_once_for_each_place() -> None:
    pipeline = load(TWO, Model, Bare)
    assert Model.book == []
    results = await asyncio.gather(*(run(pipeline, "x") for _ in range(3)))
    assert [result.state["found"] for result in results] == [["small x", "big x"]] * 3
    assert results[0].state["length"] == 6
    assert Model.book == ["made small", "warm small", "made big", "warm big"]


async def test_a_failed_warm_up_is_an_error_of_the_step_and_is_tried_again() -> None:
    Model.failures.append(OSError("no file"))
    pipeline = load(TWO, Model, Bare)
    with pytest.raises(StepError, match="step `model` failed: OSError: no file"):
        await run(pipeline, "x")
    assert (await run(pipeline, "x")).state["found"] == ["small x", "big x"]


async def test_closing_the_book_closes_what_was_warm_and_a_later_run_warms_up_again() -> None:
    book = book_of(TWO)
    await book.close()
    assert Model.book == []
    await book["w"].pipeline.warm_up()
    await book.close()
    assert Model.book[4:] == ["close small", "close big"]
    assert (await run(book["w"].pipeline, "x")).state["found"] == ["small x", "big x"]


async def test_an_edit_keeps_the_instances_of_steps_that_did_not_change() -> None:
    book = book_of(TWO)
    await book["w"].pipeline.warm_up()
    book.config_step("w", "big_model", {"name": "huge"})
    result = await run(book["w"].pipeline, "x", Desk())
    assert result.state["found"] == ["small x", "huge x"]
    assert Model.book == ["made small", "warm small", "made big", "warm big", "made huge", "warm huge"]
    await book.close()
    assert sorted(Model.book[6:]) == ["close big", "close huge", "close small"]


def test_two_places_of_a_step_need_two_names() -> None:
    with pytest.raises(Exception, match="there is a step of this name") as caught:
        load(workflow("  - model", "  - model"), Model)
    shown: Any = caught.value
    assert len(shown.faults) == 1
