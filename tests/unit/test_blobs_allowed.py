"""Which files may be read by path."""

import os
from pathlib import Path

import pytest

from memu_py.blobs.allowed import AllowedFiles, resolve_path
from memu_py.errors import AccessDenied, InvalidInput, NotFound


@pytest.fixture
def allowed(tmp_path: Path) -> Path:
    folder = tmp_path / "allowed"
    folder.mkdir()
    (folder / "note.md").write_text("tea")
    (tmp_path / "secret.md").write_text("code")
    (tmp_path / "allowed-not").mkdir()
    (tmp_path / "allowed-not" / "x.md").write_text("code")
    return folder


def test_a_file_inside_is_found(allowed: Path) -> None:
    assert resolve_path(allowed / "note.md", [allowed]) == allowed / "note.md"
    assert resolve_path(str(allowed / "sub" / ".." / "note.md"), [allowed]) == allowed / "note.md"


def test_a_relative_path_counts_from_the_working_directory(
    allowed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(allowed)
    assert resolve_path("note.md", [Path()]) == allowed / "note.md"


@pytest.mark.parametrize(
    "path", ["../secret.md", "../allowed-not/x.md", "sub/../../secret.md", "/etc/hostname", "../missing.md"]
)
def test_a_path_that_leads_outside_is_denied_whether_it_exists_or_not(allowed: Path, path: str) -> None:
    with pytest.raises(AccessDenied, match=r"blobs\.allowed_roots"):
        resolve_path(allowed / path, [allowed])


def test_a_link_that_leads_outside_is_denied(allowed: Path) -> None:
    (allowed / "link.md").symlink_to(allowed.parent / "secret.md")
    (allowed / "folder").symlink_to(allowed.parent)
    for path in ("link.md", "folder/secret.md"):
        with pytest.raises(AccessDenied):
            resolve_path(allowed / path, [allowed])


def test_a_link_that_stays_inside_is_followed(allowed: Path) -> None:
    (allowed / "link.md").symlink_to(allowed / "note.md")
    assert resolve_path(allowed / "link.md", [allowed]) == allowed / "note.md"


def test_a_root_may_be_a_link_or_a_single_file(allowed: Path) -> None:
    root = allowed.parent / "root"
    root.symlink_to(allowed)
    assert resolve_path(root / "note.md", [root]) == allowed / "note.md"
    assert resolve_path(allowed / "note.md", [allowed / "note.md"]) == allowed / "note.md"


def test_without_roots_nothing_may_be_read(allowed: Path) -> None:
    with pytest.raises(AccessDenied, match="none"):
        resolve_path(allowed / "note.md", [])


def test_a_missing_file_is_not_found(allowed: Path) -> None:
    with pytest.raises(NotFound, match="there is no file"):
        resolve_path(allowed / "missing.md", [allowed])


def test_a_folder_is_no_resource(allowed: Path) -> None:
    with pytest.raises(InvalidInput, match="folder"):
        resolve_path(allowed, [allowed])


def test_a_pipe_is_no_resource(allowed: Path) -> None:
    os.mkfifo(allowed / "pipe")
    with pytest.raises(InvalidInput, match="no regular file"):
        resolve_path(allowed / "pipe", [allowed])


def test_a_path_with_nul_is_no_path(allowed: Path) -> None:
    with pytest.raises(InvalidInput, match="no usable path"):
        resolve_path("note\0.md", [allowed])


async def test_a_file_is_read_whole(allowed: Path) -> None:
    assert await AllowedFiles([allowed]).read(allowed / "note.md") == (allowed / "note.md", b"tea")


async def test_a_file_larger_than_allowed_is_refused_with_the_numbers(allowed: Path) -> None:
    (allowed / "large").write_bytes(b"x" * 11)
    (allowed / "full").write_bytes(b"x" * 10)
    files = AllowedFiles([allowed], max_bytes=10)
    assert len((await files.read(allowed / "full"))[1]) == 10
    with pytest.raises(InvalidInput, match="has 11 bytes, and at most 10"):
        await files.read(allowed / "large")


async def test_a_file_that_cannot_be_opened_is_denied(allowed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def swapped(path: str, flags: int) -> int:
        Path(path).unlink()
        Path(path).symlink_to(allowed.parent / "secret.md")
        return opened(path, flags)

    monkeypatch.setattr(os, "open", swapped)
    with pytest.raises(AccessDenied, match="cannot be read"):
        await AllowedFiles([allowed]).read(allowed / "note.md")
