"""What may be written about a step, and how faults in it are told."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator, model_validator

from memu_py.workflow.place import Place, in_config
from memu_py.workflow.spec import FACTOR, JITTER, RetrySpec, StepSpec, explain


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    depth: int = 1


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    inner: Inner | None = None
    many: list[int] = []
    name: str

    @field_validator("name")
    @classmethod
    def _no_spaces(cls, name: str) -> str:
        if " " in name:
            raise ValueError("there is a space in it")
        return name

    @model_validator(mode="after")
    def _whole(self) -> "Outer":
        if self.name == "bad":
            raise ValueError("bad as a whole")
        return self


@settings(deadline=None)
@given(attempt=st.integers(1, 40), chance=st.floats(0, 1, exclude_max=True))
def test_pauses_grow_by_a_factor_within_the_jitter_up_to_the_lid(attempt: int, chance: float) -> None:
    retry = RetrySpec(attempts=50, backoff_s=0.5, max_backoff_s=20)
    middle = min(0.5 * FACTOR ** (attempt - 1), 20)
    pause = retry.pause_s(attempt, chance)
    assert middle * (1 - JITTER) <= pause <= middle * (1 + JITTER)
    assert retry.pause_s(attempt, 0.5) == pytest.approx(middle)


def test_the_name_of_a_step_is_its_key_unless_it_has_one() -> None:
    assert StepSpec(use="rank").label == "rank"
    assert StepSpec.model_validate({"use": "rank", "name": "last", "with": {"k": 1}}).label == "last"


@pytest.mark.parametrize(
    ("data", "path", "message"),
    [
        (
            {"name": "a", "innr": 1},
            ("innr",),
            "no key `innr`; did you mean `inner`? there are inner, many, name",
        ),
        (
            {"name": "a", "inner": {"dept": 1}},
            ("inner", "dept"),
            "`inner`: no key `dept`; did you mean `depth`? there are depth",
        ),
        ({}, ("name",), "`name` is missing"),
        (
            {"name": "a", "many": [1, "x"]},
            ("many", 1),
            "`many.1`: input should be a valid integer, unable to parse string as an integer",
        ),
        ({"name": "a b"}, ("name",), "`name`: there is a space in it"),
        ({"name": "bad"}, (), "bad as a whole"),
        (
            {"name": "a", "inner": 3},
            ("inner",),
            "`inner`: input should be a valid mapping or instance of Inner",
        ),
    ],
)
def test_what_a_model_refuses_is_told_with_its_path(data: Any, path: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(data)
    assert explain(caught.value, Outer) == [(path, message)]


def test_an_unknown_key_where_no_model_is_known_has_no_list() -> None:
    class Either(BaseModel):
        part: Inner | Outer

    with pytest.raises(ValidationError) as caught:
        Either.model_validate({"part": {"depth": 1, "x": 2}})
    assert (("part", "Inner", "x"), "`part.Inner`: no key `x`") in explain(caught.value, Either)


def test_a_place_knows_what_is_written() -> None:
    place = in_config({"a": [{"b": 1}], "text": "abc"}, None)
    assert place.has(("a", 0, "b"))
    assert not place.has(("a", 1))
    assert not place.has(("a", "b"))
    assert not place.has(("text", 0))
    assert place.within("a", 0).raw == {"b": 1}
    assert Place(raw=1, locate=lambda path: f"f:{path}").within().locate(("x",)) == "f:('x',)"
