"""From a call in Python to the arguments that are sent."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from memu_py.client.exchange import Progress, refuse
from memu_py.records.hit import Hit
from memu_py.records.ids import new_id
from memu_py.records.item import Item, ItemDraft
from memu_py.service.fields import NewItemFields
from memu_py.wire.arguments import LOCAL, arguments_of
from memu_py.wire.operations import Operation

UNSENT = ("sources", "relations", "attribution")
"""Fields of a draft that only a run may write."""


def arguments(
    operation: Operation, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[dict[str, Any], Progress | None]:
    """Return what a call names, as it is sent, and its progress callback.

    Args:
        operation: which is called.
        args: as the method of the service takes them.
        kwargs: likewise.

    Raises:
        TypeError: the method does not take these.
        InvalidInput: a value cannot be sent.
    """
    signature = inspect.signature(operation.call)
    given = dict(signature.bind(None, *args, **kwargs).arguments)
    progress = given.pop("progress", None)
    for name, parameter in signature.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            given |= given.pop(name, {})
    known = {one.name for one in arguments_of(operation.call)}
    for name in LOCAL:
        given.pop(name, None)
    for name in given.keys() - known:
        msg = f"{operation.id}() got an unexpected keyword argument {name!r}"
        raise TypeError(msg)
    return _sendable(operation, given), progress


def _sendable(operation: Operation, given: dict[str, Any]) -> dict[str, Any]:
    if operation.id == "memorize":
        # Sent twice, as when an answer was lost, it is one run.
        given = {**given, "run_id": given.get("run_id") or new_id()}
    if operation.id == "create_item":
        given["item"] = _item(given["item"])
    if operation.id == "create_items":
        given["items"] = [_item(one) for one in given["items"]]
    if operation.id == "feedback":
        given["item"] = _id_of(given["item"])
    if given.get("vectors") is not None:
        given["vectors"] = np.asarray(given["vectors"], dtype=np.float64).tolist()
    return given


def _item(item: Any) -> Any:
    if not isinstance(item, ItemDraft):
        return item
    for name in UNSENT:
        if getattr(item, name):
            raise refuse(name, "only what is memorized has it")
    fields = {name: getattr(item, name) for name in NewItemFields.model_fields}
    return {name: value for name, value in fields.items() if value is not None}


def _id_of(item: Any) -> Any:
    record = item.record if isinstance(item, Hit) else item
    return record.id if isinstance(record, Item) else record
