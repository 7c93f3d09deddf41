"""Predicates, ends, and what relations say for a question."""

from datetime import UTC, datetime, timedelta

import pytest

from memu_py.config.graph import GraphSettings, PredicateSettings
from memu_py.features.related import SECOND_HOP, asked_predicates, related
from memu_py.records.graph import Edge, Sighting
from memu_py.records.predicate import Predicates, plain_predicate
from memu_py.records.relation import Relation, RelationDraft
from memu_py.records.scope import Scope
from memu_py.storage.validity import Statement, ends

DAY0 = datetime(2024, 1, 1, tzinfo=UTC)


def statement(name: str, object_: str, day: int, **more: object) -> Statement:
    usual: dict[str, object] = {"denied": False, "single": True, "ended_at": None}
    return Statement(id=name, object=object_, since=DAY0 + timedelta(days=day), **usual | more)  # type: ignore[arg-type]


def days(*statements: Statement) -> dict[str, int | None]:
    return {name: None if end is None else (end - DAY0).days for name, end in ends(statements).items()}


def test_each_next_object_ends_the_last() -> None:
    a, b, again = statement("1", "A", 0), statement("2", "B", 5), statement("3", "A", 9)

    assert days(again, b, a) == {"1": 5, "2": 9, "3": None}
    assert days(a, statement("2", "A", 3), statement("3", "B", 9)) == {"1": 9, "2": 9, "3": None}
    assert days(a._replace(single=False), b._replace(single=False)) == {"1": None, "2": None}


def test_denials_and_ends_count_from_their_time() -> None:
    a = statement("1", "A", 3)
    denial = statement("2", "A", 5, denied=True)

    assert days(a, denial) == {"1": 5, "2": None}
    assert days(a, denial._replace(since=DAY0)) == {"1": None, "2": None}
    assert days(a, denial._replace(object="B")) == {"1": None, "2": None}
    assert days(a._replace(ended_at=DAY0 + timedelta(days=4)), denial) == {"1": 4, "2": None}
    assert days(a._replace(ended_at=DAY0)) == {"1": 3}


def test_what_is_lost_without_a_name_is_all_that_came_before() -> None:
    a, b = statement("1", "A", 1, single=False), statement("2", "B", 3, single=False)
    lost = statement("3", "me", 3, denied=True, whatever=True)

    assert days(a, b, lost) == {"1": 3, "2": None, "3": None}
    assert days(a, b, lost._replace(since=DAY0)) == {"1": None, "2": None, "3": None}
    again = statement("4", "me", 9, denied=True, whatever=True)
    assert days(a, b, lost, again) == {"1": 3, "2": 9, "3": None, "4": None}


def test_predicates_have_one_name() -> None:
    known = GraphSettings(
        predicates={
            "captain_of": PredicateSettings(holds="one", synonyms=("skipper_of",), inverse=("captained_by",)),
            "hobby": PredicateSettings(holds="one"),
        }
    ).known()

    def settled(predicate: str) -> tuple[str, str, str, bool]:
        (one,) = known.settled([RelationDraft(subject="x", predicate=predicate, object="y")])
        return one.subject, one.predicate, one.object, one.single

    assert settled("Employed by") == ("x", "works_at", "y", True)
    assert settled("childOf") == ("y", "parent_of", "x", False)
    assert settled("captained-by") == ("y", "captain_of", "x", True)
    assert settled("skipper_of") == ("x", "captain_of", "y", True)
    assert settled("hobby")[3]
    assert settled("orbits") == ("x", "orbits", "y", False)
    assert Predicates().settled([RelationDraft(subject=" ", predicate="knows", object="y")]) == ()
    assert plain_predicate(" Lives in ") == "lives_in"


def test_a_relation_holds_from_its_beginning_to_its_end() -> None:
    one = Relation(
        id="1",
        scope=Scope(user="ann"),
        subject="x",
        predicate="p",
        object="y",
        valid_from=DAY0,
        created_at=DAY0,
        valid_to=DAY0 + timedelta(days=2),
    )
    assert not one.holds()
    assert one.evolve(valid_to=None).holds()
    assert [one.holds(DAY0 + timedelta(days=day)) for day in (-1, 0, 1, 2)] == [False, True, True, False]


def edge(item: str, subject: str, predicate: str, object_: str) -> Edge:
    return Edge(item_id=item, subject=subject, predicate=predicate, object=object_, confidence=1.0)


def test_a_second_hop_counts_when_it_is_asked_for() -> None:
    seen = Sighting(
        seeds={"python": "Py"},
        edges=(
            edge("use", "Phoenix", "uses", "Py"),
            edge("lead", "Leo", "leads", "Phoenix"),
            edge("like", "Phoenix", "likes", "Tea"),
        ),
    )
    asked = asked_predicates(
        "Who leads the project that uses Python?", Predicates(), ["uses", "leads", "likes"]
    )

    assert asked == {"uses", "leads"}
    # What leads to the answer is none.
    assert related(seen, asked) == {"lead": pytest.approx(SECOND_HOP)}
    assert related(seen, ()) == {"use": pytest.approx(0.2)}
    assert related(seen.evolve(seeds={}), asked) == {}


def test_who_asks_when_means_what_stands_between_the_names() -> None:
    seen = Sighting(
        seeds={"ann": "Ann", "turin": "Turin"},
        edges=(
            edge("now", "Ann", "lives_in", "Leipzig"),
            edge("bob", "Bob", "lives_in", "Turin"),
            edge("work", "Ann", "works_at", "Acme"),
        ),
        past=(edge("then", "Ann", "lives_in", "Turin"),),
    )

    assert set(related(seen, {"lives_in"})) == {"now", "bob", "work"}
    found = related(seen, {"lives_in"}, when=True)
    assert found["then"] == 1.0 and set(found) == {"then", "work"}
    # Without anything between the names, what each has counts.
    assert set(related(seen.evolve(past=()), {"lives_in"}, when=True)) == {"now", "bob", "work"}


def test_a_node_of_many_edges_says_less_of_each() -> None:
    edges = tuple(edge(str(number), "Ann", "likes", f"thing {number}") for number in range(20))
    seen = Sighting(seeds={"ann": "Ann"}, edges=(*edges, edge("work", "Ann", "works_at", "Acme")))
    found = related(seen, {"works_at", "likes"})

    assert found["work"] == 1.0
    assert found["0"] < 0.3
    assert all(0 <= score <= 1 for score in found.values())


def test_predicates_are_asked_for_in_both_languages() -> None:
    used = ["works_at", "leads", "orbits_around"]

    assert asked_predicates("我在哪里上班？", Predicates(), used) == {"works_at"}
    assert asked_predicates("谁负责这个项目", Predicates(), used) == {"leads"}
    assert asked_predicates("What orbits the sun?", Predicates(), used) == {"orbits_around"}
    assert asked_predicates("Hello", Predicates(), used) == set()
