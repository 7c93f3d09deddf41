"""What becomes of tables: in workbooks, and with a sign between their cells."""

from datetime import date, datetime, time
from typing import Any

import openpyxl
import pytest
from documents_kit import saved, workbook

from memu_py.documents.formats import FORMATS
from memu_py.documents.reader import read_as
from memu_py.documents.reading import Bounds, Reading
from memu_py.documents.tables import head_place, row, table_blocks
from memu_py.errors import InvalidInput
from memu_py.modality.blocks import HEADER


def read(form: str, data: bytes | str, **bounds: Any) -> Reading:
    content = data.encode() if isinstance(data, str) else data
    return read_as(FORMATS[form], content, Bounds(**bounds))


def shown(reading: Reading) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in reading.blocks]


def test_a_row_of_a_table_is_understood_alone_and_knows_its_number() -> None:
    (table,) = read("csv", "Name,City\nAnn,Oslo\nBen,\n").blocks

    assert table.text == "Name: Ann; City: Oslo\nName: Ben"
    assert table.locator.to_dict() == {"rows": [2, 3]}
    assert table.metadata == {HEADER: "Name; City"}


def test_an_empty_line_counts_as_a_spreadsheet_counts_it() -> None:
    first, second = read("csv", "Name,City\nAnn,Oslo\n\nBen,Rome\n").blocks

    assert (first.locator.rows, second.locator.rows) == ((2, 2), (4, 4))
    assert second.text == "Name: Ben; City: Rome"


@pytest.mark.parametrize(
    "text",
    ["Name;City\nAnn;Oslo\nBen;Rome", "Name\tCity\nAnn\tOslo\nBen\tRome", "Name|City\nAnn|Oslo\nBen|Rome"],
)
def test_any_usual_sign_stands_between_cells(text: str) -> None:
    assert shown(read("csv", text)) == [("table", "Name: Ann; City: Oslo\nName: Ben; City: Rome")]


def test_quoted_cells_hold_signs_and_lines() -> None:
    assert shown(read("csv", 'Name,Says\nAnn,"one, two"\nBen,"first\nsecond"\n')) == [
        ("table", "Name: Ann; Says: one, two\nName: Ben; Says: first second")
    ]


def test_chinese_in_its_old_encoding_is_read_with_a_warning() -> None:
    reading = read("csv", "姓名,城市\n小美,杭州\n阿木,苏州\n".encode("gb18030"))

    assert shown(reading) == [("table", "姓名: 小美; 城市: 杭州\n姓名: 阿木; 城市: 苏州")]
    assert reading.warnings == ("the encoding is not UTF-8; read as gb18030",)


def test_values_without_a_head_are_shown_as_they_are() -> None:
    assert shown(read("csv", "Ann,1990\nBen,1985\n")) == [("table", "Ann; 1990\nBen; 1985")]


def test_what_stands_above_the_head_is_told_apart() -> None:
    text = "Report of March,,\nName,City,Born\nAnn,Oslo,1990\nBen,Rome,1985\n"
    assert shown(read("csv", text)) == [
        ("paragraph", "Report of March"),
        ("table", "Name: Ann; City: Oslo; Born: 1990\nName: Ben; City: Rome; Born: 1985"),
    ]


def test_no_more_rows_are_read_than_allowed_and_that_is_said() -> None:
    text = "Name,City\n" + "".join(f"person {number},Oslo\n" for number in range(50))

    reading = read("csv", text, max_rows=3)

    assert reading.blocks[0].locator.rows == (2, 3)
    assert reading.warnings == ("only the first 3 rows are read (documents.max_rows)",)


def test_lines_without_cells_are_no_table() -> None:
    with pytest.raises(InvalidInput, match="its lines have no cells"):
        read("csv", "just a line\nand another")


@pytest.mark.parametrize(
    ("rows", "place"),
    [
        ([["Name", "Age"], ["Ann", "30"]], 0),
        ([["Sales 2026"], ["Region", "2025", "2026"], ["East", "1", "2"]], 1),
        ([["Ann", "30"], ["Ben", "41"]], None),
        ([["Name:", "Ann"], ["City:", "Oslo"]], None),
        ([["a", "a"], ["b", "b"]], None),
        ([["only"], ["one"], ["column"]], None),
        ([], None),
    ],
)
def test_the_head_of_a_table_is_found(rows: list[list[str]], place: int | None) -> None:
    assert head_place(rows) == place


def test_a_head_without_rows_is_shown() -> None:
    assert [one.text for one in table_blocks([row(1, ["Name", "Age"])])] == ["Name; Age"]


def test_sheets_have_their_name_and_their_rows() -> None:
    data = workbook(
        {
            "Prices": [
                ["Price list"],
                [],
                ["Fruit", "Price", "From", "At", "Fresh"],
                ["apple", 1.5, date(2026, 3, 1), time(9, 30), True],
                ["pear", 2.0, datetime(2026, 3, 1, 12, 30), None, False],  # noqa: DTZ001 - cells have no zone
            ],
            "人员": [["姓名", "城市"], ["小美", "杭州"]],
            "Secret": [["x"]],
        },
        hidden=["Secret"],
    )

    reading = read("xlsx", data)

    assert [(one.kind, one.text, one.locator.to_dict()) for one in reading.blocks] == [
        ("heading", "Prices", {"sheet": "Prices"}),
        ("table", "Price list", {"sheet": "Prices", "rows": [1, 1]}),
        (
            "table",
            "Fruit: apple; Price: 1.5; From: 2026-03-01; At: 09:30; Fresh: yes\n"
            "Fruit: pear; Price: 2; From: 2026-03-01 12:30; Fresh: no",
            {"sheet": "Prices", "rows": [4, 5]},
        ),
        ("heading", "人员", {"sheet": "人员"}),
        ("table", "姓名: 小美; 城市: 杭州", {"sheet": "人员", "rows": [2, 2]}),
    ]
    assert reading.warnings == ("sheet Secret is hidden, and is left out",)


def test_an_empty_row_keeps_the_head_that_stands_above() -> None:
    rows: list[list[Any]] = [
        ["Name", "City"],
        ["Ann", "Oslo"],
        [],
        ["Ben", "Rome"],
        [],
        ["Item", "Price", "Unit"],
        ["tea", 3, "kg"],
    ]

    assert [one.text for one in read("xlsx", workbook({"Sheet1": rows})).blocks] == [
        "Name: Ann; City: Oslo",
        "Name: Ben; City: Rome",
        "Item: tea; Price: 3; Unit: kg",
    ]


def test_percents_are_percents_and_errors_are_nothing() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Name", "Share", "Total"])
    sheet.append(["Ann", 0.155, "#N/A"])
    sheet["B2"].number_format = "0.0%"
    sheet["C2"].data_type = "e"

    assert shown(read("xlsx", saved(book))) == [("table", "Name: Ann; Share: 15.5%")]


def test_formulas_that_nobody_calculated_are_told_of() -> None:
    reading = read("xlsx", workbook({"Sums": [["Name", "Sum"], ["Ann", "=1+1"], ["Ben", "=2+2"]]}))

    assert shown(reading)[1] == ("table", "Name: Ann\nName: Ben")
    assert reading.warnings == (
        "formulas of sheet Sums without a value: 2 (open it in Excel and save it again)",
    )


def test_no_more_rows_of_sheets_are_read_than_allowed_and_that_is_said() -> None:
    rows = [["Name", "City"], *([f"person {number}", "Oslo"] for number in range(9))]

    reading = read("xlsx", workbook({"One": rows, "Two": rows}), max_rows=4)

    assert [one.locator.rows for one in reading.blocks if one.kind == "table"] == [(2, 4)]
    assert reading.warnings == (
        "sheet One is read up to its row 4 (documents.max_rows)",
        "sheet Two is left out (documents.max_rows)",
    )


def test_an_empty_workbook_holds_no_text() -> None:
    with pytest.raises(InvalidInput, match="an Excel workbook that holds no text"):
        read("xlsx", workbook({"Sheet": []}))
