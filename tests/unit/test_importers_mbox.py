"""Mailboxes: threads, and what a message says apart from what it quotes."""

import io
from email.message import EmailMessage

import pytest

from memu_py.importers.mail import parted, read_mail
from memu_py.importers.mbox import MboxImporter, split
from memu_py.testing.exports import MBOX, archive, read, said


def boxed(*mails: EmailMessage) -> bytes:
    return b"".join(b"From x@x.org Mon May  8 13:56:01 2023\n" + mail.as_bytes() + b"\n\n" for mail in mails)


def mail(own: str, text: str, **headers: str) -> EmailMessage:
    made = EmailMessage()
    for name, value in {"From": "小美 <mei@x.org>", "Message-ID": f"<{own}>", **headers}.items():
        made[name.replace("_", "-")] = value
    made.set_content(text)
    return made


def test_a_thread_is_a_conversation() -> None:
    (found,) = read(MboxImporter(), {"All mail.mbox": MBOX})
    assert (found.url, found.title) == ("mbox:1@x.org", "Kayak")
    assert said(found) == [
        ("user", "Bob Ray", "I sold my kayak to Carl.\nFrom now on I walk."),
        ("system", None, "On Mon, 8 May 2023, Bob Ray wrote:\n> I sold my kayak to Carl."),
        ("user", "Ann", "Carl lives in Bremen."),
    ]
    assert found.messages[2]["created_at"] == "Tue, 9 May 2023 08:00:00 +0200"


def test_threads_are_told_by_references_and_by_the_subject_of_answers() -> None:
    mails = boxed(
        mail("c@x", "好的。", Subject="回复：搬家", Date="Mon, 8 May 2023 12:00:00 +0000"),
        mail("a@x", "We move to 北京.", Subject="搬家", Date="Mon, 8 May 2023 10:00:00 +0000"),
        mail("b@x", "Lunch?", Subject="搬家", Date="Mon, 8 May 2023 11:00:00 +0000"),
        mail(
            "d@x",
            "Later.",
            Subject="other",
            References="<lost@x> <a@x>",
            Date="Mon, 8 May 2023 13:00:00 +0000",
        ),
    )
    found = read(MboxImporter(), {"m.mbox": mails})
    assert [[text for *_, text in said(one)] for one in found] == [
        ["We move to 北京.", "好的。", "Later."],
        ["Lunch?"],
    ]
    assert [one.url for one in found] == ["mbox:a@x", "mbox:b@x"]


def test_a_subject_that_holds_the_mark_of_an_answer_is_whole() -> None:
    (found,) = read(
        MboxImporter(), {"m": boxed(mail("a@x", "It is new.", Subject="Re: AW: Software: an update"))}
    )
    assert found.title == "Software: an update"


def test_html_attachments_and_encoded_headers() -> None:
    made = mail("h@x", "", Subject="=?utf-8?B?5pCs5a62?=")
    made.set_content("<style>b{}</style><p>Dear <b>Ann</b>,</p><p>我到了&nbsp;上海.</p>", subtype="html")
    made.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="plan.pdf")
    (found,) = read(MboxImporter(), {"m": boxed(made)})
    (message,) = found.messages
    assert (found.title, message["content"]) == ("搬家", "Dear Ann,\n我到了 上海.")
    assert (message["attached"], message["address"]) == (["plan.pdf"], "mei@x.org")


@pytest.mark.parametrize(
    "below",
    [
        "> quoted\n> more",
        "On 8 May 2023, Bob wrote:\n> quoted",
        "Am 8. Mai 2023 schrieb Bob:\n> quoted",
        "在 2023年5月8日，小美 写道：\n> 引用",
        "-----Original Message-----\nFrom: Bob\nWe meet.",
        "-- \nAnn\nSent from my boat",
    ],
)
def test_what_others_said_is_apart(below: str) -> None:
    assert parted(f"Yes, I come.\n\n{below}") == ("Yes, I come.", below)


def test_a_line_that_ends_with_wrote_is_said_where_nothing_is_quoted() -> None:
    text = "On the beach yesterday I met the man who wrote:\nthe book."
    assert parted(text) == (text, "")


def test_a_mailbox_is_split_at_lines_behind_empty_ones() -> None:
    box = (
        b"From a\nA: 1\n\nFrom here it is text? No: a message.\n\ntext\nFrom there\n\nFrom b\r\nB: 2\r\n\r\n"
    )
    assert list(split(io.BytesIO(box))) == [
        b"A: 1\n\n",
        b"\ntext\nFrom there\n\n",
        b"B: 2\r\n\r\n",
    ]


def test_a_letter_that_begins_with_from_is_no_mailbox() -> None:
    files = {"a.txt": "From Rome with love: we had a good time.\nBye", "b.eml": MBOX, "c.txt": "Hello"}
    assert not MboxImporter().claims(archive(files))


def test_a_message_nested_beyond_reason_is_told_by_its_hash() -> None:
    nest = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000))
    found = read_mail(b"From: x\n" + nest)
    assert found.said == ""
    assert found.own_id
