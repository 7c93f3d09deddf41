"""The order in which a picture is read, by where its lines stand."""

import random

from pictures_kit import column, line

from memu_py.pictures.layout import blocks, rows
from memu_py.pictures.ocr import Line
from memu_py.records.locator import Locator

PAGE = Locator(page=3)


def texts(lines: list[Line]) -> list[str]:
    return [block.text for block in blocks(lines, place=PAGE)]


def test_a_wrapped_paragraph_is_one_text_and_its_box_lies_around_it() -> None:
    lines = column(
        ["The harbour council met on Monday to", "discuss the new ferry to the islands.", "It sails in May."],
        60,
        100,
    )
    (block,) = blocks(lines, place=PAGE)
    assert block.text == (
        "The harbour council met on Monday to discuss the new ferry to the islands. It sails in May."
    )
    assert block.locator == Locator(page=3, box=(60, 100, lines[1].box[2], 210))
    assert (block.kind, block.metadata) == ("paragraph", {"block": "text"})


def test_chinese_is_joined_without_spaces() -> None:
    assert texts(column(["明天下午三点在海淀图书馆开会，请大家", "带上护照和两张照片。"], 60, 100)) == [
        "明天下午三点在海淀图书馆开会，请大家带上护照和两张照片。"
    ]


def test_a_word_that_was_parted_is_whole_again() -> None:
    lines = [
        line("The lighthouse keeper told an extra-", 60, 100, width=500),
        line("ordinary story.", 60, 140),
    ]
    assert texts(lines) == ["The lighthouse keeper told an extraordinary story."]


def test_points_of_a_list_stay_lines() -> None:
    shopping = ["- flour, two bags of the brown kind", "- apricot jam without any sugar in it", "- candles"]
    assert texts(column(shopping, 60, 100)) == ["\n".join(shopping)]


def test_space_between_parts_them_and_so_does_size() -> None:
    lines = [
        line("CORNER CAFE", 60, 20, height=60),
        *column(["Open every day", "from eight to six"], 60, 100),
        *column(["Closed on Easter", "and in August"], 60, 260),
    ]
    assert texts(lines) == [
        "CORNER CAFE",
        "Open every day\nfrom eight to six",
        "Closed on Easter\nand in August",
    ]


def test_columns_of_prose_are_read_one_after_the_other_below_their_title() -> None:
    left = [
        "The harbour council met on Monday",
        "to discuss the new ferry, which is",
        "to sail in May.",
        "All agreed.",
    ]
    right = [
        "The bakery on Pine Street closes",
        "after forty years. Its owner moves",
        "to the coast.",
        "Pity.",
    ]
    lines = [line("THE HARBOUR TIMES", 60, 10, height=60, width=960)]
    lines += [*column(left, 60, 120), *column(right, 600, 121)]
    found = texts(lines)
    assert found[0] == "THE HARBOUR TIMES"
    assert " ".join(found[1:]).index("All agreed") < " ".join(found[1:]).index("bakery")
    assert not [text for text in found if "council" in text and "bakery" in text]


def test_notes_side_by_side_are_not_mixed_though_they_are_short() -> None:
    assert texts(
        [*column(["Buy milk", "and eggs"], 60, 100), *column(["Call Bob", "tomorrow"], 500, 118)]
    ) == [
        "Buy milk\nand eggs",
        "Call Bob\ntomorrow",
    ]


def test_a_price_stays_with_its_thing() -> None:
    names, prices = ["Flat white", "Croissant", "Total"], ["4.50", "3.20", "7.70"]
    (block,) = blocks([*column(names, 60, 100), *column(prices, 500, 102)], place=PAGE)
    assert (block.kind, block.text) == ("table", "Flat white | 4.50\nCroissant | 3.20\nTotal | 7.70")
    assert block.locator.box == (60, 100, 556, 212)


def test_a_single_row_of_two_is_a_line() -> None:
    assert texts([line("Total", 60, 100), line("7.70", 300, 101)]) == ["Total 7.70"]


def test_rows_are_found_though_a_photograph_is_a_little_askew() -> None:
    lines = [
        line("Flat white", 60, 100),
        line("4.50", 500, 110),
        line("Tea", 60, 140),
        line("2.10", 500, 150),
    ]
    random.Random(1).shuffle(lines)
    assert [[one.text for one in row.lines] for row in rows(lines)] == [
        ["Flat white", "4.50"],
        ["Tea", "2.10"],
    ]


def test_nothing_is_nothing_and_every_line_stands_in_one_block() -> None:
    assert blocks([], place=PAGE) == ()
    chance = random.Random(3)
    for _ in range(60):
        lines = [
            line(f"w{place}", chance.randrange(2000), chance.randrange(2000), height=chance.randrange(1, 90))
            for place in range(chance.randrange(1, 40))
        ]
        found = " ".join(texts(lines)).replace("|", " ").split()
        assert sorted(found) == sorted(one.text for one in lines)
