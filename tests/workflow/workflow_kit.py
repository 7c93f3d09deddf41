"""A small world of steps about words, for the tests of the engine."""

import asyncio
import dataclasses
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from memu_py.workflow.context import ProgressEvent, StepContext
from memu_py.workflow.load import load_workflow
from memu_py.workflow.pipeline import Pipeline
from memu_py.workflow.registry import Registry
from memu_py.workflow.runner import LocalRunner, RunResult
from memu_py.workflow.step import step
from memu_py.workflow.trace import Trace, trace_of

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """An input with fields."""

    language: Literal["en", "zh"] = "en"
    depth: int = 1


class SplitConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    separator: str = Field(default=" ", min_length=1)
    limit: int = Field(default=100, ge=1)


class FindConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    prefix: str


class Halves(NamedTuple):
    head: list[str]
    tail: list[str]


@dataclasses.dataclass
class Desk:
    """The resources of a run: a list that steps write to."""

    log: list[str] = dataclasses.field(default_factory=list)


@step("split", produces={"words": list[str]})
async def split(text: str, *, config: SplitConfig) -> list[str]:
    """Split a text."""
    return text.split(config.separator)[: config.limit]


@step("lower", produces={"words": list[str]})
def lower(words: list[str]) -> list[str]:
    """Lower all words; a plain function."""
    return [word.lower() for word in words]


@step("sort", produces={"words": list[str]})
async def sort(words: list[str], *, ctx: StepContext[Desk]) -> list[str]:
    ctx.resources.log.append("sort")
    return sorted(words)


@step("halve", produces={"head": list[str], "tail": list[str]})
async def halve(words: list[str]) -> Halves:
    middle = len(words) // 2
    return Halves(head=words[:middle], tail=words[middle:])


@step("find_prefix", appends={"found": list[str]})
async def find_prefix(words: list[str], *, config: FindConfig) -> list[str]:
    return [word for word in words if word.startswith(config.prefix)]


@step("find_long", appends={"found": list[str]})
async def find_long(words: list[str]) -> list[str]:
    await asyncio.sleep(0)
    return [word for word in words if len(word) > 3]


@step("count", produces={"total": int})
async def count(found: list[str]) -> int:
    return len(found)


@step("translate", produces={"translation": str})
async def translate(text: str) -> str:
    return text[::-1]


@step("answer", produces={"reply": str})
async def answer(words: list[str], total: int | None = None, translation: str | None = None) -> str:
    return f"{' '.join(words)}/{total}/{translation}"


@step("strict_answer", produces={"reply": str})
async def strict_answer(translation: str) -> str:
    return translation


@step("numbers", produces={"words": list[int]})
async def numbers(text: str) -> list[int]:
    return [len(text)]


@step("hint_reader", produces={"seen_hint": str})
async def hint_reader(hint: str | None) -> str:
    return repr(hint)


@step("greet")
async def greet(*, ctx: StepContext[Desk]) -> None:
    ctx.resources.log.append(f"greet in {ctx.workflow}")


STEPS: tuple[Any, ...] = (
    split,
    lower,
    sort,
    halve,
    find_prefix,
    find_long,
    count,
    translate,
    answer,
    strict_answer,
    numbers,
    hint_reader,
    greet,
)

INPUTS: Mapping[str, Any] = {"text": str, "request": Request}


def make_registry(*more: Any) -> Registry:
    """Return a registry with the steps of this module and some more."""
    registry = Registry()
    for one in (*STEPS, *more):
        registry.add_step(one)
    return registry


def load(text: str, *more: Any, file: str = "w.yaml", **options: Any) -> Pipeline:
    """Load a workflow over the inputs `text` and `request`; `more` are steps beside those of this module."""
    options.setdefault("inputs", INPUTS)
    return load_workflow(text, file=file, registry=make_registry(*more), **options)


def workflow(*lines: str) -> str:
    """Return the YAML of a workflow named w; the first line given is line 3 of the file."""
    return "\n".join(["name: w", "steps:", *lines, ""])


class Listener:
    """A progress callback that keeps what it is told."""

    def __init__(self) -> None:
        self.events: list[ProgressEvent] = []

    def __call__(self, event: ProgressEvent) -> None:
        self.events.append(event)

    def kinds(self) -> list[tuple[str, str]]:
        """Return the steps and kinds of all events in order."""
        return [(event.step, event.kind) for event in self.events]


async def run(pipeline: Pipeline, text: str = "b A c", desk: Desk | None = None, **options: Any) -> RunResult:
    """Run a pipeline with a local runner."""
    runner: LocalRunner[Desk] = options.pop("runner", None) or LocalRunner()
    state = options.pop("state", {"text": text, "request": Request()})
    return await runner.run(pipeline, state, desk or Desk(), **options)


class Pauses:
    """A sleep that takes no time and keeps what it was asked for."""

    def __init__(self, then: Callable[[], None] | None = None) -> None:
        self.seconds: list[float] = []
        self.then = then

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        if self.then:
            self.then()


class Flaky:
    """Raises its errors one after another, then works."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.calls = 0

    def __call__(self) -> None:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)


def flaky_step(flaky: Flaky) -> Any:
    @step("flaky", produces={"result": int})
    async def flaky_(*, ctx: StepContext[Desk]) -> int:
        ctx.note(call=flaky.calls + 1)
        flaky()
        return flaky.calls

    return flaky_


def traced(error: BaseException) -> Trace:
    """Return the trace on an exception, which must be there."""
    trace = trace_of(error)
    assert trace is not None
    return trace


RETRIED = workflow("  - use: flaky", "    retry: {attempts: 3, backoff_s: 1}")
"""A workflow of one step that is tried three times."""
