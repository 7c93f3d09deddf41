"""What the runs of the workflows start from and must have given at their end, and what steps may lack."""

from collections.abc import Mapping
from typing import Any

from memu_py.config.settings import Settings
from memu_py.records.answer import Answer
from memu_py.records.batch import Committed
from memu_py.records.category import Category
from memu_py.records.forgotten import Maintained, MaintainRequest
from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.outcome import Outcome
from memu_py.records.passage import Passage
from memu_py.records.request import MemorizeRequest, RetrieveRequest
from memu_py.records.resource import Resource
from memu_py.records.scope import Scope
from memu_py.reranking.factory import KIND, UNSET

MEMORIZE_INPUTS: Mapping[str, Any] = {"request": MemorizeRequest, "scope": Scope}
MEMORIZE_OUTPUTS: Mapping[str, Any] = {
    "committed": Committed,
    "unchanged": bool,
    "report": list[Outcome],
    "touched": list[Category],
}

MAINTAIN_INPUTS: Mapping[str, Any] = {"request": MaintainRequest}
MAINTAIN_OUTPUTS: Mapping[str, Any] = {"maintained": Maintained}

RETRIEVE_INPUTS: Mapping[str, Any] = {"request": RetrieveRequest, "scope": Scope}
RETRIEVE_OUTPUTS: Mapping[str, Any] = {
    "found_items": list[Hit[Item]],
    "found_categories": list[Hit[Category]],
    "found_resources": list[Hit[Resource]],
    "found_passages": list[Passage],
    "context": str,
}
RETRIEVE_LLM_OUTPUTS: Mapping[str, Any] = {**RETRIEVE_OUTPUTS, "answer": Answer | None}


def lacking(settings: Settings) -> dict[str, str]:
    """Return the parts that a step may need and this configuration has not, with what to set.

    Args:
        settings: the configuration.
    """
    return {} if settings.reranker.configured else {KIND: UNSET}
