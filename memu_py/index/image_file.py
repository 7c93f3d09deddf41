"""An index image in a file: written whole, and read by mapping it into memory.

A magic line, the length of the header, its hash, the header as JSON, then arrays, each on a page of its own. Arrays by
row end in a hole, which takes no place on the disk: rows that come later are written there, in memory only, as the file
itself is never changed. A file that is cut, damaged or from another kind of machine does not count.
"""

import json
import mmap
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from memu_py._core import bytes_hash
from memu_py.index.arrays import Arrays
from memu_py.index.image import IndexImage

MAGIC = f"memu index 1 {sys.byteorder}\n".encode()
LENGTH_BYTES, HASH_BYTES = 8, 64
PREFIX = len(MAGIC) + LENGTH_BYTES + HASH_BYTES

ROOM = 0.25
"""Share of rows for which there is room after the last."""

MIN_ROOM = 1024


def write_image(path: Path, image: IndexImage, about: Mapping[str, Any]) -> None:
    """Write an image beside its place, and put it there whole.

    Args:
        path: its place; the folder is made.
        image: no array of it may change meanwhile.
        about: what `read_image` will compare, plain data.

    Raises:
        OSError: the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    writing = path.with_name(f"{path.stem}.{secrets.token_hex(4)}.writing")
    try:
        with writing.open("xb") as file:
            _write(file, image, about)
        writing.replace(path)
    finally:
        writing.unlink(missing_ok=True)


def _write(file: BinaryIO, image: IndexImage, about: Mapping[str, Any]) -> None:
    arrays = [(name, array, True) for name, array in image.by_row.items()]
    arrays += [(name, array, False) for name, array in image.whole.items()]
    entries: dict[str, dict[str, Any]] = {}
    end = 0
    for name, array, by_row in arrays:
        rows = len(array) + (max(MIN_ROOM, int(ROOM * len(array))) if by_row else 0)
        entries[name] = {
            "dtype": np.lib.format.dtype_to_descr(array.dtype),
            "shape": array.shape,
            "rows": rows,
            "by_row": by_row,
            "offset": end,
            "hash": bytes_hash(_bytes(array)),
        }
        end = _page(end + rows * array.itemsize * int(np.prod(array.shape[1:])))
    header = json.dumps({"about": dict(about), "speakers": image.speakers, "arrays": entries}).encode()
    start = _page(PREFIX + len(header))
    file.write(MAGIC + len(header).to_bytes(LENGTH_BYTES, "little") + bytes_hash(header).encode() + header)
    for name, array, _ in arrays:
        file.seek(start + entries[name]["offset"])
        file.write(_bytes(array).data)
    file.truncate(start + end)


def read_image(path: Path) -> tuple[IndexImage, dict[str, Any]] | None:
    """Map an image, without copying it. Its arrays can be written to; the file stays as it is.

    Returns:
        The image and what it is about; None when there is no file, or it does not count.
    """
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        return _read(mapped)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _read(mapped: mmap.mmap) -> tuple[IndexImage, dict[str, Any]] | None:
    length = int.from_bytes(mapped[len(MAGIC) : len(MAGIC) + LENGTH_BYTES], "little")
    header = mapped[PREFIX : PREFIX + length]
    if mapped[: len(MAGIC)] != MAGIC or bytes_hash(header).encode() != mapped[PREFIX - HASH_BYTES : PREFIX]:
        return None
    fields = json.loads(header)
    start = _page(PREFIX + length)
    by_row: Arrays = {}
    whole: Arrays = {}
    for name, entry in fields["arrays"].items():
        dtype = np.lib.format.descr_to_dtype(_tuples(entry["dtype"]))
        used, *others = entry["shape"]
        shape = (entry["rows"], *others)
        array: NDArray[Any] = np.ndarray(shape, dtype, buffer=mapped, offset=start + entry["offset"])
        if bytes_hash(_bytes(array[:used])) != entry["hash"]:
            return None
        (by_row if entry["by_row"] else whole)[name] = array
    image = IndexImage(by_row=by_row, whole=whole, speakers=tuple(fields["speakers"]))
    return image, fields["about"]


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).view(np.uint8).reshape(-1)


def _page(offset: int) -> int:
    return -(-offset // mmap.PAGESIZE) * mmap.PAGESIZE


def _tuples(descr: Any) -> Any:
    """Return a description of a type as it was before JSON made lists of tuples."""
    return [tuple(field) for field in descr] if isinstance(descr, list) else descr
