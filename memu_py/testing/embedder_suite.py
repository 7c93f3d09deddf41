"""The contract suite for embedders.

::

    class TestMine(EmbedderSuite):
        @pytest.fixture
        def embedder(self) -> Embedder:
            return MyEmbedder()
"""

import asyncio

import numpy as np
import pytest

from memu_py.embedding.embedder import Embedder, Matrix

TOLERANCE = 1e-4
ALIKE = ("I love hiking in the mountains", "hiking in the mountains is what I love")
OTHER = "The invoice is due on the tenth"
SEVERAL = 150
LONG = "We walked along the river and talked about the old days. "
LONG_TIMES = 150


def close_to(one: Matrix, other: Matrix) -> bool:
    """Return whether two arrays are equal, but for what a batch of another size may change in the last digits."""
    return one.shape == other.shape and bool(np.allclose(one, other, atol=TOLERANCE))


class EmbedderSuite:
    """What every embedder must keep. Subclass it, and give the fixture `embedder`."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        """Return the embedder under test."""
        raise NotImplementedError

    async def test_rows_have_length_one_and_the_stated_dimension(self, embedder: Embedder) -> None:
        """One float32 row a text."""
        matrix = await embedder.embed([*ALIKE, OTHER], kind="passage")

        assert matrix.shape == (3, embedder.dimension)
        assert matrix.dtype == np.float32
        assert np.allclose(np.linalg.norm(matrix, axis=1), 1, atol=TOLERANCE)

    async def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        """An empty list is no special case."""
        assert (await embedder.embed([], kind="passage")).shape[0] == 0

    async def test_a_text_without_content_is_zero_or_of_length_one(self, embedder: Embedder) -> None:
        """White space is not an error, and does not disturb the others."""
        matrix = await embedder.embed(["", OTHER, " \n\t"], kind="passage")
        alone = await embedder.embed([OTHER], kind="passage")

        lengths = np.linalg.norm(matrix, axis=1)
        assert all(min(length, abs(length - 1)) < TOLERANCE for length in lengths)
        assert close_to(matrix[1:2], alone)

    async def test_only_texts_without_content_still_have_a_dimension(self, embedder: Embedder) -> None:
        """Nothing to send does not mean nothing to return."""
        matrix = await embedder.embed(["", " "], kind="passage")

        assert matrix.shape == (2, embedder.dimension)
        assert embedder.dimension

    async def test_the_same_text_has_the_same_vector(self, embedder: Embedder) -> None:
        """In one call, in two calls, and in any company."""
        both = await embedder.embed([ALIKE[0], OTHER, ALIKE[0]], kind="passage")
        again = await embedder.embed([ALIKE[0]], kind="passage")

        assert close_to(both[0:1], both[2:3])
        assert close_to(both[0:1], again)

    async def test_many_texts_keep_their_order(self, embedder: Embedder) -> None:
        """More than one batch."""
        texts = [f"number {place} of the list" for place in range(SEVERAL)]
        matrix = await embedder.embed(texts, kind="passage")

        assert matrix.shape[0] == SEVERAL
        for place in (0, SEVERAL // 2, SEVERAL - 1):
            assert close_to(matrix[place : place + 1], await embedder.embed([texts[place]], kind="passage"))

    async def test_a_long_text_is_embedded_whole(self, embedder: Embedder) -> None:
        """Its end counts too: nothing is cut off."""
        with_end, without = await embedder.embed(
            [LONG * LONG_TIMES + OTHER * 50, LONG * LONG_TIMES], kind="passage"
        )

        assert np.linalg.norm(with_end) == pytest.approx(1, abs=TOLERANCE)
        assert not np.allclose(with_end, without, atol=TOLERANCE)

    async def test_any_text_is_taken(self, embedder: Embedder) -> None:
        """Chinese, emoji, NUL, and halves of surrogate pairs."""
        matrix = await embedder.embed(
            ["我喜欢喝美式咖啡", "🦀🦀", "a\0b", "\ud800 x", "é" * 3000], kind="passage"
        )

        assert np.isfinite(matrix).all()
        assert matrix.shape[0] == 5

    async def test_texts_that_say_the_same_are_nearer(self, embedder: Embedder) -> None:
        """The point of it all."""
        (query,) = await embedder.embed([ALIKE[0]], kind="query")
        same, other = await embedder.embed([ALIKE[1], OTHER], kind="passage") @ query

        assert same > other

    async def test_calls_at_the_same_time_do_not_mix(self, embedder: Embedder) -> None:
        """Many callers share one embedder."""
        texts = [f"caller {place} has something to say" for place in range(8)]
        together = await asyncio.gather(*(embedder.embed([text], kind="passage") for text in texts))
        one_by_one = await embedder.embed(texts, kind="passage")

        assert close_to(np.concatenate(together), one_by_one)

    async def test_it_says_who_it_is_and_how_to_read_it(self, embedder: Embedder) -> None:
        """An id, and a calibration in order."""
        calibration = embedder.calibration

        assert embedder.id
        assert embedder.id == embedder.id.strip()
        assert -1 <= calibration.low < calibration.high <= 1
        assert -1 <= calibration.topic <= calibration.same <= 1

    async def test_it_closes_twice(self, embedder: Embedder) -> None:
        """Closing is idempotent, before and after work."""
        await embedder.embed([OTHER], kind="query")
        await embedder.close()
        await embedder.close()
