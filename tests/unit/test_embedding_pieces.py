"""Long texts: cut into pieces, joined to one vector; batches; the embedding thread."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from memu_py.embedding.embedder import Matrix
from memu_py.embedding.pieces import pieces_of, unit_rows
from memu_py.embedding.worker import BATCH_CHARS, batches, encode, on_thread

TEXTS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60), max_size=6)


@given(TEXTS, st.integers(1, 20))
def test_nothing_but_white_space_is_lost(texts: list[str], max_chars: int) -> None:
    pieces = pieces_of(texts, max_chars=max_chars)

    assert all(0 < len(piece) <= max_chars for piece in pieces.texts)
    for place, text in enumerate(texts):
        mine = [piece for piece, owner in zip(pieces.texts, pieces.owners, strict=True) if owner == place]
        assert "".join("".join(mine).split()) == "".join(text.split())


def test_a_text_is_cut_at_white_space_near_the_end_of_a_piece() -> None:
    assert pieces_of(["one twos three four"], max_chars=10).texts == ("one twos ", "three four")
    assert pieces_of(["abcdefghijkl"], max_chars=10).texts == ("abcdefghij", "kl")


def test_what_is_no_unicode_is_replaced() -> None:
    assert pieces_of(["a\ud800b\0c", "\ud83e\udd80"], max_chars=10).texts == ("a\ufffdb\ufffdc", "🦀")


def test_a_vector_is_the_mean_of_its_pieces_by_length() -> None:
    pieces = pieces_of(["", "aaab", "c"], max_chars=3)
    assert pieces.texts == ("aaa", "b", "c")

    joined = pieces.joined(np.array([[1, 0], [0, 1], [0, 1]], dtype=np.float32))

    assert joined[0].tolist() == [0, 0]
    assert joined[1].tolist() == pytest.approx([3 / 10**0.5, 1 / 10**0.5])
    assert joined[2].tolist() == [0, 1]


@given(arrays.arrays(np.float32, (3, 4), elements=st.floats(-(2.0**100), 2.0**100, width=32)))
def test_rows_have_length_one_or_zero(matrix: Matrix) -> None:
    lengths = np.linalg.norm(unit_rows(matrix), axis=1)

    assert np.all(np.isclose(lengths, 1, atol=1e-5) | (lengths == 0))


@given(st.lists(st.integers(0, 3 * BATCH_CHARS), max_size=20), st.integers(1, 5))
def test_batches_hold_all_pieces_within_their_limits(lengths: list[int], size: int) -> None:
    pieces = ["x" * length for length in lengths]
    bounds = list(batches(pieces, size))

    assert [place for start, end in bounds for place in range(start, end)] == list(range(len(pieces)))
    for start, end in bounds:
        assert 1 <= end - start <= size
        assert end - start == 1 or sum(lengths[start:end]) <= BATCH_CHARS


def row_of_lengths(texts: Sequence[str]) -> Matrix:
    return np.array([[len(text), 1] for text in texts], dtype=np.float32)


async def test_pieces_come_back_in_their_order() -> None:
    texts = ["a" * length for length in (5, 1, 4, 2, 3)]

    matrix = await encode(texts, row_of_lengths, batch_size=2, dimension=2)

    assert matrix[:, 0].tolist() == [5, 1, 4, 2, 3]


async def test_all_work_is_done_on_one_thread_that_is_not_the_loops() -> None:
    threads: set[int] = set()

    def work(texts: Sequence[str]) -> Matrix:
        threads.add(threading.get_ident())
        return row_of_lengths(texts)

    await asyncio.gather(*(encode(["a", "b"], work, batch_size=1, dimension=2) for _ in range(3)))

    assert len(threads) == 1
    assert threading.get_ident() not in threads


async def test_a_question_slips_in_between_the_batches_of_a_bulk() -> None:
    order: list[str] = []
    started = asyncio.Event()
    loop = asyncio.get_running_loop()
    go_on = threading.Event()

    def work(texts: Sequence[str]) -> Matrix:
        if not order:
            loop.call_soon_threadsafe(started.set)
            go_on.wait(10)
        order.extend(texts)
        return row_of_lengths(texts)

    bulk = asyncio.create_task(encode(["b1", "b2", "b3"], work, batch_size=1, dimension=2))
    await started.wait()
    question = asyncio.create_task(on_thread(work, ["question"]))
    await asyncio.sleep(0)
    go_on.set()
    await asyncio.gather(bulk, question)

    assert order == ["b1", "question", "b2", "b3"]


FORKING = """
import asyncio, os, sys
import numpy as np
from memu_py.embedding.worker import on_thread


def work(texts):
    return np.array([[len(text)] for text in texts], dtype=np.float32)


def run():
    return int(asyncio.run(asyncio.wait_for(on_thread(work, ["abc"]), 20))[0, 0])


run()
child = os.fork()
if child == 0:
    os._exit(run())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_process_has_an_embedding_thread_of_its_own() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKING], check=False, timeout=100)

    assert done.returncode == 3
