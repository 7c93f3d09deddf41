"""The conditions of `when`."""

import dataclasses
import enum
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_py.workflow.conditions import describe, faults, holds


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Paper:
    colour: Colour
    size: Literal["a4", "a5"] | None = None
    sheets: int = 1
    glossy: bool = False
    _secret: int = 0

    @property
    def thick(self) -> bool:
        return self.sheets > 10


class Later:
    """A class whose annotation cannot be read."""

    colour: "Unknown"  # type: ignore[name-defined]  # noqa: F821 - unreadable on purpose


STATE = {
    "paper": Paper(colour=Colour.RED, sheets=12),
    "modality": "audio",
    "deep": True,
    "extra": {"lang": "en"},
}
KNOWN: dict[str, Any] = {
    "paper": Paper,
    "modality": str,
    "deep": bool,
    "extra": dict[str, str],
    "maybe": Paper | None,
}


@pytest.mark.parametrize(
    ("when", "held"),
    [
        (None, True),
        ({}, True),
        ({"modality": "audio"}, True),
        ({"modality": ["video", "audio"]}, True),
        ({"modality": ["video"]}, False),
        ({"modality": "audio", "deep": False}, False),
        ({"deep": True}, True),
        ({"deep": 1}, False),
        ({"paper.colour": "red"}, True),
        ({"paper.colour": ["blue"]}, False),
        ({"paper.sheets": [11, 12]}, True),
        ({"paper.thick": True}, True),
        ({"extra.lang": "en"}, True),
        ({"extra.other": None}, True),
        ({"absent": None}, True),
        ({"absent": "x"}, False),
        ({"absent.field": "x"}, False),
    ],
)
def test_a_step_runs_only_if_all_its_conditions_hold(when: dict[str, Any] | None, held: bool) -> None:
    assert holds(when, STATE) is held


@settings(deadline=None)
@given(st.integers(), st.lists(st.integers()))
def test_a_list_holds_exactly_for_its_members(value: int, wanted: list[int]) -> None:
    assert holds({"n": wanted}, {"n": value}) is (value in wanted)


def test_a_condition_reads_as_words() -> None:
    assert describe({"a": ["x", "y"], "b": None, "c": False}) == "a is x or y, and b is null, and c is false"


@pytest.mark.parametrize(
    "when",
    [
        {"modality": ["audio", None]},
        {"paper.colour": "blue"},
        {"paper.size": ["a4", None]},
        {"paper.sheets": 3},
        {"paper.thick": True},
        {"extra.anything": "x"},
        {"maybe.size": "a5"},
        {"paper": "x"},
    ],
)
def test_a_sound_condition_has_no_fault(when: dict[str, Any]) -> None:
    assert faults(when, KNOWN) == []


@pytest.mark.parametrize(
    ("when", "message"),
    [
        (
            {"modalty": "audio"},
            "`when`: no key `modalty`; did you mean `modality`? "
            "there are deep, extra, maybe, modality, paper",
        ),
        (
            {"paper.color": "red"},
            "`when`: `paper` (Paper): no field `color`; did you mean `colour`? "
            "there are colour, glossy, sheets, size, thick",
        ),
        (
            {"paper.size": "a6"},
            "`when.paper.size`: a6 can never be its value, which is Literal['a4', 'a5'] | None",
        ),
        ({"paper.sheets": True}, "`when.paper.sheets`: true can never be its value, which is int"),
        ({"paper.colour": "green"}, "`when.paper.colour`: green can never be its value, which is Colour"),
        ({"deep": "yes"}, "`when.deep`: yes can never be its value, which is bool"),
        ({"modality": {"a": 1}}, "`when.modality` must be a plain value or a list of such"),
        ({"modality.length": 3}, "`when`: `modality` (str): no field `length`; there are none"),
    ],
)
def test_a_condition_that_can_never_be_looked_at_is_a_fault(when: dict[str, Any], message: str) -> None:
    assert faults(when, KNOWN) == [(next(iter(when)), message)]


def test_a_field_whose_annotation_cannot_be_read_may_be_anything() -> None:
    assert faults({"later.colour": "red"}, {"later": Later}) == []


def test_a_field_of_a_type_that_is_no_class_may_be_anything() -> None:
    assert faults({"x.y": 1}, {"x": Any}) == []
    assert faults({"x.y.z": 1}, {"x": Literal["a"]}) == []
