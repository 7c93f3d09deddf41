"""`where`: conditions on fields and metadata, as a small tree.

A filter is a mapping. Each key is a field of the record, `metadata.<name>`, `custom.<name>`, or one of `and`, `or`
(lists of filters) and `not` (a filter); keys side by side must all hold. A field's value is either plain, which means
equal, or a mapping of operators that must all hold:

`eq ne in nin gt gte lt lte contains exists`

`{"x": None}` means that x has no value, never "anything". `ne` and `nin` also match records that lack the field.
`contains` is a substring of a text field (case is folded) or a member of a list field.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal, get_args

from memu_py.errors import InvalidFilter
from memu_py.records.page import Where
from memu_py.records.record import Record

Operator = Literal["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "contains", "exists"]
OPERATORS: tuple[str, ...] = get_args(Operator)
MAX_DEPTH = 20


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Condition(Record):
    """One comparison.

    Attributes:
        field: a field's name, or `metadata` or `custom` with `key` set.
        key: the name inside metadata or custom.
        op: the operator.
        value: what to compare with; a tuple for `in` and `nin`.
    """

    field: str
    op: Operator
    value: Any
    key: str | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Combination(Record):
    """Several conditions together.

    Attributes:
        how: all must hold, any, or none of them (`not`).
        parts: the conditions.
    """

    how: Literal["and", "or", "not"]
    parts: "tuple[Filter, ...]"


Filter = Condition | Combination


def parse_filter(where: Where, *, fields: Sequence[str]) -> Filter:
    """Check a filter and turn it into a tree.

    Args:
        where: the filter as written.
        fields: names of fields that may be asked for; `metadata` and `custom` open their keys.

    Raises:
        InvalidFilter: an unknown field or operator, or a value of the wrong kind; names what exists.

    >>> parse_filter({"type": "event"}, fields=["type"]).parts[0].op
    'eq'
    """
    return _parse(where, tuple(fields), depth=0)


def _parse(where: Any, fields: tuple[str, ...], *, depth: int) -> Combination:
    if not isinstance(where, Mapping):
        msg = f"a filter is a mapping, not {type(where).__name__}"
        raise InvalidFilter(msg)
    if depth > MAX_DEPTH:
        msg = f"filters nest at most {MAX_DEPTH} deep"
        raise InvalidFilter(msg)
    parts: list[Filter] = []
    for key, value in where.items():
        if key in ("and", "or"):
            parts.append(_parse_list(key, value, fields, depth=depth))
        elif key == "not":
            parts.append(Combination(how="not", parts=(_parse(value, fields, depth=depth + 1),)))
        else:
            parts.extend(_parse_field(key, value, fields))
    return Combination(how="and", parts=tuple(parts))


def _parse_list(how: Literal["and", "or"], value: Any, fields: tuple[str, ...], *, depth: int) -> Combination:
    if not isinstance(value, list | tuple) or not value:
        msg = f"`{how}` takes a list of at least one filter"
        raise InvalidFilter(msg)
    return Combination(how=how, parts=tuple(_parse(part, fields, depth=depth + 1) for part in value))


def _parse_field(name: Any, value: Any, fields: tuple[str, ...]) -> list[Filter]:
    field, key = _split(name, fields)
    if not isinstance(value, Mapping):
        return [_condition(field, key, "eq", value)]
    if not value:
        msg = f"`{name}`: an empty mapping is no condition; operators are {', '.join(OPERATORS)}"
        raise InvalidFilter(msg)
    return [_condition(field, key, op, operand) for op, operand in value.items()]


def _split(name: Any, fields: tuple[str, ...]) -> tuple[str, str | None]:
    head, dot, key = str(name).partition(".")
    if head in ("metadata", "custom") and head in fields:
        if dot and key:
            return head, key
        msg = f"`{name}`: name a key, such as `{head}.color`"
        raise InvalidFilter(msg)
    if name not in fields:
        msg = f"no field `{name}`; there are {', '.join(sorted(fields))}"
        raise InvalidFilter(msg)
    return str(name), None


def _condition(field: str, key: str | None, op: Any, value: Any) -> Condition:
    label = f"{field}.{key}" if key else field
    if op not in OPERATORS:
        msg = f"`{label}`: no operator `{op}`; there are {', '.join(OPERATORS)}"
        raise InvalidFilter(msg)
    if op in ("in", "nin"):
        if not isinstance(value, list | tuple | set | frozenset):
            msg = f"`{label}`: `{op}` takes a list"
            raise InvalidFilter(msg)
        return Condition(field=field, key=key, op=op, value=tuple(_scalar(label, op, part) for part in value))
    if op == "exists":
        if not isinstance(value, bool):
            msg = f"`{label}`: `exists` takes true or false"
            raise InvalidFilter(msg)
        return Condition(field=field, key=key, op=op, value=value)
    if value is None and op not in ("eq", "ne"):
        msg = f"`{label}`: `{op}` needs a value"
        raise InvalidFilter(msg)
    return Condition(field=field, key=key, op=op, value=_scalar(label, op, value))


def _scalar(label: str, op: str, value: Any) -> Any:
    if value is None or isinstance(value, str | int | float | bool | datetime | date):
        return value
    msg = f"`{label}`: `{op}` compares with text, numbers, true/false or dates, not {type(value).__name__}"
    raise InvalidFilter(msg)
