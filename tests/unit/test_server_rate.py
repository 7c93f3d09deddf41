"""How often a key may be used."""

import pytest

from memu_py.errors import RateLimited
from memu_py.server.rate import RateLimiter


def test_a_bucket_fills_with_the_time() -> None:
    now = 0.0
    limiter = RateLimiter(3, timer=lambda: now)
    for _ in range(3):
        limiter.take("a")
    with pytest.raises(RateLimited) as caught:
        limiter.take("a")
    assert caught.value.retry_after_s == pytest.approx(20)
    limiter.take("b")

    now = 20.0
    limiter.take("a")
    with pytest.raises(RateLimited):
        limiter.take("a")
    now = 10_000.0
    for _ in range(3):
        limiter.take("a")
    with pytest.raises(RateLimited):
        limiter.take("a")


def test_no_limit_is_none() -> None:
    limiter = RateLimiter(None)
    for _ in range(1000):
        limiter.take("a")
