"""Forms as clients send them with files: `multipart/form-data`."""

import email.parser
import email.policy
from collections.abc import Mapping

from memu_py.testing.http import Request


def form(request: Request) -> Mapping[str, bytes]:
    """Return the fields of a form by name; of those that come several times, the last.

    Args:
        request: as the server kept it.
    """
    head = f"content-type: {request.headers['content-type']}\r\n\r\n".encode("latin-1")
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + request.body)
    fields: dict[str, bytes] = {}
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            fields[name] = content
    return fields
