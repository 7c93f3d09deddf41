"""Column types: how values of records look in a database."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import BigInteger, Dialect, LargeBinary, Text
from sqlalchemy.types import TypeDecorator

from memu_py.storage.index_rows import TOKEN_SEPARATOR
from memu_py.storage.plain import dump_json, from_micros, load_json, to_micros

FLOAT32 = np.dtype("<f4")


def _time(value: int | None) -> datetime | None:
    return None if value is None else from_micros(value)


def _data(value: str | None) -> Any:
    return None if value is None else load_json(value)


class UtcMicros(TypeDecorator[datetime]):
    """A time as microseconds since 1970 in UTC."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Turn an aware time into a number."""
        return None if value is None else to_micros(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Turn a number into a time in UTC."""
        return _time(value)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[int | None], datetime | None]:
        """Read without the detour over the type below it, which changes nothing."""
        return _time


class JsonText(TypeDecorator[Any]):
    """Plain data as JSON text, its order kept."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Turn plain data into text."""
        return None if value is None else dump_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Turn text into plain data."""
        return _data(value)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[str | None], Any]:
        """Read without the detour over the type below it, which changes nothing."""
        return _data


class Bytes(LargeBinary):
    """Bytes that the driver takes as they are."""

    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> None:
        """Wrap nothing: drivers of today take `bytes`."""


class VectorBlob(TypeDecorator[NDArray[np.float32]]):
    """A vector as little-endian float32 numbers, one after the other."""

    impl = Bytes
    cache_ok = True

    def process_bind_param(self, value: NDArray[np.float32] | None, dialect: Dialect) -> bytes | None:
        """Turn a vector, shape (dimension,), into bytes."""
        return None if value is None else np.ascontiguousarray(value, dtype=FLOAT32).tobytes()

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> NDArray[np.float32] | None:
        """Turn bytes into a vector, shape (dimension,), that cannot be written to."""
        return None if value is None else np.frombuffer(value, dtype=FLOAT32)


class TokenText(TypeDecorator[tuple[str, ...]]):
    """Index tokens in order, one a line."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: tuple[str, ...] | None, dialect: Dialect) -> str | None:
        """Turn tokens into text."""
        return None if value is None else TOKEN_SEPARATOR.join(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> tuple[str, ...] | None:
        """Turn text into tokens."""
        parts = value.split(TOKEN_SEPARATOR) if value else ()
        return None if value is None else tuple(parts)
