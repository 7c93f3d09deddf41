"""Which of two numbers is the day."""

import pytest

from memu_py.modality.day_order import Numbers, day_first, full_year


@pytest.mark.parametrize(
    ("dates", "marks", "expected"),
    [
        ([(5, 8, "/"), (14, 8, "/")], ".", True),
        ([(5, 8, "/"), (5, 14, "/")], ".", False),
        ([(5, 8, ".")], ".", True),
        ([(5, 8, "-")], ".", None),
        ([(5, 8, "-")], ".-", True),
        ([(5, 14, "-")], ".-", False),
        ([(5, 8, "/")], ".-", None),
        ([], ".", None),
    ],
)
def test_a_number_that_is_no_month_decides_then_what_stands_between(
    dates: list[tuple[int, int, str]], marks: str, expected: bool | None
) -> None:
    assert day_first([Numbers(*date) for date in dates], marks=marks) is expected


def test_two_digits_are_a_year_of_this_century() -> None:
    assert [full_year(written) for written in (0, 23, 99, 100, 1987)] == [2000, 2023, 2099, 100, 1987]
