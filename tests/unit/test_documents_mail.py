"""What becomes of a mail."""

import email
import email.policy
from datetime import UTC, datetime

from documents_kit import mail, samples, word

from memu_py.documents.formats import FORMATS
from memu_py.documents.mail_body import letter
from memu_py.documents.reader import read_as
from memu_py.documents.reading import Bounds, Reading
from memu_py.modality.blocks import Block

SENT = datetime(2026, 3, 2, 8, tzinfo=UTC)


def read(data: bytes) -> Reading:
    return read_as(FORMATS["eml"], data, Bounds())


def shown(reading: Reading) -> list[tuple[str, str]]:
    return [(one.kind, one.text.strip()) for one in reading.blocks]


def said(text: str, *, flowed: bool = False) -> list[tuple[str, str]]:
    return [(one.kind, one.text.strip()) for one in letter(text, flowed=flowed)]


def test_what_a_mail_says_has_its_sender_and_its_date() -> None:
    reading = read(mail("Hi Ben,\n\nI moved to Lisbon yesterday.", Subject="搬家"))

    assert shown(reading) == [
        ("paragraph", "From Ann Lee <ann@example.org> to Ben <ben@example.org> on 2026-03-02: 搬家"),
        ("paragraph", "Hi Ben,"),
        ("paragraph", "I moved to Lisbon yesterday."),
    ]
    assert {(one.speaker, one.said_at) for one in reading.blocks} == {("Ann Lee", SENT)}
    assert (reading.title, reading.warnings) == ("搬家", ())


def test_a_mail_of_html_alone_is_read_as_a_page() -> None:
    reading = read(mail(None, html="<p>It is <b>sunny</b>.</p><table><tr><th>a<th>b<tr><td>1<td>2</table>"))

    assert shown(reading)[1:] == [("paragraph", "It is sunny."), ("table", "a: 1; b: 2")]
    assert reading.blocks[1].speaker == "Ann Lee"


def test_of_two_forms_of_the_same_the_plain_one_is_read() -> None:
    assert shown(read(mail("Plain.", html="<p>Rich.</p>")))[1:] == [("paragraph", "Plain.")]


def test_quotes_and_signatures_are_context() -> None:
    quoted = "On Mon, 1 Mar 2026, Ben\n<ben@example.org> wrote:\n> Dinner?\n> At six?"
    text = f"Yes, gladly.\n\n{quoted}\n\nSee you.\n-- \nAnn\nCEO"

    assert said(text) == [
        ("paragraph", "Yes, gladly."),
        ("context", quoted),
        ("paragraph", "See you."),
        ("context", "-- \nAnn\nCEO"),
    ]


def test_the_message_that_is_answered_is_context() -> None:
    for line in ("-----Original Message-----", "------------------ 原始邮件 ------------------"):
        assert said(f"Agreed.\n\n{line}\nFrom: Ben\n\nDo we agree?") == [
            ("paragraph", "Agreed."),
            ("context", f"{line}\nFrom: Ben\n\nDo we agree?"),
        ]
    assert said("好的。\n\n在 2026年3月1日，小美 <m@example.cn> 写道：\n> 去吗？") == [
        ("paragraph", "好的。"),
        ("context", "在 2026年3月1日，小美 <m@example.cn> 写道：\n> 去吗？"),
    ]


def test_words_that_only_look_like_quotes_stay() -> None:
    assert said("-- \nstarts like a signature") == [("paragraph", "-- \nstarts like a signature")]
    assert said("On Monday we wrote the plan.\n\n- one\n- two") == [
        ("paragraph", "On Monday we wrote the plan."),
        ("list", "- one\n- two"),
    ]


def test_flowed_lines_are_joined() -> None:
    assert said("This goes \non here.\nThis does not.", flowed=True) == [
        ("paragraph", "This goes on here.\nThis does not.")
    ]


def test_documents_that_are_attached_are_read_and_others_are_named() -> None:
    data = mail(
        "See below.",
        attached={
            "lease.docx": (
                word([("Heading 1", "Rent"), ("Normal", "900 euros.")]),
                "application/octet-stream",
            ),
            "notes.txt": ("Bring 茶.".encode(), "text/plain"),
            "photo.png": (b"\x89PNG\r\n\x1a\n" + bytes(2000), "image/png"),
            "broken.pdf": (b"%PDF-1.7\nnothing", "application/pdf"),
        },
    )

    reading = read(data)

    assert shown(reading)[2:] == [
        ("heading", "lease.docx"),
        ("heading", "Rent"),
        ("paragraph", "900 euros."),
        ("heading", "notes.txt"),
        ("paragraph", "Bring 茶."),
    ]
    assert [one.level for one in reading.blocks if one.kind == "heading"] == [1, 2, 1]
    assert reading.blocks[4].metadata == {"attachment": "lease.docx"}
    image, broken = reading.warnings
    assert image == "the attachment photo.png (image/png, 2 kB) was not read"
    assert broken.startswith("the attachment broken.pdf was not read: a PDF document cannot be read")


def test_pages_of_an_attachment_keep_their_numbers() -> None:
    reading = read(mail(attached={"a.pdf": (samples()["pdf"], "application/pdf")}))

    assert next(one for one in reading.blocks if one.text == "Dogs are welcome.").locator.page == 1


def test_a_mail_within_a_mail_has_its_own_sender() -> None:
    outer = email.message_from_bytes(mail("Look at this."), policy=email.policy.default)
    inner = email.message_from_bytes(
        mail("I quit.", From="Cem <cem@example.org>", Subject="News"), policy=email.policy.default
    )
    outer.add_attachment(inner)

    reading = read(outer.as_bytes())

    assert [(one.text.strip(), one.speaker) for one in reading.blocks][-3:] == [
        ("News", None),
        ("From Cem <cem@example.org> to Ben <ben@example.org> on 2026-03-02: News", "Cem"),
        ("I quit.", "Cem"),
    ]


def test_a_broken_head_does_not_stop_the_reading() -> None:
    data = (
        b"From: =?bad?Q?Ann?= <ann@\r\nTo: <<>>,,;\r\nDate: yesterday, perhaps\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: text/plain; charset=klingon\r\nSubject: =?utf-8?B?5pCs5a62?=\r\n\r\nI like tea, \xc3\xa9tienne."
    )

    reading = read(data)

    assert reading.blocks[-1].text == "I like tea, étienne."
    assert reading.title == "搬家"
    assert reading.blocks[-1].said_at is None


def test_blocks_with_a_speaker_survive_as_plain_data() -> None:
    reading = read(mail("Hi."))

    assert Reading.from_dict(reading.to_dict()) == reading
    assert all(isinstance(one, Block) for one in reading.blocks)
