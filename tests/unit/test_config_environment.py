"""`${NAME}` in strings, and secrets that wait for their variable."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, ValidationError

from memu_py.config.environment import Malformed, Unresolved, substitute
from memu_py.config.secret import MASK, Secret
from memu_py.errors import MissingKey


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${X}", "top"),
        ("a${X}b${X}", "atopbtop"),
        ("${Y:-none}", "none"),
        ("${Y:-}", ""),
        ("${X:-none}", "top"),
        ("${EMPTY:-none}", "none"),
        ("${Y:-http://h:1/v1}", "http://h:1/v1"),
        ("$$5 and $${X}", "$5 and ${X}"),
        ("$X $ $1 x$", "$X $ $1 x$"),
        ("${TRICKY}", "${X} $$ : # {"),
        ("plain", "plain"),
    ],
)
def test_placeholders_are_replaced_inside_strings(text: str, expected: str) -> None:
    env = {"X": "top", "EMPTY": "", "TRICKY": "${X} $$ : # {"}

    assert substitute(text, env) == expected


@pytest.mark.parametrize("text", ["${Y}", "a${Y}b", "${X}${Y}", "${EMPTY}"])
def test_a_missing_variable_makes_the_whole_string_unresolved(text: str) -> None:
    found = substitute(text, {"X": "top", "EMPTY": ""})

    assert isinstance(found, Unresolved)
    assert found.variable in ("Y", "EMPTY")


@pytest.mark.parametrize("text", ["${a-b}", "${}", "${X", "${1}", "${X:-${Y}}", "${X:=3}", "${ X }"])
def test_a_placeholder_that_cannot_be_read_is_malformed(text: str) -> None:
    found = substitute(text, {"X": "top", "Y": "other"})

    assert isinstance(found, Malformed)
    assert "write ${NAME} or ${NAME:-default}" in found.message


def test_keys_and_other_values_stay() -> None:
    data = {"${X}": [1, None, True, ("${X}",)], "b": 1.5}

    assert substitute(data, {"X": "top"}) == {"${X}": [1, None, True, ["top"]], "b": 1.5}


@given(st.text(max_size=30))
def test_escaped_text_comes_back_as_it_was(text: str) -> None:
    assert substitute(text.replace("$", "$$"), {}) == text


class Holder(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    key: Secret | None = None


def test_a_secret_shows_itself_nowhere_but_on_request() -> None:
    holder = Holder.model_validate({"key": "sk-hidden"})
    assert holder.key is not None

    shown = [repr(holder), str(holder), str(holder.key), f"{holder.key}", str(holder.model_dump())]
    shown += [holder.model_dump_json(), json.dumps(holder.model_dump(mode="json"))]

    assert all("sk-hidden" not in text for text in shown)
    assert all(MASK in text for text in shown)
    assert holder.key.reveal() == "sk-hidden"


def test_a_secret_that_waits_names_its_variable_when_it_is_needed() -> None:
    holder = Holder.model_validate({"key": substitute("${SOME_KEY}", {})})
    assert holder.key is not None
    assert holder.key.variable == "SOME_KEY"

    with pytest.raises(MissingKey, match=r"`llm\.default\.api_key` needs the environment variable SOME_KEY"):
        holder.key.reveal("llm.default.api_key")
    with pytest.raises(MissingKey, match="a key needs the environment variable SOME_KEY, which is not set"):
        holder.key.reveal()


def test_a_secret_is_true_when_there_is_something_to_reveal_or_to_wait_for() -> None:
    assert Secret("x")
    assert Secret.missing("X")
    assert not Secret("")


def test_secrets_are_equal_by_content() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("") != Secret.missing("X")
    assert Secret("a") != "a"
    assert len({Secret("a"), Secret("a"), Secret.missing("a")}) == 2
    assert pickle.loads(pickle.dumps(Secret("a"))) == Secret("a")


@pytest.mark.parametrize("value", [12, ["sk-hidden"], substitute("sk-hidden${", {})])
def test_what_is_no_secret_is_refused_without_showing_it(value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        Holder.model_validate({"key": value})

    assert "sk-hidden" not in str(caught.value)


def test_a_ready_secret_stays() -> None:
    assert Holder(key=Secret("a")).key == Secret("a")
