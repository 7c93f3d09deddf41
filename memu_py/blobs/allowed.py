"""Which files of the machine may be read when a caller names a path."""

import asyncio
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from memu_py.errors import AccessDenied, InvalidInput, NotFound

MB = 1024 * 1024
DEFAULT_MAX_BYTES = 50 * MB


def resolve_path(path: Path | str, roots: Sequence[Path]) -> Path:
    """Return where a path leads, links and `..` followed, if it is a file inside an allowed folder.

    Args:
        path: absolute, or relative to the working directory.
        roots: allowed folders, or single files.

    Raises:
        AccessDenied: it leads outside the roots, whether it exists or not.
        NotFound: there is no such file.
        InvalidInput: it is a folder, or no regular file, or no usable path.
    """
    target = within_roots(path, roots)
    _check_kind(target, path)
    return target


def within_roots(path: Path | str, roots: Sequence[Path]) -> Path:
    """Return where a path leads, links and `..` followed, if that is inside an allowed folder.

    Args:
        path: absolute, or relative to the working directory; nobody looks whether it is there.
        roots: allowed folders, or single files.

    Raises:
        AccessDenied: it leads outside the roots.
        InvalidInput: it is no usable path.
    """
    try:
        target = Path(path).resolve()
        inside = any(target.is_relative_to(Path(root).resolve()) for root in roots)
    except (ValueError, OSError, RuntimeError) as error:
        msg = f"{str(path)!r} is no usable path: {error}"
        raise InvalidInput(msg) from error
    if not inside:
        allowed = ", ".join(str(root) for root in roots) or "none"
        msg = f"{path} lies outside the folders that may be read ({allowed})"
        raise AccessDenied(msg, hint="add its folder to `blobs.allowed_roots`, or pass the content as `data`")
    return target


def open_allowed(path: Path | str, roots: Sequence[Path]) -> BinaryIO:
    """Open a file inside the allowed folders, for reading.

    Args:
        path: absolute, or relative to the working directory.
        roots: allowed folders, or single files.

    Raises:
        AccessDenied: it leads outside the roots, or may not be read by this process.
        NotFound: there is no such file.
        InvalidInput: it is no regular file.
    """
    target = resolve_path(path, roots)
    try:
        return open(target, "rb", opener=_no_link)
    except OSError as error:
        raise _unreadable(path, error) from error


def _check_kind(target: Path, path: Path | str) -> None:
    try:
        mode = target.stat().st_mode
    except OSError as error:
        msg = f"there is no file {path}"
        raise NotFound(msg, hint=error.strerror) from error
    if stat.S_ISDIR(mode):
        msg = f"{path} is a folder"
        raise InvalidInput(msg, hint="`memorize_all` takes in all that is in it")
    if not stat.S_ISREG(mode):
        msg = f"{path} is no regular file"
        raise InvalidInput(msg)


class AllowedFiles:
    """Reads files inside the allowed folders, up to a size.

    Args:
        roots: allowed folders, or single files (`blobs.allowed_roots`).
        max_bytes: larger files are refused (`blobs.max_bytes`).
    """

    def __init__(self, roots: Sequence[Path], *, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self._roots = tuple(roots)
        self._max_bytes = max_bytes

    async def read(self, path: Path) -> tuple[Path, bytes]:
        """Return where a path leads, and the bytes there; off the event loop.

        Raises:
            AccessDenied: it leads outside the roots, or may not be read by this process.
            NotFound: there is no such file.
            InvalidInput: it is no regular file, or too large.
        """
        return await asyncio.to_thread(self._read, path)

    def _read(self, path: Path) -> tuple[Path, bytes]:
        target = resolve_path(path, self._roots)
        try:
            with open_allowed(target, self._roots) as file:
                size = os.fstat(file.fileno()).st_size
                data = file.read(self._max_bytes + 1) if size <= self._max_bytes else b""
        except OSError as error:
            raise _unreadable(path, error) from error
        if max(size, len(data)) > self._max_bytes:
            msg = f"{path} has {max(size, len(data))} bytes, and at most {self._max_bytes} are taken"
            raise InvalidInput(msg, hint="raise `blobs.max_bytes`, or split it")
        return target, data


def _unreadable(path: Path | str, error: OSError) -> AccessDenied:
    return AccessDenied(f"{path} cannot be read: {error.strerror or error}")


def _no_link(path: str, flags: int) -> int:
    """Open a resolved path only if nobody put a link, or a pipe to wait on, in its place since."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
