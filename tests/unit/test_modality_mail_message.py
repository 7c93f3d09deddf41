"""The parts of a mail, also of one that breaks the rules; a mailbox and a document have the same of them."""

from email.message import EmailMessage

import pytest

from memu_py.documents.formats import FORMATS
from memu_py.documents.reader import read_as
from memu_py.documents.reading import Bounds
from memu_py.importers import mail as boxed
from memu_py.modality.mail_message import field, file_name, parts, read_message, sender, text


def made(plain: str | None = "Hi.", page: str | None = None, **headers: str) -> bytes:
    message = EmailMessage()
    for name, value in {"From": "Ann <ann@x.org>", **headers}.items():
        message[name] = value
    if plain is not None:
        message.set_content(plain)
    if page is not None:
        message.add_alternative(page, subtype="html")
    return message.as_bytes()


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (b"=?utf-8?B?5pCs5a62?=", "搬家"),
        (b"=?gb2312?B?xOO6ww==?= (2)", "你好 (2)"),
        (b"=?utf-8?Q?a?=\r\n =?utf-8?Q?b_c?= d", "ab c d"),
        ("我们下周搬家到北京".encode(), "我们下周搬家到北京"),
        ("我们下周搬家到北京".encode("gb18030"), "我们下周搬家到北京"),
        ("café =?utf-8?q?x?=".encode(), "café x"),
        (b"=?utf-8?B?a?=", "=?utf-8?B?a?="),
        (b"=?klingon?B?5pCs5a62?=", "搬家"),
        (b"plain\r\n and folded", "plain and folded"),
        (b"", ""),
    ],
)
def test_headers_are_text_however_they_were_sent(written: bytes, expected: str) -> None:
    message = read_message(b"Subject: " + written + b"\r\n\r\nx")
    assert field(message, "subject") == expected
    assert field(message, "Date") == ""


def test_a_name_with_a_comma_is_one_name() -> None:
    assert sender(read_message(b"From: =?utf-8?Q?Lee=2C_Ann?= <ann@x.org>\n\nx")) == ("Lee, Ann", "ann@x.org")
    assert sender(read_message("From: 小美 <mei@x.org>\n\nx".encode())) == ("小美", "mei@x.org")
    assert sender(read_message(b"\n\nx")) == ("", "")


@pytest.mark.parametrize(
    "written",
    [
        b"attachment; filename==?utf-8?B?5pCs5a62LnBkZg==?=",
        b"attachment; filename*=utf-8''%E6%90%AC%E5%AE%B6.pdf",
        'attachment; filename="搬家.pdf"'.encode(),
    ],
)
def test_names_of_files_are_text(written: bytes) -> None:
    message = read_message(b"Content-Disposition: " + written + b"\nContent-Type: application/pdf\n\nx")
    assert file_name(message) == "搬家.pdf"
    bodies, attached = parts(message)
    assert (bodies, attached) == ([], [message])


def test_of_several_forms_the_plainest_that_says_something_is_read() -> None:
    def said(data: bytes) -> list[str]:
        return [text(body).strip() for body in parts(read_message(data))[0]]

    assert said(made("Plain.", "<p>Rich.</p>")) == ["Plain."]
    assert said(made("\n", "<p>Rich.</p>")) == ["<p>Rich.</p>"]


def test_a_mailbox_and_a_document_say_the_same_of_a_mail() -> None:
    letter = "Yes, gladly.\n\nOn Mon, 1 Mar 2026, Ben\n<ben@x.org> wrote:\n> Dinner?\n\nSee you.\n-- \nAnn\n"
    for data in (made(letter, Subject="搬家"), made("\n", "<p>Yes, gladly.</p><p>See you.</p>")):
        document = read_as(FORMATS["eml"], data, Bounds())
        mail = boxed.read_mail(data)
        _, *said = (one.text.strip() for one in document.blocks if one.kind != "context")
        assert [line for line in mail.said.splitlines() if line] == said == ["Yes, gladly.", "See you."]
        assert (document.title or "", document.blocks[0].speaker) == (mail.subject, mail.sender)
        quoted = [line for one in document.blocks if one.kind == "context" for line in one.text.splitlines()]
        assert [line for line in mail.quoted.splitlines() if line] == quoted
