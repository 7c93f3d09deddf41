"""The statistic over topics, recency and habit."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_py.language.zones import zone
from memu_py.records.said import Said
from memu_py.steps.proactive.habit import freshness, likely_topics, nearness

MONDAY = datetime(2026, 6, 1, 9, tzinfo=UTC)
WEEK = timedelta(days=7)


def weekly(item: str, first: datetime, count: int, *topics: str) -> list[Said]:
    return [Said(item_id=item, at=first - number * WEEK, category_ids=topics) for number in range(count)]


def test_what_comes_up_at_this_hour_of_the_week_is_likelier_than_what_does_not() -> None:
    said = [*weekly("report", MONDAY - WEEK, 5), *weekly("football", MONDAY - timedelta(days=2, hours=-9), 5)]

    monday = likely_topics(said, {}, now=MONDAY, zone=UTC)
    saturday = likely_topics(said, {}, now=MONDAY + timedelta(days=5, hours=9), zone=UTC)

    assert [topic.id for topic in monday] == ["report", "football"]
    assert [topic.id for topic in saturday] == ["football", "report"]
    assert monday[0].confidence > 1.4 * monday[1].confidence


def test_the_hour_is_that_of_the_users_zone() -> None:
    # 9 o'clock in Shanghai before and after Lisbon changed its clocks are two hours there.
    winter, summer = datetime(2026, 3, 2, 9, tzinfo=UTC), datetime(2026, 6, 1, 8, tzinfo=UTC)

    assert nearness(winter, summer, zone("Europe/Lisbon")) == pytest.approx(1.0)
    assert nearness(winter, summer, zone("Asia/Shanghai")) < 0.9


def test_hours_are_near_across_midnight_and_days_by_their_kind() -> None:
    late = datetime(2026, 6, 1, 23, 30, tzinfo=UTC)

    assert nearness(late, late + timedelta(days=6, hours=1), UTC) > 0.8
    assert nearness(MONDAY, MONDAY + timedelta(days=1), UTC) == pytest.approx(0.5)
    assert nearness(MONDAY, MONDAY + timedelta(days=5), UTC) == pytest.approx(0.25)
    assert nearness(MONDAY, MONDAY + timedelta(hours=12), UTC) < 1e-6


def test_what_was_said_once_is_no_habit() -> None:
    once, often = weekly("once", MONDAY - WEEK, 1), weekly("often", MONDAY - WEEK, 8)
    regular = likely_topics([*once, *often], {}, now=MONDAY, zone=UTC)

    assert [topic.id for topic in regular] == ["often", "once"]
    (alone,) = likely_topics(once, {}, now=MONDAY, zone=UTC)
    assert alone.confidence == pytest.approx(0.25 + 0.25 * 1 / 4)


def test_half_of_the_freshness_is_left_after_thirty_days_and_the_future_is_fresh() -> None:
    assert freshness(MONDAY - timedelta(days=30), MONDAY) == pytest.approx(0.5)
    assert freshness(MONDAY + timedelta(days=30), MONDAY) == 1.0


def test_a_context_outweighs_habit() -> None:
    said = [
        *weekly("report", MONDAY - WEEK, 20),
        *weekly("dentist", MONDAY - timedelta(days=100, hours=7), 1),
    ]

    first = likely_topics(said, {"dentist": 1.0}, now=MONDAY, zone=UTC)[0]

    assert first.id == "dentist"
    assert first.confidence >= 0.5


def test_a_category_is_one_topic_with_its_strongest_item_first() -> None:
    said = [
        *weekly("old", MONDAY - 20 * WEEK, 1, "work"),
        *weekly("new", MONDAY - WEEK, 3, "work", "plans"),
        *weekly("none", MONDAY - WEEK, 1),
    ]
    found = {topic.id: topic for topic in likely_topics(said, {}, now=MONDAY, zone=UTC)}

    assert set(found) == {"work", "plans", "none"}
    assert found["work"].item_ids == ("new", "old")
    asked = likely_topics(said, {"old": 0.9}, now=MONDAY, zone=UTC)
    assert asked[0].item_ids == ("old", "new")


times = st.integers(0, 3_000_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
topics = st.lists(st.sampled_from("abc"), max_size=2, unique=True).map(tuple)
saids = st.lists(
    st.builds(Said, item_id=st.sampled_from(["i", "j", "k"]), at=times, category_ids=topics), max_size=12
)
zones = st.sampled_from([UTC, timezone(timedelta(hours=-11)), zone("Asia/Shanghai")])
scores = st.dictionaries(st.sampled_from(["i", "j", "k"]), st.floats(0, 1))


@given(saids, scores, times, zones, st.randoms())
def test_confidences_are_bounded_sorted_and_do_not_depend_on_order(
    said: list[Said], relevance: dict[str, float], now: datetime, local: timezone, rng: object
) -> None:
    found = likely_topics(said, relevance, now=now, zone=local)

    assert all(0.0 <= topic.confidence <= 1.0 and topic.item_ids for topic in found)
    assert [topic.confidence for topic in found] == sorted((t.confidence for t in found), reverse=True)
    if not relevance:
        assert all(topic.confidence <= 0.5 for topic in found)
    shuffled = list(said)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    again = likely_topics(shuffled, relevance, now=now, zone=local)
    assert {one.id: pytest.approx(one.confidence) for one in again} == {
        one.id: one.confidence for one in found
    }
