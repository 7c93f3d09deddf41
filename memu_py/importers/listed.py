"""Exports whose conversations stand in lists in JSON files, which are known by their beginnings."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from memu_py.importers.archive import Archive, folders
from memu_py.importers.fields import mapping
from memu_py.importers.importer import Conversation


class ListedConversations:
    """Reads such exports; see `Importer`.

    Args:
        head: is found at the beginning of such a file.
        beside: names of files that belong to the export where they lie beside one.
        read: makes a conversation of one element.
    """

    def __init__(
        self,
        head: re.Pattern[bytes],
        beside: Collection[str],
        read: Callable[[Mapping[str, Any]], Conversation],
    ) -> None:
        self._head = head
        self._beside = beside
        self._read = read

    def claims(self, archive: Archive) -> Collection[str]:
        """See `Importer.claims`."""
        found = archive.beginning(".json", self._head)
        beside = {folder + name for folder in folders(found) for name in self._beside}
        return [*found, *(name for name in archive.names if name in beside)]

    def conversations(self, archive: Archive) -> Iterator[Conversation]:
        """See `Importer.conversations`."""
        for name in archive.beginning(".json", self._head):
            for one in archive.elements(name):
                yield self._read(mapping(one))
