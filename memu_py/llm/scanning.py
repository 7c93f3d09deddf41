"""Saving records one by one from an answer that is no JSON as a whole: cut off, or with a fault somewhere."""

import dataclasses
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel

from memu_py.llm.fragments import Effort, decode, loose
from memu_py.llm.sifting import Reading, SiftedList, settle, sifted_lists

ENDS_TRIED = 20
"""Closing braces at which a record with a fault may end, that are tried."""

LONGEST_MENDED = 20_000
"""Characters of a record with a fault, at most."""

_ENDING = re.compile(r"\}(?=\s*(?:,\s*\{|,?\s*\]|\}|,?\s*\Z))")
_LIST_END = re.compile(r"\]\s*(?:\}|,\s*\"|\Z)")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Region:
    """Where the records of a list may be."""

    list: SiftedList
    start: int
    end: int


@dataclasses.dataclass(kw_only=True, slots=True, eq=False)
class _Harvest:
    """What was saved from one list."""

    records: list[Any] = dataclasses.field(default_factory=list)
    dropped: int = 0
    faults: list[str] = dataclasses.field(default_factory=list)
    # Inside a broken record, whose parts are no records and are not counted again.
    broken: bool = False

    def lose(self, faults: Sequence[str]) -> None:
        if not self.broken:
            self.dropped += 1
            self.faults += faults


def scan(schema: type[BaseModel], text: str, *, whole: bool) -> Reading:
    """Save the records of sifted lists that are whole, and those with a small fault.

    Args:
        schema: has sifted lists, or nothing is found.
        text: the answer.
        whole: whether the model came to its end; what was cut off is never mended.
    """
    regions = list(_regions(schema, text))
    saved: dict[str, _Harvest] = {}
    for region in regions:
        _harvest(text, region, saved.setdefault(region.list.key, _Harvest()))
    kept = sum(len(one.records) for one in saved.values())
    if not kept:
        dropped = sum(one.dropped for one in saved.values())
        return Reading(dropped=dropped, faults=("no record is whole",) if dropped else ())
    rest = _rest(schema, text if whole else text[: regions[0].start])
    lists = {one.key: saved[one.key].records if one.key in saved else [] for one in sifted_lists(schema)}
    return settle(
        schema,
        rest | lists,
        kept=kept,
        dropped=sum(one.dropped for one in saved.values()),
        faults=[f"{key}: {fault}" for key, one in saved.items() for fault in one.faults],
    )


def _regions(schema: type[BaseModel], text: str) -> Iterator[_Region]:
    lists = {one.key: one for one in sifted_lists(schema)}
    if not lists:
        return
    names = "|".join(map(re.escape, lists))
    # Inside a string the quotes of a key would be escaped.
    found = list(re.finditer(rf"(?<!\\)[\"']({names})[\"']?\s*:\s*\[?", text))
    for place, match in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(text)
        yield _Region(list=lists[match[1]], start=match.end(), end=end)
    if not found and len(lists) == 1:
        yield _Region(list=next(iter(lists.values())), start=0, end=len(text))


def _harvest(text: str, region: _Region, harvest: _Harvest) -> None:
    effort, position = Effort(text[region.start : region.end]), region.start
    while (start := text.find("{", position, region.end)) >= 0:
        if not harvest.broken and _LIST_END.search(text, position, start):
            return
        try:
            record, position = decode(text, start)
        except json.JSONDecodeError as error:
            if not effort.spend(error.pos - start):
                harvest.lose(["the rest cannot be read"])
                return
            position = _mended(text, start, region, harvest, effort)
        else:
            _take(record, region, harvest)


def _take(record: Any, region: _Region, harvest: _Harvest) -> bool:
    faults = region.list.faults(record)
    if faults:
        harvest.lose(faults)
        return False
    harvest.records.append(record)
    harvest.broken = False
    return True


def _mended(text: str, start: int, region: _Region, harvest: _Harvest, effort: Effort) -> int:
    """Take a record with a fault, if it comes to an end; return where to go on."""
    end = min(region.end, start + LONGEST_MENDED)
    for _, ending in zip(range(ENDS_TRIED), _ENDING.finditer(text, start, end), strict=False):
        part = text[start : ending.end()]
        if not effort.spend(len(part)):
            break
        if part.count("{") != part.count("}") or part.count("[") != part.count("]"):
            continue
        record = loose(part)
        if isinstance(record, dict) and not region.list.faults(record):
            harvest.records.append(record)
            harvest.broken = False
            return ending.end()
        break
    effort.spend(end - start)
    harvest.lose(["a record is broken, or cut off"])
    harvest.broken = True
    return start + 1


def _rest(schema: type[BaseModel], text: str) -> dict[str, Any]:
    """Return what stands beside the lists, as far as it can be read."""
    sifted = {one.key for one in sifted_lists(schema)}
    known = {field.alias or name for name, field in schema.model_fields.items()} - sifted
    data = loose(text) if known else None
    return {key: value for key, value in data.items() if key in known} if isinstance(data, dict) else {}
