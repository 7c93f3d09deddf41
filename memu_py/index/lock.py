"""A lock that many readers share and one writer has alone."""

import contextlib
import threading
from collections.abc import Iterator


class ReadWriteLock:
    """Many readers or one writer; a waiting writer goes before new readers.

    It is not re-entrant: a thread that reads must not ask again before it has let go.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._readers = 0
        self._waiting = 0
        self._writing = False

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the lock together with other readers."""
        with self._condition:
            self._condition.wait_for(self._open_to_readers)
            self._readers += 1
        try:
            yield
        finally:
            with self._condition:
                self._readers -= 1
                self._condition.notify_all()

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock alone."""
        with self._condition:
            self._waiting += 1
            try:
                self._condition.wait_for(self._open_to_a_writer)
                self._writing = True
            finally:
                self._waiting -= 1
        try:
            yield
        finally:
            with self._condition:
                self._writing = False
                self._condition.notify_all()

    def _open_to_readers(self) -> bool:
        return not self._writing and not self._waiting

    def _open_to_a_writer(self) -> bool:
        return not self._writing and not self._readers
