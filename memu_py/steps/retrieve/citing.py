"""The ids in what a model says: found in prose, and held against what it was shown."""

import dataclasses
import re
from collections.abc import Mapping
from typing import NamedTuple

from memu_py.steps.retrieve.shown import LETTERS, Page

_NUMBER = r"[cip]?\d{1,4}"
_WHOLE = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NAME = rf"(?:ref\s*[:：]\s*)?[#№]?(?:{_WHOLE}|{_NUMBER})"
_NAMES = rf"{_NAME}(?:\s*(?:[,，、;；&/]|and|和)?\s*{_NAME})*"
_MARK = re.compile(rf"[ \t]*[\[【(（]\s*({_NAMES})\s*[\]】)）]", re.IGNORECASE)
_ONE = re.compile(_NAME, re.IGNORECASE)
_LISTED = re.compile(rf"(?<![\w-])(?:{_WHOLE}|{_NUMBER})(?![\w-])", re.IGNORECASE | re.ASCII)
_BARE = re.compile(r"(?<![\w-])[cip]\d{1,4}(?![\w-])", re.IGNORECASE | re.ASCII)
_AROUND = re.compile(r"^[\s\[【(（]*(?:ref\s*[:：]\s*)?[#№]?|[\s\]】)）.,:：]*$", re.IGNORECASE)


class Ref(NamedTuple):
    """What an id means.

    Attributes:
        layer: `category`, `item` or `passage`.
        ids: of the records.
    """

    layer: str
    ids: tuple[str, ...]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Marked:
    """A text, and the ids that stood in it.

    Attributes:
        text: without them.
        names: as they stood there, in order.
    """

    text: str
    names: tuple[str, ...]


class Directory:
    """The ids that may be named: those that were shown, and whole ids of what was found.

    Args:
        records: layer by whole id.
    """

    def __init__(self, records: Mapping[str, str]) -> None:
        self._refs = {record_id.casefold(): Ref(layer, (record_id,)) for record_id, layer in records.items()}

    def show(self, page: Page) -> None:
        """Take note of a page that is shown."""
        self._refs |= {name: Ref(page.layer, line.ids) for name, line in page.lines.items()}

    def find(self, name: str, layer: str) -> Ref | None:
        """Return what an id means; None for one that was not shown.

        Args:
            name: as the model wrote it: `i3`, `[I3]`, `ref:i3`, or a bare number of the layer that it was shown last.
            layer: this one.
        """
        plain = _AROUND.sub("", name).casefold()
        return self._refs.get(LETTERS[layer] + plain if plain.isdecimal() else plain)

    def read(self, text: str, layer: str) -> Marked:
        """Return a text without the marks in it that are ids, such as `[i3]`, `(i1, i4)` or `[ref:i3]`.

        Args:
            text: what a model said.
            layer: that it was shown.
        """
        names: list[str] = []

        def taken(mark: re.Match[str]) -> str:
            found = _ONE.findall(mark[1])
            if not any(self._is_meant(name, layer, mark[0]) for name in found):
                return mark[0]
            names.extend(found)
            return ""

        return Marked(text=_MARK.sub(taken, text).strip(), names=tuple(names))

    def mentioned(self, text: str) -> tuple[str, ...]:
        """Return ids that were shown and stand in a text without brackets around them."""
        return tuple(name for name in _BARE.findall(text) if name.casefold() in self._refs)

    def _is_meant(self, name: str, layer: str, mark: str) -> bool:
        """Tell an id from a year or a list's number: a bare number must have been shown, in square brackets."""
        if name.isdecimal():
            return mark.lstrip()[0] in "[【" and self.find(name, layer) is not None
        return True


def ids_in(text: str) -> tuple[str, ...]:
    """Return what looks like ids in a text, in order."""
    return tuple(found[0] for found in _LISTED.finditer(text))
