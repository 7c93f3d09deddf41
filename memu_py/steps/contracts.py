"""What the runs of the two workflows start from, and what they must have given at their end."""

from collections.abc import Mapping
from typing import Any

from memu_py.records.batch import Committed
from memu_py.records.category import Category
from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.outcome import Outcome
from memu_py.records.passage import Passage
from memu_py.records.request import MemorizeRequest, RetrieveRequest
from memu_py.records.resource import Resource
from memu_py.records.scope import Scope

MEMORIZE_INPUTS: Mapping[str, Any] = {"request": MemorizeRequest, "scope": Scope}
MEMORIZE_OUTPUTS: Mapping[str, Any] = {
    "committed": Committed,
    "unchanged": bool,
    "report": list[Outcome],
    "touched": list[Category],
}

RETRIEVE_INPUTS: Mapping[str, Any] = {"request": RetrieveRequest, "scope": Scope}
RETRIEVE_OUTPUTS: Mapping[str, Any] = {
    "found_items": list[Hit[Item]],
    "found_categories": list[Hit[Category]],
    "found_resources": list[Hit[Resource]],
    "found_passages": list[Passage],
    "context": str,
}
