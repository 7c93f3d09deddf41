"""What holds when, whatever the order in which it was said."""

import itertools
from datetime import UTC, datetime, timedelta

import pytest

from memu_py.features.profile import holding, lived, read_claims
from memu_py.records.facet import FacetClaim, HeldClaim, Uttered

START = datetime(2024, 1, 1, tzinfo=UTC)
CARDINALITY = {"home": "one", "likes": "many", "family": "many"}


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def claim(
    value: str, at: int, *, facet: str = "home", topic: str = "", ends: bool = False, ended: int | None = None
) -> HeldClaim:
    made = FacetClaim(
        item_id=f"{facet} {value} {at}",
        facet=facet,
        topic=topic,
        value=value,
        key=value.casefold(),
        ends=ends,
        at=day(at),
        confidence=0.9,
    )
    return HeldClaim(claim=made, ended_at=None if ended is None else day(ended))


def told(*claims: HeldClaim) -> list[tuple[str, int, int | None]]:
    """Return value, first and last day, the same for every order of the claims."""
    found = [
        [
            (one.value, (one.since - START).days, None if one.until is None else (one.until - START).days)
            for one in lived(list(order), CARDINALITY)
        ]
        for order in itertools.permutations(claims)
    ]
    assert all(one == found[0] for one in found)
    return found[0]


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ([claim("Porto", 1), claim("Rome", 3)], [("Porto", 1, 3), ("Rome", 3, None)]),
        (
            [claim("Porto", 1), claim("Rome", 3), claim("porto", 5)],
            [("Porto", 1, 3), ("Rome", 3, 5), ("porto", 5, None)],
        ),
        ([claim("Porto", 1), claim("Porto", 3)], [("Porto", 1, None)]),
        ([claim("Porto", 1), claim("Porto", 3, ends=True)], [("Porto", 1, 3)]),
        ([claim("Porto", 1), claim("Rome", 3, ends=True)], [("Porto", 1, None)]),
        ([claim("Porto", 1), claim("Porto", 3, ends=True, ended=3)], [("Porto", 1, None)]),
        ([claim("Porto", 1), claim("Porto", 3, ends=True, ended=5)], [("Porto", 1, 3)]),
        ([claim("Porto", 1), claim("", 3, ends=True)], [("Porto", 1, 3)]),
        ([claim("Porto", 1, ended=4)], [("Porto", 1, 4)]),
        ([claim("Porto", 1, ended=4), claim("Porto", 2)], [("Porto", 1, None)]),
        ([claim("Porto", 4, ended=1)], []),
        ([claim("Porto", 1), claim("Porto", 1, ends=True)], [("Porto", 1, None)]),
        (
            [claim("tea", 1, facet="likes"), claim("jazz", 2, facet="likes")],
            [("tea", 1, None), ("jazz", 2, None)],
        ),
        (
            [
                claim("tea", 1, facet="likes"),
                claim("jazz", 2, facet="likes"),
                claim("tea", 3, facet="likes", ends=True),
            ],
            [("tea", 1, 3), ("jazz", 2, None)],
        ),
        (
            [claim("Eva", 1, facet="family", topic="wife"), claim("Ida", 2, facet="family", topic="wife")],
            [("Eva", 1, 2), ("Ida", 2, None)],
        ),
        (
            [claim("Eva", 1, facet="family", topic="wife"), claim("Tom", 2, facet="family", topic="husband")],
            [("Eva", 1, None), ("Tom", 2, None)],
        ),
        ([claim("x", 1, facet="unknown")], []),
    ],
)
def test_values_hold_from_claim_to_claim(
    claims: list[HeldClaim], expected: list[tuple[str, int, int | None]]
) -> None:
    assert told(*claims) == expected


def test_a_moment_lies_in_what_holds_then() -> None:
    values = lived([claim("Porto", 1), claim("Rome", 3)], CARDINALITY)
    then = {number: [one.value for one in holding(values, day(number))] for number in (0, 1, 2, 3, 9)}
    assert then == {0: [], 1: ["Porto"], 2: ["Porto"], 3: ["Rome"], 9: ["Rome"]}


def test_claims_are_read_once_for_each_time_and_dated_by_what_is_said() -> None:
    one = Uttered(item_id="x", text="I live in Porto. I love tea.", times=(day(1), day(5)))
    found = read_claims(one, user="ann", zone=UTC)
    assert [(c.value, c.at) for c in found if c.facet == "home"] == [("Porto", day(1)), ("Porto", day(5))]
    (moved,) = read_claims(
        one.evolve(text="I moved to Porto.", happened=day(0), times=(day(1),)), user="ann", zone=UTC
    )
    assert moved.at == day(0)
    (later,) = read_claims(
        one.evolve(text="I moved to Porto.", happened=day(9), times=(day(1),)), user="ann", zone=UTC
    )
    assert later.at == day(1)
    assert read_claims(one.evolve(times=()), user="ann", zone=UTC) == []


def test_what_was_set_by_hand_is_taken_as_it_stands() -> None:
    one = Uttered(
        item_id="x", text="Home: Porto", times=(day(1),), stated={"facet": "home", "value": "Porto"}
    )
    (found,) = read_claims(one, user=None, zone=UTC)
    assert (found.facet, found.value, found.ends, found.confidence) == ("home", "Porto", False, 1.0)
    for wrong in ({}, {"facet": 1}, {"facet": "home", "value": ["x"]}, {"facet": "home", "topic": {}}):
        assert read_claims(one.evolve(stated=wrong), user=None, zone=UTC) == []
