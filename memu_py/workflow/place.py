"""Where in a file something was written, and what is wrong there."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memu_py.marked_yaml import Document, Mark

Path = tuple[str | int, ...]

RUNTIME = "runtime edit"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """One thing that is wrong with a workflow.

    Attributes:
        where: `file:line`, or `runtime edit`.
        message: what is wrong, and what would be right.
        step: the step's name, where it is one.
    """

    where: str
    message: str
    step: str | None = None

    def __str__(self) -> str:
        return (
            f"{self.where}: step `{self.step}`: {self.message}"
            if self.step
            else f"{self.where}: {self.message}"
        )


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Place:
    """A value as it was written, and where its parts stand.

    Attributes:
        raw: the plain data.
        locate: from a path within it to `file:line`; the nearest part that exists answers.
    """

    raw: Any
    locate: Callable[[Path], str]

    def has(self, path: Path) -> bool:
        """Tell whether something is written at a path."""
        value = self.raw
        for part in path:
            if not _contains(value, part):
                return False
            value = value[part]
        return True

    def within(self, *path: str | int) -> "Place":
        """Return the place of a part, which must exist."""
        value = self.raw
        for part in path:
            value = value[part]
        return Place(raw=value, locate=lambda more: self.locate((*path, *more)))


def in_document(document: Document) -> Place:
    """Return the place of a whole YAML file; the parts of a mapping stand where their keys do."""
    return Place(raw=document.value, locate=lambda path: line(document.key_mark(path)))


def in_config(raw: Any, mark: Callable[[Path], Mark] | None) -> Place:
    """Return the place of a value of another file.

    Args:
        raw: the value.
        mark: from a path within it to the mark; None for a value from no file.
    """
    return Place(raw=raw, locate=lambda path: RUNTIME if mark is None else line(mark(path)))


def line(mark: Mark) -> str:
    """Return a mark as `file:line`."""
    return f"{mark.file}:{mark.line}" if mark.line else mark.file


def _contains(value: Any, part: str | int) -> bool:
    if isinstance(value, Mapping):
        return part in value
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and isinstance(part, int)
        and part < len(value)
    )
