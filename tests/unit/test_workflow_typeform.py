"""Types as values."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, Optional, Protocol, Union

import numpy as np
import pytest
from numpy.typing import NDArray

from memu_py.workflow.typeform import fits, fitting, is_optional, members, reads, same, show


class Shape(Protocol):
    def area(self) -> float: ...


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Optional[str], str | None),  # noqa: UP045 - the old form is the subject
        (Union[int, str], str | int),  # noqa: UP007 - the old form is the subject
        (Annotated[list[int], "long"], list[int]),
        (list[Annotated[int, "x"]], list[int]),
        (dict[str, NDArray[np.float32]], dict[str, NDArray[np.float32]]),
        (None, type(None)),
        (Literal["a", "b"], Literal["b", "a"]),
        (Callable[[int], str], Callable[[int], str]),
    ],
)
def test_types_written_differently_are_the_same(one: Any, other: Any) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (list[int], list[str]),
        (list[int], list),
        (str, str | None),
        (Literal[1], Literal[True]),
        (dict[str, int], dict[str, float]),
        (Callable[[int], str], Callable[[str], str]),
    ],
)
def test_different_types_are_not_the_same(one: Any, other: Any) -> None:
    assert not same(one, other)


def test_a_reader_may_be_equal_or_optional_or_any_and_nothing_else() -> None:
    assert reads(list[str], list[str])
    assert reads(list[str] | None, list[str])
    assert reads(Any, list[str])
    assert reads(int, Any)
    assert not reads(list[str], list[str] | None)
    assert not reads(int | str, int)
    assert not reads(list, list[str])


def test_members_of_a_union_come_apart() -> None:
    assert members(int | None) == (int, type(None))
    assert members(Annotated[int | str, "x"]) == (int, str)
    assert members(int) == (int,)


def test_none_fits_an_optional() -> None:
    assert is_optional(str | None)
    assert is_optional(Any)
    assert is_optional(None)
    assert not is_optional(str)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (None, "None"),
        (type(None), "None"),
        (dict[str, list[int]], "dict[str, list[int]]"),
        (Optional[int], "int | None"),  # noqa: UP045 - the old form is the subject
        (Literal["a", 1], "Literal['a', 1]"),
        (Any, "Any"),
        (Shape, "Shape"),
        (Callable[[int], str], "Callable[[int], str]"),
        ("Later", "Later"),
    ],
)
def test_a_type_is_shown_as_people_write_it(form: Any, text: str) -> None:
    assert show(form) == text


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ([1], list[str]),  # only the outside is looked at
        (None, str | None),
        (None, None),
        ("x", Any),
        (1, float),
        ("a", Literal["a", "b"]),
        (np.zeros(2, np.float32), NDArray[np.float32]),
        ("anything", Shape),  # a Protocol cannot be checked
    ],
)
def test_a_value_fits(value: Any, form: Any) -> None:
    assert fits(value, form)
    assert fitting(form)(value)


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("x", list[str]),
        (None, str),
        (1, None),
        ("c", Literal["a"]),
        (True, Literal[1]),
        (1.5, int),
        (True, float),
        ((), list),
    ],
)
def test_a_value_does_not_fit(value: Any, form: Any) -> None:
    assert not fits(value, form)
    assert not fitting(form)(value)
