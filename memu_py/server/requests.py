"""Models of what comes in, made of the service's own methods."""

import base64
import binascii
import functools
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, Json, PlainValidator, WithJsonSchema, create_model

from memu_py.service.fields import CategoryFields, ItemChanges, NewItemFields, ResourceFields
from memu_py.wire.arguments import Argument, arguments_of
from memu_py.wire.operations import WAIT_S, Operation


def _bytes(value: Any) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError, TypeError) as error:
        msg = "this is no base64"
        raise ValueError(msg) from error


def _needed_bytes(value: Any) -> bytes:
    found = _bytes(value)
    if found is None:
        msg = "this is no base64"
        raise ValueError(msg)
    return found


Base64 = Annotated[
    bytes | None,
    PlainValidator(_bytes),
    WithJsonSchema({"anyOf": [{"type": "string", "contentEncoding": "base64"}, {"type": "null"}]}),
]
Base64Bytes = Annotated[
    bytes, PlainValidator(_needed_bytes), WithJsonSchema({"type": "string", "contentEncoding": "base64"})
]
Data = dict[str, Any]
Seconds = Annotated[float, Field(ge=0, le=WAIT_S)]

FORMS: Mapping[tuple[str, str], Any] = {
    ("memorize", "data"): Base64,
    ("upload_user", "data"): Base64Bytes,
    ("create_item", "item"): str | NewItemFields,
    ("create_items", "items"): list[str | NewItemFields],
    ("create_items", "vectors"): list[list[float]] | None,
    ("update_item", "changes"): ItemChanges,
    ("update_category", "changes"): CategoryFields,
    ("update_resource", "changes"): ResourceFields,
    ("feedback", "item"): str,
    ("jobs.wait", "timeout_s"): Seconds,
}
"""Types of arguments that are others over HTTP than in Python, by operation and name."""

DEFAULTS: Mapping[tuple[str, str], Any] = {("jobs.wait", "timeout_s"): WAIT_S}
"""The same for defaults."""


class BodyModel(BaseModel):
    """Arguments in a body of JSON, whose types are meant as they are written."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class QueryModel(BaseModel):
    """Arguments in a query, which are texts."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


@functools.cache
def request_model(operation: Operation) -> type[BaseModel]:
    """Return the model of an operation's arguments, without those in its path."""
    wanted = [one for one in arguments_of(operation.call) if one.name not in operation.in_path]
    fields: dict[str, Any] = {one.name: _field(operation, one) for one in wanted}
    base = BodyModel if operation.has_body else QueryModel
    name = f"{camel(operation.id)}{'Body' if operation.has_body else 'Query'}"
    model = create_model(name, __base__=base, __doc__=f"What `{operation.id}` is called with.", **fields)
    if operation.example:
        model.model_config["json_schema_extra"] = {"examples": [dict(operation.example)]}
        model.model_rebuild(force=True)
    return model


def _field(operation: Operation, argument: Argument) -> tuple[Any, Any]:
    key = (operation.id, argument.name)
    form = FORMS.get(key, argument.form)
    if not operation.has_body and key not in FORMS:
        form = _in_query(argument)
    default = ... if argument.needed else DEFAULTS.get(key, argument.default)
    return form, Field(default=default, description=argument.about)


def _in_query(argument: Argument) -> Any:
    """Return the type of an argument in a query: ids are texts there, and mappings are JSON."""
    if argument.name in ("where", "custom"):
        return Json[Data] | None
    if argument.name == "types":
        return Json[list[str]] | None
    return str | None if argument.name in ("user", "agent", "session") else argument.form


def camel(name: str) -> str:
    """Write a name as a class's.

    >>> camel("jobs.list_all")
    'JobsListAll'
    """
    return "".join(part.capitalize() for part in name.replace(".", "_").split("_"))
