"""Records as plain data, for `--json`."""

import dataclasses
import math
from collections.abc import Mapping
from datetime import date
from typing import Any

from memu_py.records.scope import Scope


def plain(value: Any) -> Any:
    """Return a record as JSON data: times in ISO form, scopes by their named keys, NaN as null, no hashes.

    Args:
        value: a record, or a collection of records and plain values.
    """
    if isinstance(value, Scope):
        return {name: plain(part) for name, part in _fields(value).items() if part}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: plain(part) for name, part in _fields(value).items() if name != "identity"}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def _fields(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
