"""Forms, as browsers and curl send them."""

import json
from email.message import Message

import pytest

from memu_py.errors import Malformed
from memu_py.server.body import read_form


def header(boundary: str | None = "XX") -> Message:
    found = Message()
    found["content-type"] = "multipart/form-data" + (f'; boundary="{boundary}"' if boundary else "")
    return found


def part(name: str, content: bytes, *, more: str = "") -> bytes:
    head = f'--XX\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'
    return head.encode() + content + b"\r\n"


@pytest.mark.parametrize(
    "content", [b"", b"\r\n", b"\n--XX\n", b"\r\r\n\n\x00\xff", b"--", "咖啡".encode(), b"a\r\n\r\nb"]
)
def test_bytes_come_through_as_they_are(content: bytes) -> None:
    form = part("user", "安 'x'".encode()) + part("file", content, more='; filename="a.txt"') + b"--XX--\r\n"

    fields, file = read_form(form, header())

    assert json.loads(fields) == {"user": "安 'x'"}
    assert file == content


def test_fields_that_are_no_texts_are_json() -> None:
    form = part("metadata", b'{"a": [1]}') + part("wait", b"false") + part("text", b"true") + b"--XX--"

    fields, file = read_form(form, header())

    assert json.loads(fields) == {"metadata": {"a": [1]}, "wait": False, "text": "true"}
    assert file is None


@pytest.mark.parametrize(
    ("form", "boundary"),
    [
        (part("user", b"ann") + b"--XX--", None),
        (part("user", b"ann"), "XX"),
        (b"", "XX"),
        (b"--XX\r\n\r\nno name\r\n--XX--", "XX"),
        (b'--XX\r\nContent-Disposition: form-data; name="a"\r\n--XX--', "XX"),
        (part("metadata", b"{") + b"--XX--", "XX"),
        (part("metadata", b"[" * 100_000) + b"--XX--", "XX"),
        (part("user", b"\xff") + b"--XX--", "XX"),
    ],
)
def test_what_is_no_form_is_refused(form: bytes, boundary: str | None) -> None:
    with pytest.raises(Malformed):
        read_form(form, header(boundary))
