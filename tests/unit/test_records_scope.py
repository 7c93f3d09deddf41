"""Scopes: partitions, attributes and what an id may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_py.errors import InvalidScope, ScopeRequired
from memu_py.records.scope import MAX_ID_BYTES, Scope

IDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=40)


def test_the_partition_is_the_user_then_the_agent_then_the_session() -> None:
    assert Scope(user="u", agent="a", session="s").partition == '["user","u"]'
    assert Scope(agent="a", session="s").partition == '["agent","a"]'
    assert Scope(session="s").partition == '["session","s"]'


def test_attributes_are_what_is_named_beside_the_partition() -> None:
    assert Scope(user="u").attributes == {}
    assert Scope(agent="a").attributes == {}
    assert Scope(session="s").attributes == {}
    scope = Scope(user="u", agent="a", session="s", custom=(("tenant", "t"),))
    assert scope.attributes == {"agent": "a", "session": "s", "tenant": "t"}
    assert scope.owner == Scope(user="u")


@given(IDS, IDS)
def test_two_ids_share_a_partition_only_when_they_are_equal_to_the_letter(one: str, other: str) -> None:
    same = Scope(user=one).partition == Scope(user=other).partition
    assert same == (one == other)
    assert (Scope(user=one).partition_hash == Scope(user=other).partition_hash) == same


@given(IDS)
def test_a_user_an_agent_and_a_session_of_one_id_never_share_a_partition(name: str) -> None:
    partitions = {Scope(user=name).partition, Scope(agent=name).partition, Scope(session=name).partition}
    assert len(partitions) == 3


@pytest.mark.parametrize(
    "odd", ["*", "%", "_", "' OR 1=1 --", "Ünï çødé", "🦊", " spaced ", "x" * MAX_ID_BYTES]
)
def test_ids_are_opaque(odd: str) -> None:
    assert Scope(user=odd).user == odd


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("", "empty"),
        ("x" * (MAX_ID_BYTES + 1), "1024 bytes"),
        ("a\0b", "NUL"),
        ("\ud800", "valid Unicode"),
        (7, "text, not int"),
    ],
)
def test_an_unusable_id_is_refused(bad: str, message: str) -> None:
    with pytest.raises(InvalidScope, match=message):
        Scope(user=bad)


def test_an_id_may_come_as_a_number_or_a_mapping() -> None:
    assert Scope.of(user=7) == Scope.of(user={"id": 7}) == Scope(user="7")


@pytest.mark.parametrize("bad", [True, 1.5, {"name": "x"}, {"id": "x", "name": "y"}, {"id": None}, ["x"]])
def test_an_id_of_another_kind_is_refused(bad: object) -> None:
    with pytest.raises(InvalidScope):
        Scope.of(user=bad)  # type: ignore[arg-type]


def test_a_scope_that_names_nobody_is_refused() -> None:
    with pytest.raises(ScopeRequired):
        Scope()
    with pytest.raises(ScopeRequired):
        Scope.of(custom={"tenant": "x"})


def test_custom_keys_are_sorted_so_that_equal_scopes_are_equal() -> None:
    assert Scope(user="u", custom=(("b", "2"), ("a", "1"))) == Scope.of(user="u", custom={"a": "1", "b": "2"})
