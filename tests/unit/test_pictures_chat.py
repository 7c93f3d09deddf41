"""Screenshots of chats as turns, and everything else as none."""

from datetime import UTC, datetime

import pytest
from pictures_kit import column, line, wide

from memu_py.pictures.chat import Turn, chat_turns
from memu_py.pictures.ocr import Line

WIDTH, HEIGHT = 720, 1280
TAKEN = datetime(2023, 5, 10, 15, tzinfo=UTC)
MAY = datetime(2023, 5, 8, 14, 3, tzinfo=UTC)


def left(text: str, y: int) -> Line:
    return line(text, 110, y)


def right(text: str, y: int) -> Line:
    return line(text, 610 - wide(text), y)


def middle(text: str, y: int, *, height: int = 26) -> Line:
    size = wide(text) * height // 30
    return line(text, (WIDTH - size) // 2, y, height=height)


STATUS = [line("9:41", 24, 8), line("5G 87%", 610, 8)]


def turns(*lines: Line, taken_at: datetime | None = None) -> tuple[Turn, ...]:
    return chat_turns(lines, width=WIDTH, height=HEIGHT, taken_at=taken_at, zone=UTC)


def said(*lines: Line, taken_at: datetime | None = None) -> list[tuple[str | None, str]]:
    return [(one.speaker, one.text) for one in turns(*lines, taken_at=taken_at)]


TALK = (
    middle("2023-05-08 14:03", 150),
    left("Are you free on", 215),
    left("Saturday for the opera?", 251),
    right("Yes, I bought tickets", 347),
    left("Great, see you there", 440),
)


def test_the_right_is_the_owner_and_the_left_who_stands_at_the_top() -> None:
    assert said(*STATUS, middle("Lena", 60, height=34), *TALK) == [
        ("Lena", "Are you free on Saturday for the opera?"),
        (None, "Yes, I bought tickets"),
        ("Lena", "Great, see you there"),
    ]


def test_a_turn_knows_its_box_its_time_and_whose_it_is() -> None:
    first, own, _ = turns(*TALK)
    assert first == Turn(
        text="Are you free on Saturday for the opera?", box=(110, 215, 432, 281), speaker="other", said_at=MAY
    )
    assert (own.own, own.box, own.said_at) == (True, TALK[3].box, MAY)


def test_who_stands_at_the_top_left_beside_a_picture_is_no_turn() -> None:
    head = (line("< Lena Hale", 60, 52, height=36), line("online", 190, 90, height=22))
    assert said(*STATUS, *head, *TALK)[0] == ("Lena Hale", "Are you free on Saturday for the opera?")


def test_names_above_bubbles_say_who_speaks() -> None:
    found = said(
        middle("Picnic (4)", 60, height=34),
        line("Ann", 90, 150, height=24),
        left("Who brings the cake?", 186),
        line("Bob Hale", 90, 270, height=24),
        left("I bring a lemon cake", 306),
        right("Perfect, thanks", 400),
        line("Ann", 90, 480, height=24),
        left("Then I bring plates", 516),
        right("See you on Friday", 610),
    )
    assert found == [
        ("Ann", "Who brings the cake?"),
        ("Bob Hale", "I bring a lemon cake"),
        (None, "Perfect, thanks"),
        ("Ann", "Then I bring plates"),
        (None, "See you on Friday"),
    ]


def test_a_name_that_is_set_far_above_its_bubble_is_one_too() -> None:
    found = said(
        line("张伟", 90, 150, height=22),
        left("明天下午三点开会", 200),
        right("好的，我一定到", 300),
        line("李娜", 90, 380, height=22),
        left("记得带护照", 430),
        right("没问题", 520),
    )
    assert found == [
        ("张伟", "明天下午三点开会"),
        (None, "好的，我一定到"),
        ("李娜", "记得带护照"),
        (None, "没问题"),
    ]


@pytest.mark.parametrize(
    ("shown", "taken_at", "said_at"),
    [
        ("2023年5月8日 下午2:03", None, MAY),
        ("Mon, May 8, 2023 at 2:03 PM", None, MAY),
        ("昨天 20:15", TAKEN, datetime(2023, 5, 9, 20, 15, tzinfo=UTC)),
        ("Yesterday 8:15 PM", TAKEN, datetime(2023, 5, 9, 20, 15, tzinfo=UTC)),
        ("14:03", TAKEN, datetime(2023, 5, 10, 14, 3, tzinfo=UTC)),
        ("23:50", TAKEN, datetime(2023, 5, 9, 23, 50, tzinfo=UTC)),
        ("昨天 20:15", None, None),
        ("14:03", None, None),
        ("05/08/2023 14:03", TAKEN, None),
    ],
)
def test_a_turn_is_dated_where_the_whole_date_is_known(
    shown: str, taken_at: datetime | None, said_at: datetime | None
) -> None:
    found = turns(middle(shown, 150), *TALK[1:], taken_at=taken_at)
    assert {(one.said_at, one.time) for one in found} == {(said_at, None if said_at else shown)}


def test_a_time_of_the_day_belongs_to_the_day_above_it_or_the_next() -> None:
    found = turns(
        *TALK,
        middle("18:30", 520),
        right("Running late", 570),
        middle("07:10", 650),
        left("Good morning", 700),
    )
    assert [one.said_at for one in found][2:] == [
        MAY,
        datetime(2023, 5, 8, 18, 30, tzinfo=UTC),
        datetime(2023, 5, 9, 7, 10, tzinfo=UTC),
    ]


def test_times_within_bubbles_are_theirs_and_not_said() -> None:
    found = turns(
        middle("2023-05-08", 100),
        left("Do you take the train? 14:03", 215),
        right("No, the night bus 14:05 ✓✓", 347),
        left("See you at eight", 440),
        line("14:09", 330, 474, height=20),
    )
    assert [(one.text, one.said_at and one.said_at.minute) for one in found] == [
        ("Do you take the train?", 3),
        ("No, the night bus", 5),
        ("See you at eight", 9),
    ]


def test_a_time_that_was_said_stays_where_only_one_turn_ends_with_it() -> None:
    assert said(*TALK[:4], left("Then we meet at 19:30", 440))[-1] == ("other", "Then we meet at 19:30")


def test_what_the_app_says_is_nobodys() -> None:
    notice = middle("Messages are encrypted", 500)
    found = turns(*TALK, notice, right("Good to know", 560))
    assert [(one.text, one.speaker) for one in found if one.system] == [("Messages are encrypted", None)]


def test_a_name_and_a_time_above_each_turn_are_a_chat_too() -> None:
    found = turns(
        line("Ann Smith 2:03 PM", 90, 100),
        line("The build is red again", 90, 140),
        line("since the last merge", 90, 176),
        line("Bob", 90, 240),
        line("2:05 PM", 200, 242, height=26),
        line("I will revert it", 90, 280),
        line("Ann Smith 2:09 PM", 90, 340),
        line("Thank you", 90, 380),
    )
    assert [(one.speaker, one.text, one.time) for one in found] == [
        ("Ann Smith", "The build is red again since the last merge", "2:03 PM"),
        ("Bob", "I will revert it", "2:05 PM"),
        ("Ann Smith", "Thank you", "2:09 PM"),
    ]


def page(*texts: str) -> list[Line]:
    return column(list(texts), 60, 100)


RECEIPT = [
    *page("CORNER CAFE", "Flat white", "Croissant", "Total 14:03"),
    *column(["4.50", "3.20", "7.70"], 560, 140),
]
LETTER = [
    line("Ann Hale", 540, 60),
    line("14 Harbour Road", 450, 96),
    line("2023-05-08", 510, 160),
    *[
        line("Dear Bob, we moved to the coast last week and it", 60, 260 + 40 * n, width=600)
        for n in range(4)
    ],
]
COLUMNS = [
    *column(["The council met on", "Monday about a ferry", "which sails in May"], 40, 100),
    *column(["The bakery closes", "after forty years of", "bread and buns 14:03"], 400, 100),
]
AGENDA = page(
    "Welcome 9:00",
    "by the chair",
    "Keynote 9:30",
    "on cold water",
    "Coffee 10:30",
    "in the hall",
    "Talks 11:00",
    "in two rooms",
)
TIMETABLE = page("Monday 9:00", "Tuesday 10:30", "Wednesday 9:00", "Friday 18:00")
POSTER = [
    middle(text, 100 + 80 * n, height=50)
    for n, text in enumerate(("SUMMER FAIR", "Sunday", "14:00", "Pine Street"))
]
NOTE = page("Buy milk", "and eggs", "Call Bob at 14:03")
FORM = [*column(["Name", "Born", "City"], 60, 100), *column(["Ann Hale", "1990-02-01", "Lisbon"], 480, 100)]


@pytest.mark.parametrize(
    "lines", [[], RECEIPT, LETTER, COLUMNS, AGENDA, TIMETABLE, POSTER, NOTE, FORM, [left("Hello", 200)]]
)
def test_no_document_is_taken_for_a_chat(lines: list[Line]) -> None:
    assert turns(*lines) == ()


def test_two_sides_without_any_time_need_to_take_turns_more_than_once() -> None:
    assert turns(left("Are you there?", 215), right("Yes, I am", 347)) == ()
    assert len(turns(*TALK[1:], right("Bring the green umbrella", 540))) == 4
