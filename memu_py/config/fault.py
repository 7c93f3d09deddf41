"""What is wrong with a configuration, in one report: where, which key, what, and what was perhaps meant."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from memu_py.config.environment import Malformed, Unresolved
from memu_py.errors import ConfigError
from memu_py.marked_yaml import Document, Mark
from memu_py.nearest import unknown

SHOWN_CHARS = 40

Path = tuple[str | int, ...]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        mark: where.
        path: of the value.
        message: what.
    """

    mark: Mark
    path: Path
    message: str

    def __str__(self) -> str:
        label = path_text(self.path)
        return f"{self.mark}: {label}: {self.message}" if label else f"{self.mark}: {self.message}"


def path_text(path: Path) -> str:
    """Write a path as people do.

    >>> path_text(("workflows", "memorize", "steps", 0))
    'workflows.memorize.steps[0]'
    """
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def config_error(faults: Sequence[Fault]) -> ConfigError:
    """Return one error for all faults, in the order of the file."""
    ordered = sorted(faults, key=lambda fault: (fault.mark.line, fault.mark.column))
    if len(ordered) == 1:
        return ConfigError(str(ordered[0]))
    lines = "\n".join(f"  {fault}" for fault in ordered)
    return ConfigError(f"{ordered[0].mark.file} has {len(ordered)} faults:\n{lines}")


def faults_of(error: ValidationError, model: type[BaseModel], document: Document) -> list[Fault]:
    """Return the faults that pydantic found.

    Args:
        error: of the validation.
        model: what was to be made.
        document: what was validated.
    """
    return [_fault(detail, model, document) for detail in error.errors(include_url=False)]


def _fault(detail: ErrorDetails, model: type[BaseModel], document: Document) -> Fault:
    path = tuple(step for step in detail["loc"] if step != "[key]")
    at_key = detail["type"] == "extra_forbidden"
    mark = document.key_mark(path) if at_key else document.mark(path)
    message = _message(detail, path, model)
    return Fault(
        mark=mark, path=path[:-1] if at_key or detail["type"] == "missing" else path, message=message
    )


_WANTED = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "float_parsing": "a number",
    "float_type": "a number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "model_type": "a mapping",
    "path_type": "a path",
    "string_type": "text",
    "tuple_type": "a list",
}
"""What was wanted, by pydantic's name of the fault."""

_BOUNDS = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}
_KINDS = {"str": "text", "list": "a list", "dict": "a mapping", "NoneType": "nothing"}


def _message(detail: ErrorDetails, path: Path, model: type[BaseModel]) -> str:
    given, kind = detail["input"], detail["type"]
    if isinstance(given, Unresolved | Malformed):
        return given.message
    if kind in _WANTED:
        return f"must be {_WANTED[kind]}, not {_kind(given)}"
    if kind in _BOUNDS:
        bound, words = _BOUNDS[kind]
        return f"must be {words} {detail['ctx'][bound]}, not {given}"
    match kind:
        case "extra_forbidden":
            return unknown("key", str(path[-1]), known_keys(model, path[:-1]))
        case "missing":
            return f"`{path[-1]}` is needed"
        case "literal_error":
            return unknown("choice", str(given)[:SHOWN_CHARS], _choices(model, path))
        case "value_error":
            return str(detail["ctx"]["error"])
    return detail["msg"]


def _kind(value: Any) -> str:
    name = type(value).__name__
    return _KINDS.get(name, f"`{value}`" if isinstance(value, int | float) else name)


def known_keys(model: type[BaseModel], path: Iterable[str | int]) -> list[str]:
    """Return the keys that the section at a path knows.

    Args:
        model: of the top.
        path: of the section.
    """
    section = _inside(model, path)
    return list(section.model_fields) if isinstance(section, type) and issubclass(section, BaseModel) else []


def _choices(model: type[BaseModel], path: Path) -> list[str]:
    return [str(choice) for choice in get_args(_inside(model, path))]


def _inside(model: type[BaseModel], path: Iterable[str | int]) -> Any:
    found: Any = model
    for step in path:
        if isinstance(found, type) and issubclass(found, BaseModel):
            field = found.model_fields.get(str(step))
            found = field.annotation if field else None
        elif get_origin(found) in (dict, Mapping):
            found = get_args(found)[1]
        else:
            found = next(iter(get_args(found)), None)
        found = _without_none(found)
    return found


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) not in (Union, UnionType):
        return annotation
    return next(part for part in get_args(annotation) if part is not type(None))
