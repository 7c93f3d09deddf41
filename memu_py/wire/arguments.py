"""What an operation is called with: read from the service's own method, so that nothing is said twice."""

import dataclasses
import functools
import inspect
import re
import typing
from collections.abc import Callable, Mapping
from typing import Any

from memu_py.records.record import Record
from memu_py.service.scopes import Custom, ScopeKeys

LOCAL = ("self", "service", "progress")
"""Arguments that stay on this side: a callback cannot be sent."""

SCOPE: Mapping[str, str] = {
    "user": "whose memory; a read that names a user alone sees all of that user's memory",
    "agent": "for a write, the agent that writes; for a read, narrows to it",
    "session": "for a write, the session it belongs to; for a read, narrows to it",
    "custom": "values of scope keys that the server's configuration declares",
}

COMMON: Mapping[str, str] = {
    "record_id": "an item, a category or a resource",
    "item_id": "the item",
    "category_id": "the category",
    "resource_id": "the resource",
    "source_id": "an item",
    "target_id": "a category for the kind `category`, else an item",
    "job_id": "the job",
    "name": "of the block",
    "conversation_id": "the conversation",
    "kind": "of the links",
    "direction": "links from the record, or to it",
    "where": "conditions on fields and metadata",
    "order": "a field to sort by; ids sort by the time of creation",
    "descending": "largest or newest first",
    "limit": "records a page, 1 to 1000",
    "cursor": "`next_cursor` of the page before",
}
"""What an argument means where the docstring of a method takes it for granted."""

_ENTRY = re.compile(r"^ {12}\*{0,2}(\w+): (.*)$")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Argument(Record):
    """One argument.

    Attributes:
        name: its name.
        form: its type.
        default: what it is when it is not given; `inspect.Parameter.empty` when it must be.
        about: what it means.
    """

    name: str
    form: Any
    default: Any
    about: str

    @property
    def needed(self) -> bool:
        """Whether it must be given."""
        return self.default is inspect.Parameter.empty


@functools.cache
def arguments_of(call: Callable[..., Any]) -> tuple[Argument, ...]:
    """Return the arguments of a method, the scope's among them, and without those that cannot be sent."""
    hints = typing.get_type_hints(call)
    about = described(call)
    found: list[Argument] = []
    for name, parameter in inspect.signature(call).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            scope = {**typing.get_type_hints(ScopeKeys), "custom": Custom | None}
            found += [Argument(name=key, form=scope[key], default=None, about=SCOPE[key]) for key in SCOPE]
        elif name not in LOCAL:
            text = about.get(name) or COMMON.get(name, "")
            found.append(Argument(name=name, form=hints[name], default=parameter.default, about=text))
    return tuple(found)


@functools.cache
def described(call: Callable[..., Any]) -> Mapping[str, str]:
    """Return what the docstring of a method says of its arguments."""
    found: dict[str, str] = {}
    section, name = "", ""
    for line in (call.__doc__ or "").splitlines():
        if re.match(r"^ {8}\w+:$", line):
            section, name = line.strip(), ""
        elif section == "Args:" and (match := _ENTRY.match(line)):
            name = match[1]
            found[name] = match[2]
        elif name and line.strip():
            found[name] += " " + line.strip()
    return found


def result_of(call: Callable[..., Any]) -> Any:
    """Return the type of what a method gives."""
    return typing.get_type_hints(call)["return"]


def sentence_of(call: Callable[..., Any]) -> str:
    """Return the first line of a method's docstring."""
    return (call.__doc__ or "").strip().splitlines()[0]
