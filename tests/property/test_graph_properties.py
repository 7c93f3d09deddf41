"""Whatever is said, in whatever order: few things must always hold."""

from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_py.features.related import related
from memu_py.language.relations import relations
from memu_py.language.same_names import Seen, same_names
from memu_py.records.graph import Edge, Sighting
from memu_py.steps.retrieve.fuse import FuseConfig
from memu_py.storage.validity import Statement, ends

DAY0 = datetime(2024, 1, 1, tzinfo=UTC)

statements = st.lists(
    st.builds(
        Statement,
        id=st.uuids().map(str),
        object=st.sampled_from("ABC"),
        since=st.integers(0, 6).map(lambda day: DAY0 + timedelta(days=day)),
        denied=st.booleans(),
        single=st.just(True),
        ended_at=st.none() | st.integers(0, 6).map(lambda day: DAY0 + timedelta(days=day)),
    ),
    max_size=8,
    unique_by=lambda one: one.id,
)
names = st.sampled_from(
    ["ann", "ann lee", "dr ann lee", "ann wong", "小美", "小美姐", "王小美", "acme", "acme inc"]
)
told = st.sampled_from(
    [
        "I work at Acme",
        "Leo leads the Phoenix project",
        "My sister is Mia",
        "I moved to Rome",
        "I love hiking",
    ]
)
told_chinese = st.sampled_from(["我在腾讯工作", "李雷负责凤凰项目", "我姐姐叫小美", "我搬到了北京"])
nodes = st.sampled_from(list("abcdef"))


@given(statements, st.randoms())
def test_the_order_in_which_things_come_does_not_matter(given_: list[Statement], random: object) -> None:
    shuffled = list(given_)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert ends(shuffled) == ends(given_)


@given(statements)
def test_what_never_held_changes_nothing(given_: list[Statement]) -> None:
    held = [one for one in given_ if one.ended_at is None or one.ended_at > one.since]
    found = ends(given_)
    assert ends(held) == {one.id: found[one.id] for one in held}


@given(statements)
def test_at_no_time_are_there_two_of_what_is_one(given_: list[Statement]) -> None:
    found = ends(given_)
    for day in range(8):
        at = DAY0 + timedelta(days=day, hours=1)
        holding = {
            one.object
            for one in given_
            if not one.denied and one.since <= at and ((end := found[one.id]) is None or end > at)
        }
        assert len(holding) <= 1


@given(
    st.lists(
        st.builds(Seen, key=names, person=st.booleans(), speaks=st.booleans()), unique_by=lambda x: x.key
    )
)
def test_names_lead_to_one_that_stands_for_itself(seen: list[Seen]) -> None:
    found = same_names(seen)
    keys = {one.key for one in seen}
    speakers = {one.key for one in seen if one.speaks}
    assert all(key in keys and head in keys and head not in found for key, head in found.items())
    assert not any(key in speakers and head in speakers for key, head in found.items())
    assert found == same_names(list(reversed(seen)))


@settings(max_examples=40)
@given(
    told,
    st.sampled_from(["If {}, all is well.", "{}?", "Bob said that {}.", "I wish {}.", '"{}" is a song.']),
)
def test_no_frame_of_doubt_lets_a_relation_through(text: str, frame: str) -> None:
    assert relations(text + ".", speaker="Ann")
    assert relations(frame.format(text), speaker="Ann") == ()


@settings(max_examples=30)
@given(
    told_chinese,
    st.sampled_from(["如果{}就好了。", "{}吗？", "听说{}。", "他说“{}”。", "要是{}的话，很好。"]),
)
def test_no_chinese_frame_of_doubt_does(text: str, frame: str) -> None:
    assert relations(text + "。", speaker="Ann")
    assert relations(frame.format(text), speaker="Ann") == ()


@settings(max_examples=60)
@given(st.text(max_size=200), st.none() | st.text(max_size=10))
def test_any_text_is_read(text: str, speaker: str | None) -> None:
    for one in relations(text, speaker=speaker):
        assert one.subject and one.object and one.predicate
        assert 0 <= one.confidence <= 1


@given(
    st.lists(
        st.builds(
            Edge, item_id=nodes, subject=nodes, predicate=nodes, object=nodes, confidence=st.floats(0, 1)
        )
    ),
    st.sets(nodes),
    st.sets(nodes),
)
def test_scores_stay_on_the_scale(edges: list[Edge], seeds: set[str], asked: set[str]) -> None:
    found = related(Sighting(seeds={one: one for one in seeds}, edges=tuple(edges)), asked)
    assert all(0 < score <= 1 for score in found.values())


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_no_relation_outranks_an_exact_match(relevance: float, graph: float, other: float) -> None:
    parts = {
        "dense": np.array([1.0, relevance], dtype=np.float32),
        "keyword": np.array([1.0, other], dtype=np.float32),
        "relation": np.array([0.0, graph], dtype=np.float32),
    }
    exact, lifted = FuseConfig().join(parts, np.ones(2, dtype=np.float32)).tolist()
    assert exact >= lifted
    assert lifted <= 1
