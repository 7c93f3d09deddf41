"""Lists in a schema whose records stand for themselves: one that does not fit is left out and counted.

::

    class Facts(BaseModel):
        facts: Annotated[list[Fact], SIFTED]
"""

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

MAX_FAULTS = 5
"""Reasons that are kept of one reading."""

SHOWN_CHARS = 80


@dataclasses.dataclass(frozen=True, slots=True)
class Sifted:
    """Marks a list field, by `Annotated`: what does not fit is dropped, and the rest stays."""


SIFTED = Sifted()


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What a schema made of an answer.

    Attributes:
        value: what was read; None when it does not fit.
        kept: records of sifted lists.
        dropped: records of sifted lists that did not fit, or were cut off.
        faults: what did not fit, the first few.
    """

    value: BaseModel | None = None
    kept: int = 0
    dropped: int = 0
    faults: tuple[str, ...] = ()

    @property
    def rank(self) -> tuple[bool, int]:
        """What makes one reading better than another: it fits, and holds more."""
        return self.value is not None, self.kept


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SiftedList:
    """A sifted field of a schema.

    Attributes:
        key: its name in JSON.
        record: checks one record.
    """

    key: str
    record: TypeAdapter[Any]

    def faults(self, record: Any) -> tuple[str, ...]:
        """Return what does not fit in a record; nothing when it does."""
        try:
            self.record.validate_python(record)
        except ValidationError as error:
            return faults_of(error)
        return ()


@functools.lru_cache(maxsize=256)
def sifted_lists(schema: type[BaseModel]) -> tuple[SiftedList, ...]:
    """Return the sifted fields of a schema, in order.

    Raises:
        TypeError: a sifted field is no list.
    """
    return tuple(
        _sifted(schema, name, field)
        for name, field in schema.model_fields.items()
        if any(isinstance(mark, Sifted) for mark in field.metadata)
    )


def _sifted(schema: type[BaseModel], name: str, field: FieldInfo) -> SiftedList:
    arguments = get_args(field.annotation)
    if not arguments:
        msg = f"{schema.__name__}.{name} is sifted, and no list of something"
        raise TypeError(msg)
    return SiftedList(key=field.alias or name, record=TypeAdapter(arguments[0]))


def sift(schema: type[BaseModel], data: Any, *, wrap: bool = True) -> Reading:
    """Read data by a schema, without the records of its sifted lists that do not fit.

    Args:
        schema: what the data should be.
        data: as parsed.
        wrap: whether a bare list, a bare record, or an object around the real one may stand for the whole.
    """
    reading = _sift(schema, data)
    if reading.value is not None or not wrap:
        return reading
    readings = [reading, *(_sift(schema, other) for other in _wrapped(schema, data))]
    return max(readings, key=lambda one: one.rank)


def _wrapped(schema: type[BaseModel], data: Any) -> list[Any]:
    lists = sifted_lists(schema)
    others: list[Any] = []
    if len(lists) == 1:
        key = lists[0].key
        if isinstance(data, list):
            others.append({key: data})
        elif isinstance(data, dict) and not lists[0].faults(data):
            others.append({key: [data]})
    if isinstance(data, dict) and len(data) == 1:
        others += data.values()
    return others


def _sift(schema: type[BaseModel], data: Any) -> Reading:
    if not isinstance(data, dict):
        return Reading(faults=(f"an object is needed, not {_shown(data)}",))
    known = {field.alias or name for name, field in schema.model_fields.items()}
    if known and not known & data.keys():
        return Reading(faults=(f"none of the keys {', '.join(sorted(known))} is there",))
    kept, dropped = 0, 0
    faults: list[str] = []
    sifted = dict(data)
    for one in sifted_lists(schema):
        # A list that is missing may mean nothing, or a failure: it must be there, be it empty.
        if not isinstance(data.get(one.key), list):
            return Reading(faults=(f"`{one.key}` must be a list",))
        fits = [record for record in data[one.key] if not _note(one, record, faults)]
        kept, dropped = kept + len(fits), dropped + len(data[one.key]) - len(fits)
        sifted[one.key] = fits
    return settle(schema, sifted, kept=kept, dropped=dropped, faults=faults)


def _note(one: SiftedList, record: Any, faults: list[str]) -> bool:
    found = one.faults(record)
    faults += (f"{one.key}: {fault}" for fault in found)
    return bool(found)


def settle(
    schema: type[BaseModel], data: Mapping[str, Any], *, kept: int, dropped: int, faults: Sequence[str]
) -> Reading:
    """Return the reading of data whose lists are sifted.

    Args:
        schema: what the data should be.
        data: with records that fit only.
        kept: how many of these there are.
        dropped: how many there were beside them.
        faults: of those.
    """
    lost = tuple(faults[:MAX_FAULTS])
    if dropped and not kept:
        return Reading(dropped=dropped, faults=lost or ("no record is whole",))
    try:
        value = schema.model_validate(data)
    except ValidationError as error:
        return Reading(faults=(*faults_of(error), *lost)[:MAX_FAULTS])
    return Reading(value=value, kept=kept, dropped=dropped, faults=lost)


def faults_of(error: ValidationError) -> tuple[str, ...]:
    """Return what does not fit, one line each, without links and with little of the input."""
    return tuple(
        f"{'.'.join(map(str, detail['loc'])) or 'answer'}: {detail['msg']}, not {_shown(detail['input'])}"
        for detail in error.errors(include_url=False, include_context=False)[:MAX_FAULTS]
    )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"
