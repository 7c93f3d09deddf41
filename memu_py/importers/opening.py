"""From a path to the archives there: a file, a zip, or a folder and the zips in it."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from memu_py.blobs.allowed import open_allowed, resolve_path, within_roots
from memu_py.errors import AccessDenied, InvalidInput, MemuError
from memu_py.importers.archive import DEFAULT_MAX_BYTES, Archive, Entry, LeftOut
from memu_py.importers.zipped import is_packed_folder, zip_archive


def open_archives(
    path: Path, roots: Sequence[Path], *, max_bytes: int = DEFAULT_MAX_BYTES, ours: Sequence[Path] = ()
) -> Iterator[Archive | tuple[str, MemuError]]:
    """Yield what is at a path: one archive, or for a folder itself and each zip in it.

    A zip in a folder that cannot be opened comes as its label and the error; a folder in it that may not be read is
    left out. Hidden files and folders are skipped, and linked folders are not entered.

    Args:
        path: absolute, or relative to the working directory.
        roots: allowed folders, or single files.
        max_bytes: what a zip may hold, and the largest file that is read whole.
        ours: files and folders of the memory itself, which are passed over in a folder, with what lies beside them
            under their names, such as `memu.db-wal`.

    Raises:
        AccessDenied: it leads outside the roots, or is a folder that may not be read.
        NotFound: there is nothing.
        InvalidInput: there is no file in it, it is no regular file, or a zip that is damaged, locked or too large.
    """
    label, target = str(path), within_roots(path, roots)
    if not _is_folder(target):
        yield _one(target, label, roots, max_bytes)
        return
    kept: list[Entry] = []
    packed: list[tuple[str, Path]] = []
    left_out: list[LeftOut] = []
    unread: list[OSError] = []
    for name, file in _files(target, unread.append, [one.resolve() for one in ours]):
        try:
            place = resolve_path(file, roots)
            with open_allowed(place, roots) as stream:
                if is_packed_folder(stream):
                    packed.append((name, place))
                else:
                    size = os.fstat(stream.fileno()).st_size
                    kept.append(Entry(name=name, size=size, url=place.as_uri()))
        except MemuError as error:
            left_out.append(LeftOut(name=f"{label}/{name}", reason=str(error)))
    left_out += (unread_folder(error, target, label) for error in unread)
    if not (kept or packed or left_out):
        msg = f"there is no file in {label}"
        raise InvalidInput(msg)
    kept.sort(key=lambda one: one.name)
    yield _folder(target, label, kept, left_out, roots, max_bytes)
    for name, place in packed:
        try:
            yield _one(place, f"{label}/{name}", roots, max_bytes)
        except MemuError as error:
            yield f"{label}/{name}", error


def _one(target: Path, label: str, roots: Sequence[Path], max_bytes: int) -> Archive:
    """Return a zip, or a file alone."""
    stream = open_allowed(target, roots)
    try:
        if is_packed_folder(stream):
            return zip_archive(stream, label, target.as_uri(), max_bytes=max_bytes)
        size = os.fstat(stream.fileno()).st_size
    except BaseException:
        stream.close()
        raise
    stream.close()
    entry = Entry(name=target.name, size=size, url=target.as_uri(), within=False)
    return Archive(label, [entry], lambda _: open_allowed(target, roots), max_bytes=max_bytes)


def _folder(
    target: Path,
    label: str,
    entries: Sequence[Entry],
    left_out: Sequence[LeftOut],
    roots: Sequence[Path],
    max_bytes: int,
) -> Archive:
    def opener(entry: Entry) -> BinaryIO:
        return open_allowed(target / entry.name, roots)

    return Archive(label, entries, opener, max_bytes=max_bytes, left_out=left_out)


def _is_folder(target: Path) -> bool:
    try:
        return target.is_dir()
    except OSError:
        # Whoever opens it says what is wrong with it.
        return False


def unread_folder(error: OSError, root: Path, label: str) -> LeftOut:
    """Return what to say of a folder that could not be listed.

    Args:
        error: what listing it raised; its `filename` is the folder.
        root: the folder that was asked for.
        label: what to call the root.

    Raises:
        AccessDenied: it is the root itself.
    """
    folder = Path(error.filename)
    reason = f"it may not be read: {error.strerror or error}"
    if folder == root:
        msg = f"the folder {label} cannot be taken in: {reason}"
        raise AccessDenied(msg, hint="look at its permissions")
    return LeftOut(name=f"{label}/{folder.relative_to(root).as_posix()}", reason=reason)


def _files(
    root: Path, refused: Callable[[OSError], None], ours: Sequence[Path]
) -> Iterator[tuple[str, Path]]:
    """Yield the files below a folder that are not hidden and not ours, with their names in it, in order.

    Args:
        root: the folder.
        refused: told of each folder that cannot be listed.
        ours: what is passed over, with what lies beside it under its name.
    """
    for folder, inner, names in os.walk(root, onerror=refused):
        inner[:] = sorted(name for name in inner if _is_wanted(Path(folder, name), ours))
        for name in sorted(names):
            path = Path(folder, name)
            if _is_wanted(path, ours):
                yield path.relative_to(root).as_posix(), path


def _is_wanted(path: Path, ours: Sequence[Path]) -> bool:
    beside = (one for one in ours if path.parent == one.parent)
    own = any(
        path.name == one.name or path.name.startswith((f"{one.name}-", f"{one.name}.")) for one in beside
    )
    return not own and not path.name.startswith(".")
