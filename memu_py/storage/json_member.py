"""Looking into JSON columns: a member of an object by its name, a member of a list.

Names are bound values, never part of a path, so that a name may hold dots and quotes. Types are kept apart:
`1`, `true` and `"1"` are three values.
"""

from collections.abc import Callable, Collection
from typing import Any

from sqlalchemy import ColumnElement, Select, TableValuedAlias, and_, exists, literal, select

from memu_py.storage.dialect import members_of
from memu_py.storage.plain import canonical_json

NUMBERS = ("integer", "real")
Test = Callable[[TableValuedAlias], ColumnElement[bool]]


def members(column: ColumnElement[Any]) -> TableValuedAlias:
    """Return the members of a JSON object or list as rows of `key`, `value`, `type`."""
    return members_of(column).table_valued("key", "value", "type")


def listed(texts: Collection[str]) -> Select[tuple[str]]:
    """Return texts as a selection to be IN: one bound value, however many there are."""
    return select(members(literal(canonical_json(sorted(texts)))).c.value)


def has_member(column: ColumnElement[Any], name: str, test: Test) -> ColumnElement[bool]:
    """Return the condition that an object has a member with this name that passes a test."""
    each = members(column)
    return exists(select(literal(1)).select_from(each).where(each.c.key == name, test(each)))


def has_element(column: ColumnElement[Any], test: Test) -> ColumnElement[bool]:
    """Return the condition that a list has an element that passes a test."""
    each = members(column)
    return exists(select(literal(1)).select_from(each).where(test(each)))


def json_text_equals(column: ColumnElement[Any], name: str, value: str) -> ColumnElement[bool]:
    """Return the condition that an object's member is this text."""
    return has_member(column, name, lambda each: and_(each.c.type == "text", each.c.value == value))
