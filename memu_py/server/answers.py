"""Models of what goes out, made of the records; they stand in the interface's description."""

import dataclasses
import functools
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, create_model

from memu_py.records.category import Category
from memu_py.records.item import Item
from memu_py.records.plain import forms_of, plain, public_fields
from memu_py.records.resource import Resource
from memu_py.records.scope import Scope
from memu_py.records.span import TimeSpan

_THEN = datetime(2026, 6, 1, 12, tzinfo=UTC)
_SHARED: dict[str, Any] = {"scope": Scope(user="ann"), "created_at": _THEN, "updated_at": _THEN}
_EXAMPLES: Mapping[Any, Any] = {
    Item: Item(
        id="0197292b-5a80-7c52-8e0a-3d7c5d2f1a10",
        type="event",
        text="I moved to Lisbon in May 2023.",
        speaker="user",
        happened=TimeSpan(
            start=datetime(2023, 5, 1, tzinfo=UTC),
            until=datetime(2023, 6, 1, tzinfo=UTC),
            precision="range",
            words="in May 2023",
        ),
        entities=("Lisbon",),
        identity="",
        **_SHARED,
    ),
    Category: Category(id="0197292b-5a81-7fd0-a2a5-6d0a4f4f8e0b", name="places", item_count=1, **_SHARED),
    Resource: Resource(
        id="0197292b-5a7f-7d3b-b0a4-1a2b3c4d5e6f",
        modality="conversation",
        content_hash="5f1d…",
        blob="5f/1d…",
        size=62,
        media_type="application/json",
        title="I moved to Lisbon in May 2023.",
        segment_count=1,
        **_SHARED,
    ),
}
"""Examples of records, as records."""


class ScopeModel(BaseModel):
    """Whose memory it is, by those of its keys that are named."""

    model_config = ConfigDict(title="Scope")

    user: str | None = Field(default=None, description="the person remembered for")
    agent: str | None = Field(default=None, description="the agent that wrote or owns it")
    session: str | None = Field(default=None, description="the session that it belongs to")
    custom: dict[str, str] | None = Field(default=None, description="declared custom keys")


def answer_form(form: Any) -> Any:
    """Return a type as it looks in JSON: records as models, tuples as lists.

    Args:
        form: the type of what a method gives.
    """
    origin, parts = get_origin(form), get_args(form)
    if form is Scope:
        return ScopeModel
    if form is float:
        # NaN is null in JSON.
        return float | None
    if origin in (Union, UnionType):
        return Union[tuple(answer_form(part) for part in parts)]  # noqa: UP007 - of parts that are known at run time
    if origin in (tuple, list, Sequence):
        return list[answer_form(parts[0])]  # type: ignore[misc] # a type that is known at run time
    if origin in (dict, Mapping):
        return dict[str, answer_form(parts[1])]  # type: ignore[misc] # the same
    if dataclasses.is_dataclass(origin or form):
        return answer_model(origin or form, parts)
    return form


@functools.cache
def answer_model(kind: Any, parts: tuple[Any, ...] = ()) -> type[BaseModel]:
    """Return the model of a record.

    Args:
        kind: its class.
        parts: what stands for its type variables.
    """
    about = attributes_of(kind)
    forms = forms_of(kind, parts)
    fields: dict[str, Any] = {
        one.name: (
            answer_form(forms[one.name]),
            # All of them are always there.
            Field(default=..., description=about.get(one.name)),
        )
        for one in public_fields(kind)
    }
    name = "".join(part.__name__ for part in parts) + kind.__name__
    sentence = (kind.__doc__ or "").strip().partition("\n")[0]
    model: type[BaseModel] = create_model(name, __doc__=sentence, **fields)
    return model


def examples() -> dict[str, Any]:
    """Return examples of records, by the names of their models."""
    return {kind.__name__: plain(record) for kind, record in _EXAMPLES.items()}


@functools.cache
def attributes_of(kind: Any) -> Mapping[str, str]:
    """Return what the docstrings of a record's class, and of those that it stands on, say of its attributes."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        name = ""
        for line in (base.__doc__ or "").partition("Attributes:")[2].splitlines():
            if match := re.match(r"^ {8}(\w+): (.*)$", line):
                name = match[1]
                found[name] = match[2]
            elif name and line.strip():
                found[name] += " " + line.strip()
    return found
