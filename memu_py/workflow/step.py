"""The step contract. This page is the law; everything else in the engine follows from it.

A step is an `async` function, a plain function, or a class with `async def run`, under the `step` decorator::

    class DedupeConfig(BaseModel):
        model_config = ConfigDict(extra="forbid", frozen=True)
        threshold: float = Field(default=0.9, ge=0, le=1)

    @step("resolve_duplicates", produces={"drafts": list[Draft]})
    async def resolve_duplicates(
        drafts: list[Draft], hints: list[str] | None = None, *, ctx: StepContext[Parts], config: DedupeConfig
    ) -> list[Draft]:
        ...

1.  **What it needs are its parameters.** Each parameter except `ctx` and `config` is a key of the run's
    state, with the annotated type. A parameter with a default is optional: it keeps the default when nothing
    has produced the key.
2.  **What it adds is what it declares.** `produces` sets keys; a later step may set a key again, with the
    same type. `appends` adds to list-typed keys: the returned list goes behind what is there. Steps that run
    in parallel may write the same key only by `appends`. A key somebody appends to is never missing: it
    starts as an empty list.
3.  **What it returns.** One declared key: its bare value. Several: a NamedTuple whose fields are exactly the
    keys. None declared: None. Types are compared when a workflow is loaded, values after every run of the
    step (`BadStepOutput`).
4.  **A reader's type** equals the declared type of the key, or is Optional of it, or is `Any`.
5.  `ctx` is a `StepContext`: run id, clock, log, progress, cancellation, notes for the trace, and
    `resources`.
6.  `config` is a pydantic model with `extra="forbid"`, filled from `with:` in the YAML. Better frozen: all
    runs share it.
7.  A plain function runs in a thread, so that it may compute or block. A thread cannot be stopped from
    outside: long ones call `ctx.cancel.check()`, which raises also when the step's time is up.
8.  A class is made once for each place in a workflow, as `Class()` or, when `__init__` has that parameter,
    `Class(config=...)`; keep `__init__` cheap. `async def warm_up(self)` is awaited once before the first
    run, for heavy things such as loading a model, and `async def close(self)` when the workflows are closed.
    Both may be left out.
9.  **No state of a run on the step**, and inputs are not changed in place: many runs share one instance, and
    parallel steps share their inputs. What crosses the border of a step is plain data or frozen records.
10. An error of this package (`MemuError`) passes through as it is; any other becomes a `StepError`. A step is
    repeated only if the workflow says `retry`, and never after `ConfigError`, `InvalidInput`, `AccessDenied`,
    `NotFound` or `Cancelled`, which another attempt would not change. So a step with `retry` must bear being
    run twice.
11. **What it cannot do without** stands in `needs`: names of parts that a program may lack, such as a
    reranker. A workflow that has the step where the program lacks the part is refused when it is loaded.
"""

import dataclasses
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, TypeVar, get_origin, get_type_hints

from pydantic import BaseModel

from memu_py.errors import ConfigError
from memu_py.workflow.context import StepContext
from memu_py.workflow.typeform import fitting, same, show

Decorated = TypeVar("Decorated", bound=Callable[..., object])

RESERVED = ("ctx", "config")
KEY_PATTERN = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*")
_DECLARATION = "__step_declaration__"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    """A state key that a step reads.

    Attributes:
        name: the key.
        type: as annotated.
        required: whether the step has no default for it.
    """

    name: str
    type: Any
    required: bool


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class StepDefinition:
    """What the engine knows of a step.

    Attributes:
        key: its name in the registry.
        kind: how it is run: awaited, in a thread, or as an instance.
        target: the decorated function or class.
        reads: the state keys it needs.
        produces: the keys it sets, with their types.
        appends: the list-typed keys it adds to, with their types.
        config: its configuration model, if it has one.
        run_arguments: which of `ctx` and `config` it takes when it runs.
        configured: whether the class takes `config` when it is made.
        summary: the first line of its docstring.
        needs: parts of the program that it cannot do without.
        writes: all keys it declares, with their types.
        checks: tell for each of them whether a value is of its type.
    """

    key: str
    kind: Literal["async", "thread", "class"]
    target: Callable[..., Any]
    reads: tuple[Parameter, ...]
    produces: Mapping[str, Any]
    appends: Mapping[str, Any]
    config: type[BaseModel] | None
    run_arguments: frozenset[str]
    configured: bool
    summary: str
    needs: tuple[str, ...] = ()
    writes: Mapping[str, Any] = dataclasses.field(init=False)
    checks: Mapping[str, Callable[[Any], bool]] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        writes = {**self.produces, **self.appends}
        object.__setattr__(self, "writes", MappingProxyType(writes))
        object.__setattr__(self, "checks", {key: fitting(form) for key, form in writes.items()})


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class _Declaration:
    key: str
    produces: Mapping[str, Any]
    appends: Mapping[str, Any]
    needs: tuple[str, ...]


def step(
    name: str,
    *,
    produces: Mapping[str, Any] | None = None,
    appends: Mapping[str, Any] | None = None,
    needs: Sequence[str] = (),
) -> Callable[[Decorated], Decorated]:
    """Declare a function or class to be a step. The object itself is not changed: it can be called as before.

    Args:
        name: the key by which workflows name it: lower-case words, `_` within and `.` between.
        produces: the state keys it sets, with their types.
        appends: the list-typed state keys it adds to, with their types.
        needs: parts that the program may lack and the step cannot do without.

    Raises:
        ConfigError: the declaration breaks the contract of this module. What needs the annotations is checked
            later, when the step is registered.
    """
    declaration = _Declaration(
        key=name,
        produces=MappingProxyType(dict(produces or {})),
        appends=MappingProxyType(dict(appends or {})),
        needs=tuple(needs),
    )
    _check_declaration(declaration)

    def mark(target: Decorated) -> Decorated:
        setattr(target, _DECLARATION, declaration)
        return target

    return mark


def describe(target: Callable[..., Any]) -> StepDefinition:
    """Read a step's definition off its signature.

    Args:
        target: a function or class under the `step` decorator.

    Raises:
        ConfigError: it is not a step, or breaks the contract of this module.
    """
    declaration = vars(target).get(_DECLARATION) if hasattr(target, "__dict__") else None
    if not isinstance(declaration, _Declaration):
        raise ConfigError(f"{_label(target)} is not a step", hint="put `@step(name, ...)` above it")
    made = inspect.isclass(target)
    run = _run_method(target, declaration.key) if made else target
    hints = _hints(run, declaration.key)
    parameters = list(inspect.signature(run).parameters.values())[1 if made else 0 :]
    reads = tuple(_parameter(one, hints, declaration.key) for one in parameters if one.name not in RESERVED)
    _check_context(hints, declaration.key)
    _check_returned(hints.get("return", Any), declaration)
    made_with = _init_config(target, declaration.key) if made else None
    return StepDefinition(
        key=declaration.key,
        kind="class" if made else "async" if inspect.iscoroutinefunction(target) else "thread",
        target=target,
        reads=reads,
        produces=declaration.produces,
        appends=declaration.appends,
        config=_config_model(made_with, hints.get("config"), declaration.key),
        run_arguments=frozenset(one.name for one in parameters if one.name in RESERVED),
        configured=made_with is not None,
        summary=(inspect.getdoc(target) or "").partition("\n")[0],
        needs=declaration.needs,
    )


def _label(target: object) -> str:
    return f"`{getattr(target, '__qualname__', repr(target))}`"


def _wrong(key: str, what: str) -> ConfigError:
    return ConfigError(f"step `{key}`: {what}", hint="the step contract is in memu_py/workflow/step.py")


def _check_declaration(declaration: _Declaration) -> None:
    key = declaration.key
    if not KEY_PATTERN.fullmatch(key):
        raise _wrong(key, "its name must be lower-case words, `_` within and `.` between")
    both = sorted(declaration.produces.keys() & declaration.appends.keys())
    if both:
        raise _wrong(key, f"`{both[0]}` is both produced and appended to")
    for name in (*declaration.produces, *declaration.appends):
        if not name.isidentifier() or name in RESERVED:
            raise _wrong(key, f"`{name}` cannot be a state key")
    for name, form in declaration.appends.items():
        if form is not list and get_origin(form) is not list:
            raise _wrong(key, f"`{name}` is appended to, so its type must be a list, not {show(form)}")


def _run_method(target: Callable[..., Any], key: str) -> Callable[..., Any]:
    for name in ("run", "warm_up", "close"):
        method = getattr(target, name, None)
        if (method is not None or name == "run") and not inspect.iscoroutinefunction(method):
            raise _wrong(key, f"a class needs `async def {name}(self, ...)`")
    run: Callable[..., Any] = target.run  # type: ignore[attr-defined]
    return run


def _hints(function: Callable[..., Any], key: str) -> dict[str, Any]:
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise _wrong(key, "a generator cannot be a step; return a list")
    try:
        return get_type_hints(function)
    except (NameError, TypeError) as error:
        raise _wrong(key, f"its annotations cannot be read: {error}") from error


def _parameter(parameter: inspect.Parameter, hints: Mapping[str, Any], key: str) -> Parameter:
    if parameter.kind not in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY):
        raise _wrong(key, f"parameter `{parameter.name}` must be a plain one: no `*args`, `**kwargs` or `/`")
    if parameter.name not in hints:
        raise _wrong(key, f"parameter `{parameter.name}` has no type")
    required = parameter.default is inspect.Parameter.empty
    return Parameter(name=parameter.name, type=hints[parameter.name], required=required)


def _check_context(hints: Mapping[str, Any], key: str) -> None:
    form = hints.get("ctx", StepContext)
    if form is not StepContext and get_origin(form) is not StepContext:
        raise _wrong(key, f"`ctx` must be a `StepContext[...]`, not {show(form)}")


def _check_returned(returned: Any, declaration: _Declaration) -> None:
    writes = {**declaration.produces, **declaration.appends}
    if returned is Any:
        return
    if len(writes) > 1:
        _check_named_tuple(returned, writes, declaration.key)
        return
    declared = next(iter(writes.values()), None)
    if not same(returned, declared):
        raise _wrong(declaration.key, f"it returns {show(returned)}, but declares {show(declared)}")


def _check_named_tuple(returned: Any, writes: Mapping[str, Any], key: str) -> None:
    if not (inspect.isclass(returned) and issubclass(returned, tuple) and hasattr(returned, "_fields")):
        raise _wrong(key, f"it declares several keys, so it returns a NamedTuple, not {show(returned)}")
    fields = _hints(returned, key)
    if fields.keys() != writes.keys():
        raise _wrong(key, f"it returns {', '.join(fields)}, but declares {', '.join(writes)}")
    for name, declared in writes.items():
        if not same(fields[name], declared):
            raise _wrong(key, f"it returns `{name}` as {show(fields[name])}, but declares {show(declared)}")


def _init_config(target: Callable[..., Any], key: str) -> Any:
    for name, parameter in inspect.signature(target).parameters.items():
        if name == "config":
            return _hints(target.__init__, key).get("config", Any)
        if parameter.default is inspect.Parameter.empty and parameter.kind not in (
            inspect.Parameter.VAR_POSITIONAL,
            inspect.Parameter.VAR_KEYWORD,
        ):
            raise _wrong(key, f"`__init__` may need `config` only, not `{name}`")
    return None


def _config_model(made_with: Any, run_with: Any, key: str) -> type[BaseModel] | None:
    if made_with is not None and run_with is not None and made_with is not run_with:
        raise _wrong(key, "`__init__` and `run` must take the same `config`")
    model = made_with if made_with is not None else run_with
    if model is None:
        return None
    if not (inspect.isclass(model) and issubclass(model, BaseModel)):
        raise _wrong(key, f"`config` must be a pydantic model, not {show(model)}")
    if model.model_config.get("extra") != "forbid":
        raise _wrong(key, f"`{model.__name__}` must forbid unknown keys: ConfigDict(extra='forbid')")
    return model
