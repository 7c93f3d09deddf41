"""Pages by keyset: a page begins after the last record of the one before, wherever that stands by now.

A cursor is bound to its question. Records without a value in the field that sorts come last, in either
direction.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, Select, and_, or_

from memu_py.errors import InvalidFilter, InvalidInput
from memu_py.nearest import unknown
from memu_py.records.page import MAX_PAGE, Query
from memu_py.storage.fields import SORTABLE, Fields
from memu_py.storage.filters import MAX_INTEGER, comparable
from memu_py.storage.plain import canonical_json, clean_text

CURSOR_VERSION = 1
_VALUES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "number": (int, float),
    "flag": (int,),
    "time": (int,),
}


class Keyset:
    """The order of one query, and the place in it where a page begins.

    Raises:
        InvalidInput: the limit is outside 1 to 1000.
        InvalidFilter: there is no such field to sort by, or the cursor is of another query.
    """

    def __init__(self, query: Query, fields: Fields, *, kind: str) -> None:
        if not 1 <= query.limit <= MAX_PAGE:
            msg = f"limit is 1 to {MAX_PAGE}, not {query.limit}"
            raise InvalidInput(msg)
        known = [name for name, field in fields.items() if field.kind in SORTABLE]
        if query.order not in known:
            raise InvalidFilter(unknown("field to order by", query.order, known))
        self._field = fields[query.order]
        self._key = comparable(self._field)
        self._id = fields["id"].column
        self._nullable = bool(getattr(self._field.column, "nullable", False))
        self._descending = query.descending
        self._limit = query.limit
        self._question = _fingerprint(query, kind)
        self._start = None if query.cursor is None else self._read(query.cursor)

    def apply(self, statement: Select[Any]) -> Select[Any]:
        """Return the statement with its order, its start and one row more than a page."""
        if self._start is not None:
            statement = statement.where(self._after(*self._start))
        # An order that an index has, where it can be: no nulls to sort last, and the id not twice.
        order = [self._key.is_(None)] if self._nullable else []
        order += [self._directed(column) for column in dict.fromkeys((self._key, self._id))]
        return statement.add_columns(self._key.label("page_key")).order_by(*order).limit(self._limit + 1)

    def _directed(self, column: Any) -> Any:
        return column.desc() if self._descending else column.asc()

    def _after(self, value: Any, last_id: str) -> ColumnElement[bool]:
        behind = self._beyond(self._id, last_id)
        if self._key is self._id:
            return behind
        if value is None:
            return and_(self._key.is_(None), behind)
        later = or_(self._beyond(self._key, value), and_(self._key == value, behind))
        return or_(self._key.is_(None), later) if self._nullable else later

    def _beyond(self, column: Any, value: Any) -> ColumnElement[bool]:
        beyond: ColumnElement[bool] = column < value if self._descending else column > value
        return beyond

    def cursor(self, row: RowMapping) -> str:
        """Return the cursor for what comes after a row."""
        text = json.dumps([CURSOR_VERSION, self._question, row["page_key"], row["id"]])
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    def _read(self, cursor: str) -> tuple[Any, str]:
        try:
            padded = cursor + "=" * (-len(cursor) % 4)
            parts = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
            version, question, value, last_id = parts
        except (ValueError, TypeError, RecursionError) as error:
            msg = "the cursor is damaged; pass `next_cursor` of the page before as it is"
            raise InvalidFilter(msg) from error
        if (version, question) != (CURSOR_VERSION, self._question) or not self._fits(value, last_id):
            msg = "the cursor belongs to another query: filter, order and direction must stay the same"
            raise InvalidFilter(msg)
        return value, last_id

    def _fits(self, value: Any, last_id: Any) -> bool:
        if not isinstance(last_id, str) or last_id != clean_text(last_id):
            return False
        if isinstance(value, str) and value != clean_text(value):
            return False
        small = not isinstance(value, int) or abs(value) <= MAX_INTEGER
        return small and (value is None or isinstance(value, _VALUES[self._field.kind]))


def _fingerprint(query: Query, kind: str) -> str:
    asked = [kind, query.order, query.descending, query.live, query.archived, _canonical(query.where)]
    return hashlib.blake2b(canonical_json(asked).encode(errors="replace"), digest_size=8).hexdigest()


def _canonical(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _canonical(part) for key, part in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    if isinstance(value, list | tuple):
        return [_canonical(part) for part in value]
    return repr(value)
