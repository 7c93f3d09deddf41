"""A schema in the form that strict decoding takes: every object closed, every key required."""

import functools
from typing import Any

from pydantic import BaseModel

PLAIN = ("default", "title", "examples")
"""What says nothing about the form, and is refused by some servers."""


@functools.lru_cache(maxsize=256)
def response_format(schema: type[BaseModel]) -> dict[str, Any]:
    """Return the parameter `response_format` that holds an answer to a schema.

    `strict` is left out for a schema with objects of any keys, which no strict server takes.

    Args:
        schema: the form.
    """
    original = schema.model_json_schema()
    name = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in schema.__name__)[
        :64
    ]
    if _is_open(original):
        body: dict[str, Any] = {"name": name, "schema": original}
    else:
        body = {"name": name, "schema": _closed(original), "strict": True}
    return {"type": "json_schema", "json_schema": body}


def _is_open(node: Any) -> bool:
    if isinstance(node, list):
        return any(map(_is_open, node))
    if not isinstance(node, dict):
        return False
    if node.get("additionalProperties") or (node.get("type") == "object" and "properties" not in node):
        return True
    return any(_is_open(value) for value in node.values())


def _closed(node: Any) -> Any:
    if isinstance(node, list):
        return [_closed(one) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        # Strict servers take no key beside it.
        return {"$ref": node["$ref"]}
    kept = {key: value for key, value in node.items() if key not in PLAIN}
    closed = {
        key: _named(value) if key in ("properties", "$defs") else _closed(value)
        for key, value in kept.items()
    }
    if "properties" in closed:
        closed |= {"additionalProperties": False, "required": list(closed["properties"])}
    return closed


def _named(nodes: dict[str, Any]) -> dict[str, Any]:
    """Close schemas by name: the names are the user's words, and may be any."""
    return {name: _closed(node) for name, node in nodes.items()}
