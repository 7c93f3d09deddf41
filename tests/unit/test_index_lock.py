"""The lock under the index: readers share, a writer is alone and goes first."""

import threading
from collections.abc import Callable

import pytest

from memu_py.index.lock import ReadWriteLock

SOON = 5.0
"""Seconds that a thread may take for what it does at once."""


def started(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def reads(lock: ReadWriteLock, reached: threading.Event) -> Callable[[], None]:
    def work() -> None:
        with lock.reading():
            reached.set()

    return work


def writes(lock: ReadWriteLock, reached: threading.Event) -> Callable[[], None]:
    def work() -> None:
        with lock.writing():
            reached.set()

    return work


def until_a_writer_waits(lock: ReadWriteLock) -> None:
    with lock._condition:
        while not lock._waiting:
            lock._condition.wait(0.001)


def test_readers_share() -> None:
    lock, reached = ReadWriteLock(), threading.Event()

    with lock.reading():
        started(reads(lock, reached))
        assert reached.wait(SOON)


def test_a_writer_waits_for_the_last_reader() -> None:
    lock, reached = ReadWriteLock(), threading.Event()

    with lock.reading():
        thread = started(writes(lock, reached))
        until_a_writer_waits(lock)
        assert not reached.is_set()

    thread.join(SOON)
    assert reached.is_set()


def test_a_reader_waits_for_the_writer() -> None:
    lock, reached = ReadWriteLock(), threading.Event()

    with lock.writing():
        thread = started(reads(lock, reached))
        assert not reached.wait(0.02)

    thread.join(SOON)
    assert reached.is_set()


def test_writers_take_turns() -> None:
    lock, reached = ReadWriteLock(), threading.Event()

    with lock.writing():
        thread = started(writes(lock, reached))
        until_a_writer_waits(lock)
        assert not reached.is_set()

    thread.join(SOON)
    assert reached.is_set()


def test_a_waiting_writer_goes_before_new_readers() -> None:
    lock, wrote, read = ReadWriteLock(), threading.Event(), threading.Event()

    with lock.reading():
        writer = started(writes(lock, wrote))
        until_a_writer_waits(lock)
        reader = started(reads(lock, read))
        assert not read.wait(0.02)

    writer.join(SOON)
    reader.join(SOON)
    assert wrote.is_set()
    assert read.is_set()


def test_an_error_inside_lets_go() -> None:
    lock = ReadWriteLock()

    for hold in (lock.reading, lock.writing):
        with pytest.raises(RuntimeError), hold():
            raise RuntimeError

    with lock.writing():
        pass
