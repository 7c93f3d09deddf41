"""The step contract, read off signatures."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel, ConfigDict

from memu_py.errors import ConfigError
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import Parameter, describe, step


class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    size: int = 3


class Loose(BaseModel):
    size: int = 3


class Pair(NamedTuple):
    left: int
    right: list[str]


def test_a_function_tells_what_it_reads_and_writes() -> None:
    @step("cut.words", produces={"words": list[str]})
    async def cut(
        text: str, limit: int | None = None, *, ctx: StepContext[Any], config: Settings
    ) -> list[str]:
        """Cut a text into words.

        More.
        """
        return text.split()[: limit or config.size]

    found = describe(cut)
    assert found.key == "cut.words"
    assert found.kind == "async"
    assert found.reads == (
        Parameter(name="text", type=str, required=True),
        Parameter(name="limit", type=int | None, required=False),
    )
    assert dict(found.writes) == {"words": list[str]}
    assert found.config is Settings
    assert found.run_arguments == {"ctx", "config"}
    assert found.summary == "Cut a text into words."


async def test_a_decorated_function_is_still_callable() -> None:
    @step("twice", produces={"n": int})
    async def twice(n: int) -> int:
        return 2 * n

    assert await twice(4) == 8


def test_a_plain_function_runs_in_a_thread() -> None:
    @step("plain")
    def plain() -> None: ...

    found = describe(plain)
    assert (found.kind, found.reads, dict(found.writes), found.config, found.summary) == (
        "thread",
        (),
        {},
        None,
        "",
    )


def test_a_class_is_described_by_its_run_method() -> None:
    @step("model", produces={"left": int, "right": list[str]})
    class Model:
        """A model."""

        def __init__(self, config: Settings, spare: int = 1) -> None:
            self.size = config.size + spare

        async def warm_up(self) -> None: ...

        async def run(self, text: str, *, ctx: StepContext[Any]) -> Pair:
            return Pair(left=len(text), right=[])

        async def close(self) -> None: ...

    found = describe(Model)
    assert found.kind == "class"
    assert [one.name for one in found.reads] == ["text"]
    assert found.config is Settings
    assert found.configured
    assert found.run_arguments == {"ctx"}


def test_a_class_may_take_config_in_both_places() -> None:
    @step("both")
    class Both:
        def __init__(self, config: Settings) -> None: ...

        async def run(self, config: Settings) -> None: ...

    found = describe(Both)
    assert found.config is Settings
    assert found.run_arguments == {"config"}


def test_what_else_a_class_takes_when_it_is_made_has_defaults() -> None:
    @step("spare")
    class Spare:
        def __init__(self, size: int = 1, *more: int, **rest: int) -> None: ...

        async def run(self) -> None: ...

    assert not describe(Spare).configured


def test_a_return_type_may_be_left_open() -> None:
    @step("open", produces={"n": int})
    async def open_step() -> Any: ...

    assert describe(open_step).key == "open"


@pytest.mark.parametrize("name", ["", "Cut", "cut words", "cut-words", ".cut", "cut.", "1cut"])
def test_a_bad_key_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="its name must be lower-case words"):
        step(name)


@pytest.mark.parametrize(
    ("produces", "appends", "message"),
    [
        ({"ctx": int}, {}, "`ctx` cannot be a state key"),
        ({}, {"config": list[int]}, "`config` cannot be a state key"),
        ({"two words": int}, {}, "`two words` cannot be a state key"),
        ({"x": list[int]}, {"x": list[int]}, "`x` is both produced and appended to"),
        (
            {},
            {"x": tuple[int, ...]},
            "`x` is appended to, so its type must be a list, not tuple[int, Ellipsis]",
        ),
    ],
)
def test_a_bad_declaration_is_refused(
    produces: Mapping[str, Any], appends: Mapping[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        step("s", produces=produces, appends=appends)
    assert str(caught.value).startswith(f"step `s`: {message} (")


def test_what_has_no_decorator_is_no_step() -> None:
    def plain() -> None: ...

    @step("parent")
    class Parent:
        async def run(self) -> None: ...

    class Child(Parent): ...

    for target in (plain, Child):
        with pytest.raises(ConfigError, match=r"is not a step \(put `@step\(name, \.\.\.\)` above it\)"):
            describe(target)
    with pytest.raises(ConfigError, match="`len` is not a step"):
        describe(len)


async def _unannotated(text) -> None: ...  # type: ignore[no-untyped-def]  # noqa: ANN001 - what is refused


async def _star(*texts: str) -> None: ...


async def _keywords(**texts: str) -> None: ...


async def _positional(text: str, /) -> None: ...


async def _wrong_context(ctx: int) -> None: ...


async def _config_is_no_model(config: dict[str, int]) -> None: ...


async def _config_is_loose(config: Loose) -> None: ...


async def _unknown_annotation(text: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821 - what is refused


async def _returns_something() -> int:
    return 1


def _generator() -> Iterator[int]:
    yield 1


async def _async_generator() -> AsyncIterator[int]:
    yield 1


class _NoRun: ...


class _SyncRun:
    def run(self) -> None: ...


class _SyncWarmUp:
    def warm_up(self) -> None: ...

    async def run(self) -> None: ...


class _SyncClose:
    async def run(self) -> None: ...

    def close(self) -> None: ...


class _NeedsMore:
    def __init__(self, url: str) -> None: ...

    async def run(self) -> None: ...


class _TwoConfigs:
    def __init__(self, config: Settings) -> None: ...

    async def run(self, config: Loose) -> None: ...


class _UntypedConfig:
    def __init__(self, config) -> None: ...  # type: ignore[no-untyped-def]  # noqa: ANN001 - what is refused

    async def run(self) -> None: ...


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (_unannotated, "parameter `text` has no type"),
        (_star, "parameter `texts` must be a plain one: no `*args`, `**kwargs` or `/`"),
        (_keywords, "parameter `texts` must be a plain one: no `*args`, `**kwargs` or `/`"),
        (_positional, "parameter `text` must be a plain one: no `*args`, `**kwargs` or `/`"),
        (_wrong_context, "`ctx` must be a `StepContext[...]`, not int"),
        (_config_is_no_model, "`config` must be a pydantic model, not dict[str, int]"),
        (_config_is_loose, "`Loose` must forbid unknown keys: ConfigDict(extra='forbid')"),
        (_unknown_annotation, "its annotations cannot be read: name 'Nowhere' is not defined"),
        (_returns_something, "it returns int, but declares None"),
        (_generator, "a generator cannot be a step; return a list"),
        (_async_generator, "a generator cannot be a step; return a list"),
        (_NoRun, "a class needs `async def run(self, ...)`"),
        (_SyncRun, "a class needs `async def run(self, ...)`"),
        (_SyncWarmUp, "a class needs `async def warm_up(self, ...)`"),
        (_SyncClose, "a class needs `async def close(self, ...)`"),
        (_NeedsMore, "`__init__` may need `config` only, not `url`"),
        (_TwoConfigs, "`__init__` and `run` must take the same `config`"),
        (_UntypedConfig, "`config` must be a pydantic model, not Any"),
    ],
)
def test_a_signature_outside_the_contract_is_refused(target: Callable[..., Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        describe(step("s")(target))
    assert str(caught.value) == f"step `s`: {message} (the step contract is in memu_py/workflow/step.py)"


@pytest.mark.parametrize(
    ("produces", "message"),
    [
        ({"left": int, "right": list[int]}, "it returns `right` as list[str], but declares list[int]"),
        ({"left": int, "middle": int}, "it returns left, right, but declares left, middle"),
        ({"left": int}, "it returns Pair, but declares int"),
    ],
)
def test_a_named_tuple_must_have_the_declared_fields(produces: Mapping[str, Any], message: str) -> None:
    @step("s", produces=produces)
    async def pair() -> Pair:
        return Pair(left=1, right=[])

    with pytest.raises(ConfigError) as caught:
        describe(pair)
    assert message in str(caught.value)


def test_several_keys_need_a_named_tuple() -> None:
    @step("s", produces={"left": int}, appends={"right": list[int]})
    async def pair() -> tuple[int, list[int]]:
        return 1, []

    with pytest.raises(ConfigError, match=r"it returns a NamedTuple, not tuple\[int, list\[int\]\]"):
        describe(pair)
