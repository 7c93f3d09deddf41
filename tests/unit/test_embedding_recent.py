"""Vectors of late are a partition's own, and the least recently asked goes first."""

import numpy as np

from memu_py.embedding.recent import RecentVectors
from memu_py.records.scope import Scope

ANN, BEN = Scope(user="ann"), Scope(user="ben")
ONE, TWO, THREE = (np.full(2, number, dtype=np.float32) for number in (1, 2, 3))


async def test_a_partition_sees_its_own() -> None:
    cache = RecentVectors()
    await cache.save(ANN.evolve(session="s"), {b"a": ONE})

    assert await cache.load(ANN, [b"a", b"b"]) == {b"a": ONE}
    assert await cache.load(BEN, [b"a"]) == {}


async def test_what_was_asked_least_recently_goes_first() -> None:
    cache = RecentVectors(2)
    await cache.save(ANN, {b"a": ONE, b"b": TWO})
    await cache.load(ANN, [b"a"])
    await cache.save(BEN, {b"c": THREE})

    assert (await cache.load(ANN, [b"a", b"b"])).keys() == {b"a"}
    assert (await cache.load(BEN, [b"c"])).keys() == {b"c"}
