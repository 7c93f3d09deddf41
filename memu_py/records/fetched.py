"""What was read over the network."""

import dataclasses

from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Fetched(Record):
    """An answer of a web server.

    Attributes:
        url: the address that was asked for, in its plain form: the host in ASCII, without fragment and usual port.
        final_url: where redirects led; the same without any.
        data: the content, unpacked.
        media_type: as the server says it, without parameters; nobody has checked.
        name: the last part of the path, or the host where the path is empty.
    """

    url: str
    final_url: str
    data: bytes
    media_type: str
    name: str
