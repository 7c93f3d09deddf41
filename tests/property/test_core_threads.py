"""The kernels let other Python threads run while they work."""

import multiprocessing
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from memu_py import _core

ATTEMPTS = 20


def vectors() -> Callable[[], object]:
    matrix = np.ones((60_000, 128), dtype=np.float32)
    return lambda: _core.cosine_top_k(matrix, matrix[0], 10)


def texts() -> Callable[[], object]:
    batch = ["Running dogs ran to Ann's cat with gpt-4, node.js and C++."] * 1_000
    return lambda: _core.tokenize(batch)


def keywords() -> Callable[[], object]:
    index = _core.KeywordIndex()
    rows = np.arange(60_000, dtype=np.uint32)
    index.add(rows, ["tea\nmilk"] * len(rows), np.zeros(len(rows), dtype=np.int64), rows.astype(np.int64))
    return lambda: index.search(["tea", "milk"], 10, None, [0.5, 0.25])


@pytest.mark.parametrize("make", [vectors, texts, keywords])
def test_the_gil_is_released(make: Callable[[], Callable[[], object]]) -> None:
    work = make()
    ticks: list[float] = []
    calls: list[tuple[float, float]] = []
    done = threading.Event()

    def run() -> None:
        for _ in range(ATTEMPTS):
            start = time.perf_counter()
            work()
            calls.append((start, time.perf_counter()))
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    while not done.is_set():
        ticks.append(time.perf_counter())
    thread.join()
    # A held lock lets nothing happen within a call but at its very edges.
    middles = [(end - start, start, end) for start, end in calls]
    edge = 0.2
    assert any(
        start + edge * width < tick < end - edge * width for width, start, end in middles for tick in ticks
    )


def search_in_child(answers: "multiprocessing.Queue[list[int]]") -> None:
    matrix = np.eye(600, dtype=np.float32)
    answers.put(_core.cosine_top_k(matrix, matrix[7], 1)[0].tolist())


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_forked_child_does_not_wait_for_threads_that_are_gone() -> None:
    matrix = np.eye(600, dtype=np.float32)
    assert _core.cosine_top_k(matrix, matrix[3], 1)[0].tolist() == [3]
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=search_in_child, args=(answers,))
    child.start()
    assert answers.get(timeout=60) == [7]
    child.join(timeout=60)
    assert child.exitcode == 0
