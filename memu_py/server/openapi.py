"""The description of the interface: OpenAPI 3.1, made of the operations and their models."""

from collections.abc import Mapping
from http import HTTPStatus
from types import NoneType
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.responses import JSONResponse, Response

from memu_py.records.job import Job
from memu_py.server.answers import answer_form, answer_model, examples
from memu_py.server.problems import Problem
from memu_py.server.requests import request_model
from memu_py.wire.arguments import arguments_of, result_of, sentence_of
from memu_py.wire.operations import OPERATIONS, Operation
from memu_py.wire.problem import PROBLEM_JSON

REF = "#/components/schemas/{model}"
JSON = "application/json"
SCHEME = "key"
ALWAYS = (400, 401, 402, 403, 404, 409, 410, 413, 415, 422, 429, 500, 501, 502, 503, 504)
"""Statuses that any operation may fail with: what it does may need a model, and anything the database."""

TAGS = {
    "memory": "take things in, and ask for them",
    "items": "memories by hand",
    "categories": "topics by hand",
    "resources": "what came in, whole",
    "links": "what belongs together",
    "proactive": "what comes next, what is due, whom it concerns",
    "emotions": "how somebody feels, and what about",
    "person": "what is known of somebody, and values by name",
    "conversations": "chats, message by message",
    "blocks": "small texts that stand in every prompt",
    "graph": "relations between names",
    "grants": "what agents may see and change of one another's memory",
    "jobs": "work that outlives the request",
    "rights": "all that is somebody's: taken along, given back, forgotten",
    "operation": "figures",
    "health": "for those who watch the server",
}


def described(operation: Operation) -> dict[str, Any]:
    """Return what the router is told of an operation."""
    return {
        "operation_id": operation.id,
        "tags": [operation.tag],
        "summary": sentence_of(operation.call),
        "response_class": Response if _is_raw(operation) else JSONResponse,
        "response_model": None if _is_raw(operation) else answer_form(result_of(operation.call)),
        "openapi_extra": {
            "parameters": _parameters(operation),
            "security": [{SCHEME: []}],
            **({"requestBody": _body(operation)} if operation.has_body else {}),
        },
        "responses": {**_success(operation), **_failures()},
    }


def _is_raw(operation: Operation) -> bool:
    return result_of(operation.call) in (NoneType, bytes)


def _success(operation: Operation) -> dict[int | str, dict[str, Any]]:
    if result_of(operation.call) is bytes:
        schema = {"type": "string", "format": "binary"}
        return {
            200: {"description": "The bytes.", "content": {"application/octet-stream": {"schema": schema}}}
        }
    if operation.id != "memorize":
        return {operation.status: {"description": "Done."}}
    stream = {"schema": {"type": "string", "description": "events `progress`, then `result` or `problem`"}}
    return {
        200: {"description": "Done.", "content": {"text/event-stream": stream}},
        202: {"description": "Written down as a job (`wait: false`).", "model": answer_model(Job)},
    }


def _failures() -> dict[int | str, dict[str, Any]]:
    schema = {"$ref": REF.format(model=Problem.__name__)}
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {PROBLEM_JSON: {"schema": schema}},
        }
        for status in ALWAYS
    }


def _body(operation: Operation) -> dict[str, Any]:
    model = request_model(operation)
    schema = {"$ref": REF.format(model=model.__name__)}
    content: dict[str, Any] = {JSON: {"schema": schema}}
    if operation.id == "memorize":
        file = {"type": "string", "contentMediaType": "application/octet-stream"}
        names = [one.name for one in arguments_of(operation.call) if one.name != "data"]
        form = {
            "type": "object",
            "properties": {"file": file, **{name: {"type": "string"} for name in names}},
        }
        content["multipart/form-data"] = {"schema": form}
    needed = any(field.is_required() for field in model.model_fields.values())
    return {"content": content, "required": needed}


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    named = {one.name: one.about for one in arguments_of(operation.call)}
    found = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": named[name],
            "schema": {"type": "string", "minLength": 1},
        }
        for name in operation.in_path
    ]
    if operation.has_body:
        return found
    schema = request_model(operation).model_json_schema()
    for name, one in schema.get("properties", {}).items():
        found.append(_parameter(name, one, needed=name in schema.get("required", ())))
    return found


def _parameter(name: str, schema: Mapping[str, Any], *, needed: bool) -> dict[str, Any]:
    inner = {key: value for key, value in schema.items() if key not in ("description", "title")}
    # A query cannot say null; what is left out is not given.
    options = [one for one in inner.pop("anyOf", ()) if one != {"type": "null"}]
    if options and inner.get("default", 0) is None:
        inner.pop("default")
    return {
        "name": name,
        "in": "query",
        "required": needed,
        "description": schema.get("description", ""),
        "schema": {**inner, **(options[0] if options else {})},
    }


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the description of an application."""
    found = get_openapi(
        title=app.title,
        version=app.version,
        openapi_version="3.1.0",
        summary="Memory that lasts, for AI agents.",
        routes=app.routes,
        tags=[{"name": name, "description": text} for name, text in TAGS.items()],
    )
    components = found.setdefault("components", {})
    components["schemas"] = {**components.get("schemas", {}), **_own_schemas()}
    for name, example in examples().items():
        # Put in here, since the models go through an encoder that takes nulls out.
        components["schemas"][name]["examples"] = [example]
    for unused in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(unused, None)
    bearer = {"type": "http", "scheme": "bearer", "description": "a key of `memu keys create`"}
    components["securitySchemes"] = {SCHEME: bearer}
    return found


def _own_schemas() -> dict[str, Any]:
    models: list[type[BaseModel]] = [Problem]
    models += [request_model(one) for one in OPERATIONS.values() if one.has_body]
    _, schema = models_json_schema([(model, "validation") for model in models], ref_template=REF)
    found: dict[str, Any] = schema["$defs"]
    return found
