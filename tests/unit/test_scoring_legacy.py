"""The peers' forms, literally, and what they get wrong."""

import math

import pytest

from memu_py.scoring.legacy import LEGACY, Evidence, memu_salience, rrf_recency_importance
from memu_py.scoring.profiles import THREE_FACTOR
from memu_py.scoring.reference import factors, score


def test_rrf_times_recency_times_importance() -> None:
    evidence = Evidence(rrf=1 / 61 + 1 / 62, age_days=45, arousal=1.0, importance=8)
    assert rrf_recency_importance(evidence) == pytest.approx((1 / 61 + 1 / 62) * math.exp(-1) * 0.8)


def test_memu_salience_halves_with_the_half_life() -> None:
    evidence = Evidence(similarity=0.8, mentions=3, age_days=60)
    assert memu_salience(evidence) == pytest.approx(0.8 * math.log(4) / 4)


@pytest.mark.parametrize("form", LEGACY.values(), ids=LEGACY.keys())
def test_a_time_to_come_has_age_zero(form: object) -> None:
    assert callable(form)
    assert form(Evidence(similarity=0.5, rrf=0.01, age_days=-3)) == form(Evidence(similarity=0.5, rrf=0.01))


@pytest.mark.parametrize("form", LEGACY.values(), ids=LEGACY.keys())
def test_the_peers_lose_an_old_fact_under_fresh_noise_and_three_factor_does_not(form: object) -> None:
    assert callable(form)
    old = Evidence(similarity=0.8, rrf=2 / 61, age_days=90, importance=9)
    noise = Evidence(similarity=0.3, rrf=2 / 70, age_days=0, importance=5)
    assert form(noise) > form(old)
    assert three_factor(old) > three_factor(noise)


def test_memu_salience_is_not_bounded() -> None:
    assert memu_salience(Evidence(similarity=1.0, mentions=100)) > 4


def three_factor(evidence: Evidence) -> float:
    values = factors(
        evidence.age_days,
        evidence.importance,
        evidence.arousal,
        evidence.mentions,
        0,
        half_life_days=THREE_FACTOR.half_life_days,
        mentions_cap=THREE_FACTOR.mentions_cap,
    )
    return score(evidence.similarity, values, THREE_FACTOR.weights)
