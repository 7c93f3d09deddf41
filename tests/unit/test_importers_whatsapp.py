"""WhatsApp: dates in the form of many languages, and what nobody says."""

import json
from datetime import UTC, datetime

import pytest

from memu_py.importers.importer import Conversation
from memu_py.importers.whatsapp import WhatsAppImporter
from memu_py.importers.whatsapp_dates import UNCLEAR
from memu_py.testing.exports import WHATSAPP, archive, read, said


def chat(text: str | bytes, name: str = "WhatsApp Chat with Ann.txt", label: str = "x.zip") -> Conversation:
    (found,) = read(WhatsAppImporter(), {name: text}, label)
    return found


def time_of(line: str) -> str | None:
    given = chat(line).messages[0].get("created_at")
    return None if given is None else datetime.fromisoformat(given).isoformat(" ", "minutes")


def test_a_chat_is_read() -> None:
    found = chat(WHATSAPP)
    assert (found.url, found.title, found.warnings) == ("whatsapp:Ann", "Ann", ())
    assert said(found) == [
        ("system", "Ann", "[Messages and calls are end-to-end encrypted.]"),
        ("user", "Ann", "I bought a red kayak.\nIt is fast."),
        ("user", "Bob", "Great!"),
    ]
    assert found.period(UTC)[0] == datetime(2023, 5, 8, 13, 56, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "start",
    [
        "[08.05.23, 13:56:01] ",
        "\u200e[2023-05-08, 1:56:01\u202fPM] ",
        "[2023/5/8 下午1:56:01] ",
        "[8/5/2023, 13:56:01] ",
        "5/8/23, 1:56 PM - ",
        "5/8/23, 1:56\u202fPM - ",
        "08/05/2023, 13:56 - ",
        "08/05/2023, 1:56 pm - ",
        "08.05.23, 13:56 - ",
        "8.5.2023 klo 13.56 - ",
        "08-05-2023 13:56 - ",
        "2023-05-08 13:56 - ",
        "2023/5/8 下午1:56 - ",
        "2023年5月8日 下午1:56 - ",
        "2023/5/8 13:56 - ",
        "2023. 5. 8. 오후 1:56 - ",
        "8.05.2023 г., 13:56 - ",
        "٠٨/٠٥/٢٠٢٣، 13:56 - ".replace("،", ","),
    ],
)
def test_dates_are_read_in_the_forms_of_many_telephones(start: str) -> None:
    line = f"{start}小美: 你好，我是老师。\n"
    # A date that may be either is decided by another one of the same file.
    more = "" if not start.startswith("[8/5") else "[13/5/2023, 13:56:01] 小美: hi\n"
    assert time_of(line + more) == "2023-05-08 13:56"


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("2023/5/8 上午12:30 - ", "00:30"),
        ("2023/5/8 凌晨12:30 - ", "00:30"),
        ("2023/5/8 中午12:30 - ", "12:30"),
        ("2023/5/8 晚上9:30 - ", "21:30"),
        ("5/8/23, 12:30 AM - ", "00:30"),
        ("5/8/23, 12:30 PM - ", "12:30"),
        ("8/5/2023, 1:30 p. m. - A: x\n13/5/2023, 1:30 p. m. - ", "13:30"),
    ],
)
def test_halves_of_the_day(start: str, expected: str) -> None:
    assert str(time_of(f"{start}Ann: hi\n")).endswith(f" {expected}")


def test_the_order_of_day_and_month_is_that_of_the_whole_file() -> None:
    british = "3/4/23, 10:00 - Ann: a\n14/4/23, 10:00 - Ann: b\n"
    american = "3/4/23, 10:00 - Ann: a\n3/14/23, 10:00 - Ann: b\n"
    assert time_of(british) == "2023-04-03 10:00"
    assert time_of(american) == "2023-03-04 10:00"


def test_a_chat_does_not_go_back_in_time() -> None:
    lines = "".join(f"{day}/{month}/23, 10:00 - Ann: x\n" for day, month in ((3, 4), (5, 4), (1, 6)))
    assert time_of(lines) == "2023-04-03 10:00"


def test_an_order_that_nothing_tells_is_no_order() -> None:
    found = chat("3/4/23, 10:00 - Ann: a\n3/5/23, 10:00 - Ann: b\n")
    assert found.warnings == (UNCLEAR,)
    assert found.messages[0] == {"role": "user", "content": "a", "name": "Ann", "time": "3/4/23, 10:00"}


@pytest.mark.parametrize(
    ("said_by_program", "name"),
    [
        ("<Media omitted>", "Media omitted"),
        ("<省略多媒体文件>", "省略多媒体文件"),
        ("\u200eimage omitted", "image omitted"),
        ("\u200e<attached: 00000012-PHOTO-2023-05-08.jpg>", "00000012-PHOTO-2023-05-08.jpg"),
        ("\u200e<附件：00000012-PHOTO.jpg>", "00000012-PHOTO.jpg"),
        ("IMG-20230508-WA0001.jpg (file attached)", "IMG-20230508-WA0001.jpg"),
        ("\u200eIMG-1.jpg (文件附件)", "IMG-1.jpg"),
    ],
)
def test_pictures_are_named_and_are_context(said_by_program: str, name: str) -> None:
    (message,) = chat(f"[08.05.23, 13:56:01] Ann: {said_by_program}\n").messages
    assert (message["role"], message["name"], message["attached"]) == ("system", "Ann", [name])


def test_a_caption_is_said() -> None:
    (message,) = chat("08.05.23, 13:56 - Ann: IMG-1.jpg (file attached)\nOur new house!\n").messages
    assert (message["role"], message["content"], message["attached"]) == (
        "user",
        "Our new house!",
        ["IMG-1.jpg"],
    )


def test_an_edit_is_not_said() -> None:
    (message,) = chat("08.05.23, 13:56 - Ann: I moved. \u200e<This message was edited>\n").messages
    assert message["content"] == "I moved."


def test_lines_of_nobody_are_context() -> None:
    lines = (
        "08.05.23, 13:50 - Ann created the group.\n"
        '08.05.23, 13:51 - Ann changed the subject to "Trip: Rome"\n'
        "08.05.23, 13:52 - Bob joined using https://x.org/abc\n"
        "08.05.23, 13:53 - \u202a+49 170 1234567\u202c: hi there\n"
        "08.05.23, 13:54 - ~\u202fCarl: 12:30 is fine\n"
    )
    assert [(role, name) for role, name, _ in said(chat(lines))] == [
        ("system", None),
        ("system", None),
        ("system", None),
        ("user", "+49 170 1234567"),
        ("user", "Carl"),
    ]


@pytest.mark.parametrize(
    ("name", "label", "title"),
    [
        ("WhatsApp Chat with Ann Lee.txt", "x.zip", "Ann Lee"),
        ("WhatsApp Chat with Ann Lee (2).txt", "x.zip", "Ann Lee"),
        ("WhatsApp-Chat mit Ann.txt", "x.zip", "Ann"),
        ("与小美的WhatsApp聊天.txt", "x.zip", "小美"),
        ("Chat de WhatsApp con Ana.txt", "x.zip", "Ana"),
        ("_chat.txt", "home/WhatsApp Chat - Family.zip", "Family"),
        ("WhatsApp Chat - Family/_chat.txt", "x.zip", "Family"),
        ("_chat.txt", "x.zip", "Ann, Bob"),
        ("family.txt", "x.zip", "family"),
    ],
)
def test_whom_the_chat_is_with(name: str, label: str, title: str) -> None:
    assert chat(WHATSAPP, name, label).url == f"whatsapp:{title}"


@pytest.mark.parametrize(
    "text",
    [
        "[2023-05-08 13:56] Ann: a transcript has no seconds\n",
        "Ann: hi\nBob: yo\n",
        "2023-05-08 is a day.\n",
        "Meeting\n[08.05.23, 13:56:01] Ann: hi\n",
        "[08.05.23, 13:56:01] nobody speaks\n",
        json.dumps([{"role": "user", "content": WHATSAPP}]),
        "",
    ],
)
def test_other_texts_are_no_chat(text: str) -> None:
    assert not WhatsAppImporter().claims(archive({"a.txt": text}))


def test_a_long_chat_in_chinese_is_not_taken_for_another_encoding() -> None:
    line = "2023/5/8 下午1:56 - 小美: 我喜欢喝乌龙茶，尤其是冬天的时候。\n"
    found = chat(line * 400)
    assert (len(found.messages), found.warnings) == (400, ())
    assert found.messages[-1]["content"] == "我喜欢喝乌龙茶，尤其是冬天的时候。"


def test_a_chat_of_an_old_telephone_in_gb_18030() -> None:
    text = "2023/5/8 下午1:56 - 小美: 我喜欢喝乌龙茶，尤其是冬天的时候。\n" * 3
    found = chat(text.encode("gb18030"))
    assert found.messages[0]["name"] == "小美"
    assert found.warnings == ("the encoding is not UTF-8; read as gb18030",)
