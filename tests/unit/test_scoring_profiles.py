"""What each profile puts on top, with fixed figures."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from memu_py import _core
from memu_py.errors import InvalidInput
from memu_py.scoring.profiles import (
    ADDITIVE,
    FACTORS,
    PROFILES,
    SALIENCE,
    SIMILARITY,
    THREE_FACTOR,
    Profile,
)

NAN = float("nan")
NEUTRAL_IMPORTANCE = 5.5


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """One row to rank."""

    relevance: float
    age_days: float = 0.0
    importance: float = NEUTRAL_IMPORTANCE
    arousal: float = 0.0
    mentions: int = 1
    accesses: int = 1


def rank(memories: list[Memory], profile: Profile, k: int | None = None) -> tuple[list[int], list[float]]:
    rows, scores, _ = _core.rank_top_k(
        np.array([one.relevance for one in memories], dtype=np.float32),
        np.array([one.age_days for one in memories], dtype=np.float64),
        np.array([one.importance for one in memories], dtype=np.float32),
        np.array([one.arousal for one in memories], dtype=np.float32),
        np.array([one.mentions for one in memories], dtype=np.uint32),
        np.array([one.accesses for one in memories], dtype=np.uint32),
        weights=profile.weights,
        half_life_days=profile.half_life_days,
        mentions_cap=profile.mentions_cap,
        k=len(memories) if k is None else k,
    )
    return rows.tolist(), scores.tolist()


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_an_old_matching_fact_beats_fresh_noise(profile: Profile) -> None:
    noise = [Memory(relevance=0.3, mentions=8, accesses=9, importance=10) for _ in range(5)]
    old = Memory(relevance=0.8, age_days=90, importance=9)
    assert rank([*noise, old], profile)[0][0] == 5


@pytest.mark.parametrize("days", [30, 365])
def test_the_newer_of_two_contradicting_facts_wins_within_a_twentieth_of_relevance(days: int) -> None:
    works_at_google = Memory(relevance=0.80, age_days=days)
    left_google = Memory(relevance=0.75)
    assert rank([works_at_google, left_google], THREE_FACTOR)[0] == [1, 0]


def test_of_equal_memories_the_more_important_wins() -> None:
    assert rank([Memory(relevance=0.6, importance=3), Memory(relevance=0.6, importance=9)], THREE_FACTOR)[
        0
    ] == [1, 0]


def test_a_fact_confirmed_eight_times_beats_one_heard_once() -> None:
    once, often = Memory(relevance=0.6), Memory(relevance=0.6, mentions=8)
    assert rank([once, often], SALIENCE)[0] == [1, 0]
    assert rank([once, often], SIMILARITY)[0] == [0, 1]


def test_reinforcement_is_full_at_the_cap_and_never_outvotes_relevance() -> None:
    capped = [Memory(relevance=0.5, mentions=10), Memory(relevance=0.5, mentions=10**6)]
    assert rank(capped, SALIENCE)[1] == [0.5, 0.5]
    assert rank([Memory(relevance=0.8), Memory(relevance=0.5, mentions=10**6)], SALIENCE)[0] == [0, 1]


def test_full_arousal_lives_half_as_long_again() -> None:
    ages, arousal = np.array([30.0, 30.0, 45.0]), np.array([0.0, 1.0, 1.0], dtype=np.float32)
    left = _core.decay(ages, arousal, 30.0)
    assert left[[0, 2]] == pytest.approx([0.5, 0.5])
    assert left[1] == pytest.approx(2 ** (-1 / 1.5))
    calm, stirred = Memory(relevance=0.6, age_days=30), Memory(relevance=0.6, age_days=30, arousal=1)
    assert rank([calm, stirred], THREE_FACTOR)[0] == [1, 0]


def test_a_time_to_come_has_age_zero() -> None:
    today, tomorrow = Memory(relevance=0.6), Memory(relevance=0.6, age_days=-1)
    assert rank([today, tomorrow], THREE_FACTOR)[1] == rank([today, today], THREE_FACTOR)[1]


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_equal_scores_keep_the_order_of_rows(profile: Profile) -> None:
    assert rank([Memory(relevance=0.6)] * 9, profile, k=4)[0] == [0, 1, 2, 3]


def test_unknown_importance_counts_as_the_middle() -> None:
    unknown, middle = Memory(relevance=0.6, importance=NAN), Memory(relevance=0.6)
    _, scores = rank([unknown, middle], THREE_FACTOR)
    assert scores[0] == scores[1]


def test_similarity_is_relevance_alone() -> None:
    memories = [Memory(relevance=0.25, age_days=500, importance=1), Memory(relevance=0.75, age_days=900)]
    assert rank(memories, SIMILARITY) == ([1, 0], [0.75, 0.25])


def test_factors_are_handed_out_in_the_order_of_their_names() -> None:
    _, _, factors = _core.rank_top_k(
        np.array([1.0], dtype=np.float32),
        np.array([30.0]),
        np.array([10.0], dtype=np.float32),
        np.array([0.0], dtype=np.float32),
        np.array([3], dtype=np.uint32),
        np.array([1], dtype=np.uint32),
        weights=THREE_FACTOR.weights,
        half_life_days=30.0,
        mentions_cap=15,
        k=1,
    )
    assert FACTORS == ("recency", "importance", "reinforcement", "access")
    assert factors[0].tolist() == pytest.approx([0.5, 1.0, 0.5, 0.25])


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_factors_together_cost_at_most_thirty_percent(profile: Profile) -> None:
    worst = Memory(relevance=1.0, age_days=1e9, importance=1, mentions=0)
    assert rank([worst], profile)[1][0] >= 0.7


def test_the_profiles_go_by_their_names() -> None:
    assert list(PROFILES) == ["similarity", "three_factor", "salience", "activation", "additive"]
    assert all(name == profile.name for name, profile in PROFILES.items())
    assert not any(SIMILARITY.weights) and not any(ADDITIVE.weights)


def test_additive_says_how_sources_are_averaged() -> None:
    assert ADDITIVE.sources is not None
    assert dict(ADDITIVE.sources) == {"dense": 1.0, "keyword": 1.0, "entity": 0.5}


def test_a_profile_can_start_from_another() -> None:
    patient = THREE_FACTOR.evolve(name="patient", half_life_days=365.0)
    assert patient.weights == THREE_FACTOR.weights
    assert (
        rank([Memory(relevance=0.6, age_days=90)], patient)[1]
        > rank([Memory(relevance=0.6, age_days=90)], THREE_FACTOR)[1]
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"recency": -0.1}, "the weight of recency is -0.1"),
        ({"importance": 1.5}, "the weight of importance is 1.5"),
        ({"access": NAN}, "the weight of access is nan"),
        ({"recency": 0.2, "reinforcement": 0.2}, r"add up to 0.4 \(0.2 \+ 0.2\)"),
        ({"activation": 0.25, "importance": 0.1}, r"add up to 0.35 \(0.1 \+ 0.25\)"),
        ({"activation_decay": 1.0}, "activation_decay is 1.0"),
        ({"activation_threshold": NAN}, "activation_threshold is nan"),
        ({"activation_noise": 0.0}, "activation_noise is 0.0"),
        ({"half_life_days": 0.0}, "half_life_days is 0"),
        ({"half_life_days": float("inf")}, "half_life_days is inf"),
        ({"mentions_cap": 0}, "mentions_cap is 0"),
        ({"mentions_cap": 2**32}, "mentions_cap is 4294967296"),
        ({"sources": {"dense": -1.0}}, "the weight of source dense is -1"),
        ({"sources": {"dense": 0.0}}, "no weight above 0"),
        ({"sources": {}}, "no weight above 0"),
    ],
)
def test_a_profile_that_cannot_be_used_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=f"profile own: .*{said}"):
        Profile(name="own", **changes)


def test_weights_may_add_up_to_the_limit_in_spite_of_rounding() -> None:
    assert sum(Profile(name="own", recency=0.1, importance=0.1, access=0.1).weights) > 0.3
