"""Filters as SQL conditions.

Every condition is true or false, never unknown: `ne` and `not` match records that lack the field. Values are
bound, so that `%`, `_` and quotes are themselves. Times may be written as times, dates (their midnight) or
ISO 8601 text, in UTC when they name no zone. On a list, `eq` and `contains` look for a member (case is
folded), `in` for one of several.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, and_, false, literal, not_, or_, true, type_coerce

from memu_py.errors import InvalidFilter
from memu_py.records.filter import Combination, Condition, Filter, parse_filter
from memu_py.records.page import Where
from memu_py.storage.columns import AnyNumber
from memu_py.storage.dialect import by_code, flag_number, has_part, number_of
from memu_py.storage.fields import Field, Fields
from memu_py.storage.functions import as_micros, folded
from memu_py.storage.json_member import NUMBERS, Test, has_element, has_member
from memu_py.storage.plain import clean_text, to_micros

MAX_CONDITIONS = 500
"""Conditions in one filter; databases limit how deep an expression may be."""
MAX_VALUES = 10_000
"""Values in one `in` or `nin`; databases limit how many values a statement may bind."""
MAX_INTEGER = 2**63 - 1

_NEGATED = {"ne": "eq", "nin": "in"}
_ORDERS: dict[str, Callable[[Any, Any], Any]] = {
    "gt": lambda column, value: column > value,
    "gte": lambda column, value: column >= value,
    "lt": lambda column, value: column < value,
    "lte": lambda column, value: column <= value,
}


def compile_filter(where: Where | None, fields: Fields) -> ColumnElement[bool]:
    """Turn a filter into a condition.

    Args:
        where: as a person writes it; None matches everything.
        fields: of the kind of record.

    Raises:
        InvalidFilter: a field, an operator or a value is not usable.
    """
    if where is None:
        return true()
    tree = parse_filter(where, fields=tuple(fields))
    if _size(tree) > MAX_CONDITIONS:
        msg = f"a filter has at most {MAX_CONDITIONS} conditions; use `in` for many values of one field"
        raise InvalidFilter(msg)
    return _compile(tree, fields)


def _size(node: Filter) -> int:
    return 1 if isinstance(node, Condition) else 1 + sum(map(_size, node.parts))


def _compile(node: Filter, fields: Fields) -> ColumnElement[bool]:
    if isinstance(node, Condition):
        return _condition(node, fields[node.field])
    return _combined(node, [_compile(part, fields) for part in node.parts])


def _combined(node: Combination, parts: Sequence[ColumnElement[bool]]) -> ColumnElement[bool]:
    if node.how == "or":
        return or_(false(), *parts)
    together = and_(true(), *parts)
    return not_(together) if node.how == "not" else together


def _condition(node: Condition, field: Field) -> ColumnElement[bool]:
    if node.op in _NEGATED:
        return not_(_condition(node.evolve(op=_NEGATED[node.op]), field))
    if node.op == "exists":
        return _exists(node, field) if node.value else not_(_exists(node, field))
    if node.op == "eq":
        return _equals(node, field, (node.value,))
    if node.op == "in":
        return _equals(node, field, node.value)
    if node.op == "contains":
        return _contains(node, field)
    return _compares(node, field)


def _exists(node: Condition, field: Field) -> ColumnElement[bool]:
    if field.kind == "json":
        return has_member(field.column, _key(node), lambda each: each.c.type != "null")
    if field.kind == "list":
        return has_element(field.column, lambda _: true())
    if field.among is not None:
        return field.among(lambda _: true())
    return _present(field.column)


def _present(column: Any) -> ColumnElement[bool]:
    present: ColumnElement[bool] = column.is_not(None)
    return present


def _equals(node: Condition, field: Field, values: Sequence[Any]) -> ColumnElement[bool]:
    if len(values) > MAX_VALUES:
        msg = f"`{_name(node)}`: `{node.op}` takes at most {MAX_VALUES} values"
        raise InvalidFilter(msg)
    missing = [not_(_exists(node, field))] if None in values else []
    some = [value for value in values if value is not None]
    return or_(false(), *missing, *([_equals_some(node, field, some)] if some else []))


def _equals_some(node: Condition, field: Field, values: Sequence[Any]) -> ColumnElement[bool]:
    if field.kind == "json":
        return has_member(field.column, _key(node), _json_equals(values))
    if field.kind == "list":
        wanted = [folded(literal(_text(node, value))) for value in values]
        return has_element(field.column, lambda each: folded(each.c.value).in_(wanted))
    if field.among is not None:
        ids = [_text(node, value) for value in values]
        return field.among(lambda column: column.in_(ids))
    column = comparable(field)
    return and_(_present(column), column.in_([_CONVERT[field.kind](node, value) for value in values]))


def _compares(node: Condition, field: Field) -> ColumnElement[bool]:
    order = _ORDERS[node.op]
    if isinstance(node.value, bool) or field.kind not in _ORDERED:
        msg = f"`{_name(node)}` has no order: `{node.op}` compares text, numbers and times"
        raise InvalidFilter(msg)
    if field.kind == "json":
        return has_member(field.column, _key(node), _json_compares(node, order))
    column = comparable(field)
    return and_(_present(column), order(column, _CONVERT[field.kind](node, node.value)))


def _contains(node: Condition, field: Field) -> ColumnElement[bool]:
    if field.kind in ("list", "member"):
        return _equals_some(node, field, (node.value,))
    if field.kind == "json":
        return has_member(field.column, _key(node), _json_contains(node.value))
    if field.kind != "text":
        msg = f"`{_name(node)}`: `contains` looks into text and lists"
        raise InvalidFilter(msg)
    return and_(_present(field.column), _has_part(field.column, _text(node, node.value)))


def _has_part(column: ColumnElement[Any], part: str) -> ColumnElement[bool]:
    return has_part(folded(column), folded(literal(part)))


def comparable(field: Field) -> Any:
    """Return the column of a field as the database compares it: times and flags as numbers, texts by their codes."""
    if field.kind == "flag":
        return flag_number(field.column)
    if field.kind == "time":
        return type_coerce(field.column, BigInteger)
    if field.kind == "text" and field.column.name != "id":
        return by_code(field.column)
    return type_coerce(field.column, AnyNumber()) if field.kind == "number" else field.column


# Values of fields


def _text(node: Condition, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(node, "text", value)
    return clean_text(value)


def _number(node: Condition, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(node, "numbers", value)
    return _bindable(value)


def _flag(node: Condition, value: Any) -> int:
    if not isinstance(value, bool):
        raise _wrong(node, "true or false", value)
    return int(value)


def _moment(node: Condition, value: Any) -> int:
    try:
        return _micros(datetime.fromisoformat(value) if isinstance(value, str) else value)
    except (TypeError, ValueError) as error:
        raise _wrong(node, "times, such as 2024-05-01 or 2024-05-01T12:30:00Z", value) from error


def _micros(value: Any) -> int:
    if isinstance(value, datetime):
        return to_micros(value if value.tzinfo else value.replace(tzinfo=UTC))
    if isinstance(value, date):
        return to_micros(datetime.combine(value, time(), UTC))
    raise TypeError


def _bindable(value: float) -> float:
    return float(value) if isinstance(value, int) and abs(value) > MAX_INTEGER else value


def _wrong(node: Condition, wanted: str, value: Any) -> InvalidFilter:
    return InvalidFilter(f"`{_name(node)}` compares with {wanted}, not {value!r}")


def _name(node: Condition) -> str:
    return f"{node.field}.{node.key}" if node.key else node.field


_CONVERT: dict[str, Callable[[Condition, Any], Any]] = {
    "text": _text,
    "number": _number,
    "flag": _flag,
    "time": _moment,
}
_ORDERED = frozenset({"text", "number", "time", "json"})


# Values of metadata, where each value brings its own type


def _key(node: Condition) -> str:
    return clean_text(str(node.key))


def _json_equals(values: Sequence[Any]) -> Test:
    texts = [clean_text(value) for value in values if isinstance(value, str)]
    flags = ["true" if value else "false" for value in values if isinstance(value, bool)]
    numbers = [_bindable(v) for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    moments = [_micros(value) for value in values if isinstance(value, date)]
    return lambda each: or_(
        false(),
        *([and_(each.c.type == "text", each.c.value.in_(texts))] if texts else []),
        *([each.c.type.in_(flags)] if flags else []),
        *([and_(each.c.type.in_(NUMBERS), _number_of(each).in_(numbers))] if numbers else []),
        *([_at(each, lambda column: column.in_(moments))] if moments else []),
    )


def _at(each: Any, test: Callable[[ColumnElement[int]], ColumnElement[bool]]) -> ColumnElement[bool]:
    moment = as_micros(each.c.value)
    return and_(each.c.type == "text", moment.is_not(None), test(moment))


def _json_compares(node: Condition, order: Callable[[Any, Any], Any]) -> Test:
    value = node.value
    if isinstance(value, str):
        text = clean_text(value)
        return lambda each: and_(each.c.type == "text", order(by_code(each.c.value), text))
    if isinstance(value, date):
        moment = _micros(value)
        return lambda each: _at(each, lambda column: order(column, moment))
    number = _bindable(value)
    return lambda each: and_(each.c.type.in_(NUMBERS), order(_number_of(each), number))


def _number_of(each: Any) -> ColumnElement[float]:
    return number_of(each.c.value, each.c.type)


def _json_contains(value: Any) -> Test:
    if not isinstance(value, str):
        return lambda each: and_(each.c.type == "array", has_element(each.c.value, _json_equals((value,))))
    part = clean_text(value)
    return lambda each: or_(
        and_(each.c.type == "text", _has_part(each.c.value, part)),
        and_(each.c.type == "array", has_element(each.c.value, _is_folded(part))),
    )


def _is_folded(text: str) -> Test:
    return lambda each: and_(each.c.type == "text", folded(each.c.value) == folded(literal(text)))
