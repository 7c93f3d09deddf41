"""Arrays with one value a row, and room for more rows."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)

Arrays = dict[str, NDArray[Any]]
"""Arrays by name; the first axis of each is the rows."""


def grown(array: NDArray[T], rows: int, empty: Any) -> NDArray[T]:
    """Return a copy with more rows.

    Args:
        array: (n, …).
        rows: at least n.
        empty: what stands in the new ones.
    """
    # Zeros come from the system page by page: rows that are not in use take no memory.
    larger = np.zeros((rows, *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    if not np.array_equal(empty, np.zeros((), dtype=array.dtype)):
        larger[len(array) :] = empty
    return larger
