"""What came in, before anybody has read it."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from memu_py.records.conversation import Kept
from memu_py.records.record import Record

MB = 1024 * 1024
DEFAULT_MAX_BYTES = 50 * MB
"""The largest input that is taken."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Raw(Record):
    """Bytes and what is known of them.

    Attributes:
        data: whole and unaltered.
        url: the resource's address, where it has one.
        media_type: as the source says it; nobody has checked.
        name: file name, where there is one.
        charset: how text was made bytes, where that is known for certain: such bytes are text, whatever they hold.
        messages: the entries, when the content came as messages; `data` is their canonical JSON then.
        metadata: what the source tells of it, kept on the resource beside the caller's own.
        kept: the conversation that it is, as far as it was read.
    """

    data: bytes
    url: str | None = None
    media_type: str | None = None
    name: str | None = None
    charset: str | None = None
    messages: tuple[Any, ...] | None = None
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    kept: Kept | None = None
