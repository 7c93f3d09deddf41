"""Paths: what is at them, and what cannot be looked at."""

import errno
import os
from pathlib import Path

import pytest

from memu_py.errors import AccessDenied, InvalidInput, NotFound
from memu_py.importers.archive import Archive
from memu_py.importers.opening import open_archives, unread_folder

UNPRIVILEGED = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


def folder(path: Path) -> Archive:
    (found,) = (one for one in open_archives(path, [path]) if isinstance(one, Archive))
    return found


def test_a_name_that_no_file_can_have_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="File name too long"):
        list(open_archives(tmp_path / ("n" * 300), [tmp_path]))
    with pytest.raises(InvalidInput, match="no usable path"):
        list(open_archives(tmp_path / "a\0b", [tmp_path]))


def test_a_folder_that_cannot_be_listed_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("a")
    monkeypatch.chdir(tmp_path)
    # Its whole path is longer than any program may name; nobody may list it, root neither.
    for _ in range(20):
        Path("d" * 250).mkdir()
        os.chdir("d" * 250)
    monkeypatch.chdir(tmp_path)
    found = folder(tmp_path)
    assert found.names == ("a.txt",)
    (left,) = found.left_out
    assert left.name.startswith(f"{tmp_path}/{'d' * 250}/{'d' * 250}/")
    assert left.reason == "it may not be read: File name too long"


@UNPRIVILEGED
def test_a_folder_without_permission_is_left_out_and_refused_when_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0)
    try:
        (left,) = folder(tmp_path).left_out
        assert (left.name, left.reason) == (f"{closed}", "it may not be read: Permission denied")
        with pytest.raises(AccessDenied, match=r"Permission denied.*permissions"):
            list(open_archives(closed, [tmp_path]))
        with pytest.raises(NotFound, match="Permission denied"):
            list(open_archives(closed / "x.txt", [tmp_path]))
    finally:
        closed.chmod(0o700)


def test_what_is_said_of_a_folder_that_may_not_be_read() -> None:
    root = Path("/data/mail")
    refused = PermissionError(errno.EACCES, "Permission denied", "/data/mail/old/2019")
    left = unread_folder(refused, root, "mail")
    assert (left.name, left.reason) == ("mail/old/2019", "it may not be read: Permission denied")
    with pytest.raises(AccessDenied, match="the folder mail cannot be taken in: it may not be read"):
        unread_folder(PermissionError(errno.EACCES, "Permission denied", "/data/mail"), root, "mail")
