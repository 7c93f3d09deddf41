"""The contract of an importer, and the conversations that it gives.

An importer of a plug-in is registered as `registry.add("importer", "<name>", importer)`, and asked before the built-in
ones.
"""

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, tzinfo
from typing import Any, Protocol

from memu_py.importers.archive import Archive
from memu_py.modality.moment import moment
from memu_py.records.record import Record

Entry = Mapping[str, Any]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Conversation(Record):
    """One conversation of an export.

    Attributes:
        url: its address, the same in each later export, such as `chatgpt:<id>`.
        title: a line to show.
        messages: in the form of the chat APIs, in order; see `message`. None makes nothing of it.
        warnings: what could not be read as it was probably meant; without messages, why there are none.
    """

    url: str
    title: str
    messages: tuple[Entry, ...] = ()
    warnings: tuple[str, ...] = ()

    def period(self, zone: tzinfo) -> tuple[datetime | None, datetime | None]:
        """Return the times of its first and its last message that has one, UTC.

        Args:
            zone: of times that carry none.
        """
        given = (moment(one["created_at"], zone) for one in self.messages if "created_at" in one)
        times = [time for time in given if time is not None]
        return (min(times), max(times)) if times else (None, None)


class Importer(Protocol):
    """Reads the exports of one program. Synchronous: it is called in a thread."""

    def claims(self, archive: Archive) -> Collection[str]:
        """Return the names of the files that belong to exports of this program; none when there is no such export.

        Files that only repeat what it reads belong to it too: nobody else reads what is claimed.

        Args:
            archive: of which earlier importers have claimed nothing.
        """
        ...

    def conversations(self, archive: Archive) -> Iterator[Conversation]:
        """Yield the conversations, in an order that does not change.

        Args:
            archive: the files that it claimed.

        Raises:
            InvalidInput: the export is damaged; conversations before the damage have been yielded.
        """
        ...


def message(
    role: str,
    content: str,
    *,
    name: str | None = None,
    at: Any = None,
    own_id: Any = None,
    attached: Collection[str] = (),
    **more: Any,
) -> Entry | None:
    """Return a message in the form of the chat APIs; None for one that holds nothing.

    What has no words but something attached is kept as context.

    Args:
        role: `user` or `assistant`; `system` and `tool` make it context, which is kept and makes no memory.
        content: what was said.
        name: who says it.
        at: when, in any form that `moment` reads.
        own_id: the message's own id.
        attached: names of what came with it.
        **more: kept as its metadata; None is left out.

    >>> message("user", " Look! ", name="Ann", attached=["cat.png"])
    {'role': 'user', 'content': 'Look!', 'name': 'Ann', 'attached': ['cat.png']}
    """
    said = content.strip()
    if not said and not attached:
        return None
    if not said:
        role, said = "system", f"[{', '.join(attached)}]"
    known = {"name": name or None, "created_at": at, "id": own_id, "attached": list(attached) or None, **more}
    return {
        "role": role,
        "content": said,
        **{key: value for key, value in known.items() if value is not None},
    }
