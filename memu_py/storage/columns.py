"""Column types: how values of records look in a database."""

import struct
from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import BigInteger, Dialect, Float, LargeBinary, Text, type_coerce
from sqlalchemy.types import NullType, TypeDecorator, TypeEngine, UserDefinedType

from memu_py.storage.dialect import POSTGRES, vector_bytes
from memu_py.storage.index_rows import TOKEN_SEPARATOR
from memu_py.storage.plain import dump_json, from_micros, load_json, to_micros

FLOAT32 = np.dtype("<f4")
SENT = np.dtype(">f4")
SENT_HEADER = 4
"""Bytes before the numbers that pgvector sends: their count, and two that are not used."""


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


class AnyNumber(TypeDecorator[float]):
    """A number of any size, to compare with; PostgreSQL would refuse to bind one that its column cannot hold."""

    impl = NullType
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return how the dialect binds it."""
        return dialect.type_descriptor(Float() if dialect.name == POSTGRES else NullType())


class Bytes(LargeBinary):
    """Bytes that the driver takes as they are."""

    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> None:
        """Wrap nothing: drivers of today take `bytes`."""


class UtcMoments(TypeDecorator[tuple[datetime, ...]]):
    """Times in UTC, one after the other, each in eight bytes of microseconds since 1970."""

    impl = Bytes
    cache_ok = True

    def process_bind_param(self, value: tuple[datetime, ...] | None, dialect: Dialect) -> bytes | None:
        """Turn aware times into bytes."""
        return None if value is None else struct.pack(f"<{len(value)}q", *map(to_micros, value))

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> tuple[datetime, ...] | None:
        """Turn bytes into times."""
        return (
            None if value is None else tuple(from_micros(one) for (one,) in struct.iter_unpack("<q", value))
        )


class PgVector(UserDefinedType[Any]):
    """pgvector's `vector`, of any dimension."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        """Return its name."""
        return "vector"


class VectorBytes(TypeDecorator[bytes]):
    """A vector as it is stored, read as little-endian float32 numbers, one after the other."""

    impl = Bytes
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return pgvector's type, or bytes."""
        return dialect.type_descriptor(PgVector() if dialect.name == POSTGRES else Bytes())

    def column_expression(self, column: Any) -> Any:
        """Read the bytes and not a text of the numbers."""
        return type_coerce(vector_bytes(column), self)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        """Bring the numbers into our order."""
        if value is None or dialect.name != POSTGRES:
            return value
        return np.frombuffer(value, dtype=SENT, offset=SENT_HEADER).astype(FLOAT32).tobytes()


def sent_vector(vector: NDArray[np.float32]) -> bytes:
    """Return a vector, shape (dimension,), in the form in which pgvector sends and takes it."""
    return struct.pack(">HH", len(vector), 0) + np.asarray(vector, dtype=SENT).tobytes()


def vector_text(vector: NDArray[np.float32]) -> str:
    """Return a vector, shape (dimension,), as pgvector writes it."""
    return f"[{','.join(map(repr, vector.tolist()))}]"


class VectorBlob(VectorBytes):
    """A vector: bytes of float32 numbers, or pgvector's type."""

    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Turn a vector, shape (dimension,), into what the driver takes."""
        if value is None:
            return None
        numbers = np.ascontiguousarray(value, dtype=FLOAT32)
        return vector_text(numbers) if dialect.name == POSTGRES else numbers.tobytes()

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Turn bytes into a vector, shape (dimension,), that cannot be written to."""
        kept = super().process_result_value(value, dialect)
        return None if kept is None else np.frombuffer(kept, dtype=FLOAT32)


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
