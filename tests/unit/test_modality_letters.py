"""What a mail says, and what it quotes."""

import pytest

from memu_py.modality.letters import parted, read_letter


@pytest.mark.parametrize(
    "below",
    [
        "> quoted\n> more",
        "On 8 May 2023, Bob wrote:\n> quoted",
        "On 8 May 2023, Bob\n<bob@x.org> wrote:\n> quoted",
        "Am 8. Mai 2023 schrieb Bob:\n> quoted",
        "Le 8 mai 2023, Bob a écrit :\n> quoted",
        "在 2023年5月8日，小美 写道：\n> 引用",
        "小美 <mei@x.org> 寫道：\n> 引用",
        "-----Original Message-----\nFrom: Bob\nWe meet.",
        "------------------ 原始邮件 ------------------\n发件人: Bob\n\n见面。",
        "________________________________\nVon: Bob\n\nWe meet.",
        "-- \nAnn\nSent from my boat",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_others_said_is_apart(below: str, newline: str) -> None:
    said = "Yes, I come.\n好的。"
    assert parted(f"{said}\n\n{below}".replace("\n", newline)) == (said, below)


@pytest.mark.parametrize(
    "text",
    [
        "On the beach yesterday I met the man who wrote:\nthe book.",
        "-- \nstarts like a signature",
        "Dates:\n____________________________\nMonday, and Tuesday.",
        "| day | where |\n| --- | --- |\n| Monday | Bonn |",
        "    > is how a shell begins",
    ],
)
def test_what_only_looks_like_a_quote_is_said(text: str) -> None:
    assert parted(text) == (text.strip(), "")


def test_lines_keep_their_order() -> None:
    lines, rest = read_letter("Yes.\n> Dinner?\nSee you.\n-- \nAnn")
    assert [tuple(line) for line in lines] == [("Yes.", False), ("> Dinner?", True), ("See you.", False)]
    assert rest == "-- \nAnn"


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 200_000,
        "_" * 300_000,
        "-" * 300_000,
        " " * 300_000,
        "On " + "wrote " * 60_000 + ":\n> x",
        "On x wrote:\n\n" * 30_000,
    ],
    ids=range(6),
)
def test_no_letter_takes_forever(text: str) -> None:
    assert len(read_letter(text).lines) == text.count("\n") + 1
