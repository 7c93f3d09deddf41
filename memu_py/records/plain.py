"""Records as plain data, for whoever is no Python program; and back."""

import base64
import dataclasses
import functools
import math
import typing
from collections.abc import Mapping
from datetime import date, datetime
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

from memu_py.errors import InvalidInput
from memu_py.records.scope import Scope


def plain(value: Any) -> Any:
    """Return a record as JSON data: times in ISO form, scopes by their named keys, bytes as base64, NaN as null.

    Private fields are left out, such as hashes.

    Args:
        value: a record, or a collection of records and plain values.
    """
    if isinstance(value, Scope):
        named = {name: part for name, part in _told(value).items() if part}
        return {**named, "custom": dict(value.custom)} if value.custom else named
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: plain(part) for name, part in _told(value).items()}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def _told(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in public_fields(type(record))}


def public_fields(kind: Any) -> list[dataclasses.Field[Any]]:
    """Return the fields of a record's class that are told to others."""
    return [field for field in dataclasses.fields(kind) if not field.metadata.get("private")]


def is_needed(field: dataclasses.Field[Any]) -> bool:
    """Tell whether a record cannot be made without a field."""
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def restored(form: Any, data: Any) -> Any:
    """Return what `plain` was made of: all but private fields, which are empty then.

    Args:
        form: the type, such as `Page[Item]`; of a union, the first record whose fields these are.
        data: JSON data.

    Raises:
        InvalidInput: the data are not of that form.
    """
    try:
        return _restored(form, data)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        msg = f"this is no {getattr(form, '__name__', form)}: {error}"
        raise InvalidInput(msg) from error


def _restored(form: Any, data: Any) -> Any:
    origin, parts = get_origin(form), get_args(form)
    if origin in (Union, UnionType):
        return _one_of(parts, data)
    if origin in (tuple, list):
        found = [_restored(parts[0], part) for part in data]
        return found if origin is list else tuple(found)
    if form in (date, datetime):
        return form.fromisoformat(data)
    if form is bytes:
        return base64.b64decode(data)
    if form is Scope:
        return Scope.of(**data)
    kind = origin or form
    if dataclasses.is_dataclass(kind):
        return _record(kind, tuple(parts), data)
    return math.nan if form is float and data is None else data


def _one_of(forms: tuple[Any, ...], data: Any) -> Any:
    if data is None and NoneType in forms:
        return None
    kinds = [form for form in forms if form is not NoneType]
    for form in kinds:
        kind = get_origin(form) or form
        if not dataclasses.is_dataclass(kind) or (isinstance(data, Mapping) and _needed(kind) <= data.keys()):
            return _restored(form, data)
    msg = f"none of {', '.join(str(form) for form in kinds)}"
    raise TypeError(msg)


def _needed(kind: Any) -> set[str]:
    return {field.name for field in public_fields(kind) if is_needed(field)}


def _record(kind: Any, parts: tuple[Any, ...], data: Mapping[str, Any]) -> Any:
    forms = forms_of(kind, parts)
    given = {name: _restored(forms[name], data[name]) for name in forms if name in data}
    public = public_fields(kind)
    untold = {one.name: "" for one in dataclasses.fields(kind) if is_needed(one) and one not in public}
    return kind(**untold, **given)


@functools.lru_cache(maxsize=256)
def forms_of(kind: Any, parts: tuple[Any, ...] = ()) -> Mapping[str, Any]:
    """Return the types of a record's fields by name.

    Args:
        kind: the record's class.
        parts: what stands for its type variables, in order.
    """
    hints = typing.get_type_hints(kind)
    bound = dict(zip(getattr(kind, "__parameters__", ()), parts, strict=False))
    return {field.name: _bound(hints[field.name], bound) for field in dataclasses.fields(kind)}


def _bound(form: Any, bound: Mapping[Any, Any]) -> Any:
    if isinstance(form, TypeVar):
        return bound.get(form, Any)
    free = tuple(getattr(form, "__parameters__", ()))
    return form[tuple(bound.get(one, Any) for one in free)] if free and bound else form
