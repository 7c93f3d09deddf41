"""Place: where an item was found, so that a person can look it up."""

import dataclasses
from urllib.parse import unquote, urlsplit

from memu_py.records.locator import Locator
from memu_py.records.record import Record
from memu_py.records.resource import Resource

_ADDRESSED = ("file", "http", "https")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Place(Record):
    """One place that says what an item says.

    Attributes:
        resource: the original; `read_resource` gives its bytes.
        locator: where in it; None where the text has no places, such as a conversation.
        ordinal: the segment's place in the resource, from 0.
        text: of the segment; empty where it is gone since, as all of a resource that is `gone`: what it said was
            deleted, and `resource.reason` says so.
    """

    resource: Resource
    locator: Locator | None = None
    ordinal: int
    text: str = ""

    def __str__(self) -> str:
        """Write it for a person, such as `lease.pdf, page 2`."""
        return described(self.resource, self.locator)


def described(resource: Resource, locator: Locator | None) -> str:
    """Return where something stands, as a person says it: the file's name, else the title, and the place in it."""
    gone = resource.status if resource.status == "gone" else ""
    return ", ".join(filter(None, [_name(resource), str(locator) if locator else "", gone]))


def _name(resource: Resource) -> str:
    parts = urlsplit(resource.url or "")
    name = unquote(parts.path).rstrip("/").rpartition("/")[2] if parts.scheme in _ADDRESSED else ""
    return name or resource.title or resource.url or resource.id
