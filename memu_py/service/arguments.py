"""Arguments of calls: what is no text, number or moment where one is expected, is refused at the door."""

import functools
import inspect
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from memu_py.errors import InvalidInput

C = TypeVar("C", bound=type)

_Form = tuple[Callable[[Any], bool], str]


def _is_number(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _is_list(value: Any, kind: type = Collection) -> bool:
    return isinstance(value, kind) and not isinstance(value, str | bytes | bytearray | Mapping)


def _are_texts(value: Any) -> bool:
    return _is_list(value) and all(isinstance(one, str) for one in value)


_FORMS: Mapping[Any, _Form] = {
    type(None): (lambda value: value is None, "None"),
    str: (lambda value: isinstance(value, str), "text"),
    bool: (lambda value: isinstance(value, bool | Integral), "True or False"),
    int: (lambda value: _is_number(value, Integral), "a whole number"),
    float: (lambda value: _is_number(value, Real), "a number"),
    datetime: (lambda value: isinstance(value, datetime), "a moment such as datetime.now(UTC)"),
    date: (
        lambda value: isinstance(value, date) and not isinstance(value, datetime),
        "a day such as date(2024, 5, 1)",
    ),
    bytes: (lambda value: isinstance(value, bytes | bytearray | memoryview), "bytes"),
    Path: (lambda value: isinstance(value, PathLike), "a path"),
    Sequence[str]: (_are_texts, "a list of texts"),
    Sequence: (_is_list, "a list"),
    Iterable: (
        lambda value: _is_list(value, Iterable),
        "a list, or whatever gives one thing after the other",
    ),
    Callable: (callable, "a function"),
    Mapping: (lambda value: isinstance(value, Mapping), "a mapping"),
}


def checks_arguments(kind: C) -> C:
    """Let the calls of a class refuse arguments that are not what they are annotated to be.

    Only plain forms are looked at: texts, numbers, moments, days, bytes, paths, lists, mappings and functions. What is
    annotated otherwise is checked by what uses it.

    Args:
        kind: the class; its own public coroutine methods are wrapped.
    """
    for name, call in vars(kind).copy().items():
        if not name.startswith("_") and inspect.iscoroutinefunction(call):
            setattr(kind, name, _checking(call))
    return kind


def _checking(call: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(call)

    @functools.cache
    def forms() -> Mapping[str, tuple[_Form, ...]]:
        hints = typing.get_type_hints(call)
        named = (one.name for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD)
        found = {name: _forms_of(hints[name]) for name in named if name in hints}
        return {name: given for name, given in found.items() if given}

    @functools.wraps(call)
    async def checking(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        for name, known in forms().items():
            if name in given:
                _check(name, given[name], known)
        return await call(*args, **kwargs)

    return checking


def _forms_of(hint: Any) -> tuple[_Form, ...]:
    """Return what an annotation allows; nothing where a part of it is no plain form."""
    union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    parts = typing.get_args(hint) if union else (hint,)
    found = [_FORMS.get(part) or _FORMS.get(typing.get_origin(part)) for part in parts]
    return tuple(one for one in found if one) if all(found) else ()


def _check(name: str, value: Any, forms: tuple[_Form, ...]) -> None:
    if not any(fits(value) for fits, _ in forms):
        expected = " or ".join(called for _, called in forms if called != "None")
        msg = f"`{name}` is {expected}, not {value!r}"
        raise InvalidInput(msg)
    if isinstance(value, datetime):
        utc(name, value)


def utc(name: str, moment: datetime) -> datetime:
    """Return a moment of a call in UTC.

    Args:
        name: the argument's.
        moment: its value.

    Raises:
        InvalidInput: it has no time zone, or is outside the years 1 to 9999.
    """
    if moment.utcoffset() is None:
        msg = f"`{name}` needs a time zone"
        raise InvalidInput(msg, hint="such as datetime.now(UTC)")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        msg = f"`{name}` is outside the years 1 to 9999 in UTC: {moment.isoformat()}"
        raise InvalidInput(msg) from None
