"""Files, folders and zips: what is in them, what is refused, and that nothing is believed."""

import io
import json
import os
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest

from memu_py.errors import AccessDenied, InvalidInput, MemuError, NotFound
from memu_py.importers.archive import Archive
from memu_py.importers.elements import CHUNK, elements, loads
from memu_py.importers.opening import open_archives
from memu_py.importers.zipped import is_packed_folder, zip_archive
from memu_py.modality.raw import MB
from memu_py.testing.exports import archive, chatgpt, zipped


def opened(path: Path, *, max_bytes: int = 10 * MB) -> list[Archive]:
    return [one for one in open_archives(path, [path], max_bytes=max_bytes) if isinstance(one, Archive)]


def forged(name: str, **header: int) -> bytes:
    """Return a zip of one file whose directory says something else of it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(name, b"a" * 1000)
        for key, value in header.items():
            setattr(packed.filelist[0], key, value)
    return out.getvalue()


def unzip(data: bytes, *, max_bytes: int = 10 * MB) -> Archive:
    return zip_archive(io.BytesIO(data), "x.zip", "file:///x.zip", max_bytes=max_bytes)


# Zips


def test_a_zip_gives_its_files_and_hides_what_is_hidden() -> None:
    found = archive(
        {"b/two.txt": "2", "one.txt": "1", ".DS_Store": "x", "b/.git/c": "x", "__MACOSX/b/._two.txt": "x"}
    )
    assert found.names == ("b/two.txt", "one.txt")
    assert found.read("b/two.txt") == b"2"
    assert [entry.url for entry in found][1] == "zip:file:///export.zip!/one.txt"
    assert found.left_out == ()
    with pytest.raises(NotFound):
        found.read("none.txt")


@pytest.mark.parametrize("name", ["../up.txt", "a/../../up.txt", "/etc/passwd", "C:/x.txt", "..\\up.txt"])
def test_names_that_lead_out_are_left_out(name: str) -> None:
    found = archive({name: "x", "good.txt": "y"})
    assert found.names == ("good.txt",)
    assert [one.reason for one in found.left_out] == ["its name leads out of the zip"]


def test_links_nested_zips_and_twins_are_left_out() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(link, "/etc/passwd")
        packed.writestr("inner.zip", zipped({"a": "x"}))
        packed.writestr("a\\b.txt", "windows")
        packed.writestr("a/b.txt", "twin")
    found = unzip(out.getvalue())
    assert (found.names, found.read("a/b.txt")) == (("a/b.txt",), b"windows")
    assert [one.reason.split(";")[0] for one in found.left_out] == [
        "it is a link",
        "a zip within a zip is not opened",
        "another file has the same name",
    ]


def test_names_of_old_programs_are_read_in_the_encoding_of_their_machine() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("__.txt", "x")
    data = out.getvalue().replace(b"__.txt", "聊.txt".encode("gb18030"))
    assert unzip(data).names == ("聊.txt",)


def test_what_is_locked_is_refused() -> None:
    data = bytearray(zipped({"a.txt": "x"}))
    for mark, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        data[data.index(mark) + offset] |= 1
    with pytest.raises(InvalidInput, match="locked with a password"):
        unzip(bytes(data))


def test_a_bomb_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match="holds 12 MB unpacked, and at most 10 MB are"):
        unzip(zipped({"a": bytes(12 * MB)}))
    with pytest.raises(InvalidInput, match="a says that it unpacks to 12 MB"):
        unzip(zipped({"a": bytes(12 * MB)}), max_bytes=100 * MB)
    monkeypatch.setattr("memu_py.importers.zipped.MAX_MEMBERS", 10)
    with pytest.raises(InvalidInput, match="holds 11 files, and at most 10 are taken"):
        unzip(zipped(dict.fromkeys(map(str, range(11)), b"")))


def test_files_that_share_their_bytes_are_refused() -> None:
    data = bytearray(zipped({"a.txt": "x", "b.txt": "y"}))
    data[data.rindex(b"PK\x01\x02") + 42 : data.rindex(b"PK\x01\x02") + 46] = bytes(4)
    with pytest.raises(InvalidInput, match=r"parts of x\.zip lie over each other"):
        unzip(bytes(data))


def test_a_directory_that_is_a_bomb_is_not_read_to_tell_what_a_file_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = zipped({"[Content_Types].xml": "x", "a.txt": "x", "b.txt": "x"})
    assert not is_packed_folder(io.BytesIO(data))
    monkeypatch.setattr("memu_py.importers.zipped.MAX_MEMBERS", 2)
    assert is_packed_folder(io.BytesIO(data))


def test_a_size_that_is_a_lie_gives_an_error_and_no_more_bytes_than_it_says() -> None:
    data = forged("a.txt", file_size=10)
    with pytest.raises(InvalidInput, match="is it damaged"):
        unzip(data).read("a.txt")


def test_a_file_larger_than_may_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(bytes(2 * MB))
    (found,) = opened(tmp_path, max_bytes=MB)
    with pytest.raises(InvalidInput, match=r"has 2 MB, and at most 1 are read.*max_unpacked_mb"):
        found.read("a.json")


@pytest.mark.parametrize(
    "data",
    [b"PK\x03\x04", b"PK\x05\x06" + bytes(18), b"", zipped({"a": "x" * 99})[:-8]],
    ids=["start", "end", "empty", "cut"],
)
def test_a_zip_that_is_none_is_refused(data: bytes) -> None:
    if data.startswith(b"PK\x05\x06"):
        assert unzip(data).names == ()
        return
    with pytest.raises(InvalidInput, match="no usable zip"):
        unzip(data)


# Folders


def test_a_folder_gives_its_files_and_each_zip_in_it(tmp_path: Path) -> None:
    (tmp_path / "deep" / ".git").mkdir(parents=True)
    (tmp_path / "deep" / "a.txt").write_text("a")
    (tmp_path / "deep" / ".git" / "b").write_text("b")
    (tmp_path / "z.zip").write_bytes(zipped({"c.txt": "c"}))
    (tmp_path / "word.docx").write_bytes(zipped({"[Content_Types].xml": "x", "word/document.xml": "x"}))
    os.mkfifo(tmp_path / "pipe")
    folder, packed = opened(tmp_path)
    assert folder.names == ("deep/a.txt", "word.docx")
    assert next(entry.url for entry in folder) == (tmp_path / "deep" / "a.txt").as_uri()
    assert (packed.names, packed.label) == (("c.txt",), f"{tmp_path}/z.zip")
    assert [one.name for one in folder.left_out] == [f"{tmp_path}/pipe"]
    for one in (folder, packed):
        one.close()


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (inside / "a.txt").write_text("a")
    (inside / "link.txt").symlink_to(outside / "secret.txt")
    (inside / "folder").symlink_to(outside)
    (inside / "same.txt").symlink_to(inside / "a.txt")
    (folder,) = opened(inside)
    assert folder.names == ("a.txt", "same.txt")
    assert [(one.name, "lies outside" in one.reason) for one in folder.left_out] == [
        (f"{inside}/link.txt", True)
    ]
    with pytest.raises(AccessDenied):
        list(open_archives(outside, [inside]))
    with pytest.raises(AccessDenied):
        list(open_archives(inside / "link.txt", [inside]))


def test_a_file_swapped_for_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "in" / "a.txt").write_text("a")
    (folder,) = opened(tmp_path / "in")
    (tmp_path / "in" / "a.txt").unlink()
    (tmp_path / "in" / "a.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(AccessDenied):
        folder.read("a.txt")


def test_a_bad_zip_in_a_folder_does_not_hide_the_rest(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04" + bytes(50))
    folder, (label, error) = open_archives(tmp_path, [tmp_path])
    assert isinstance(folder, Archive)
    assert (label, type(error)) == (f"{tmp_path}/bad.zip", InvalidInput)
    with pytest.raises(InvalidInput, match="no usable zip"):
        list(open_archives(tmp_path / "bad.zip", [tmp_path]))


def test_nothing_is_said_to_be_nothing(tmp_path: Path) -> None:
    (tmp_path / ".hidden").write_text("x")
    with pytest.raises(InvalidInput, match="there is no file in"):
        list(open_archives(tmp_path, [tmp_path]))
    with pytest.raises(NotFound):
        list(open_archives(tmp_path / "none", [tmp_path]))


# Large lists


class Slow(io.RawIOBase):
    """A stream that counts what is asked of it, and gives little at a time."""

    def __init__(self, data: bytes, most: int) -> None:
        self.rest = io.BytesIO(data)
        self.most = most
        self.reads = 0

    def read(self, size: int = -1) -> bytes:
        self.reads += 1
        return self.rest.read(min(size, self.most))


def listed(data: bytes, most: int = CHUNK) -> list[Any]:
    return list(elements(Slow(data, most), "a.json"))  # type: ignore[arg-type]


@pytest.mark.parametrize("most", [1, 2, 3, 7, CHUNK])
def test_elements_are_the_same_however_the_bytes_come(most: int) -> None:
    value = [{"a": "茶", "b": [1, 2.5, None]}, 1234, "x]", [], {"mapping": {}}, True]
    for indent in (None, 2):
        data = "\ufeff".encode() + json.dumps(value, ensure_ascii=False, indent=indent).encode()
        assert listed(data, most) == value


def test_one_value_is_one_element_and_an_empty_list_none() -> None:
    assert listed(json.dumps(chatgpt()).encode()) == [chatgpt()]
    assert listed(b" [ ] ") == []


def test_only_as_much_is_read_as_is_needed() -> None:
    stream = Slow(b"[" + b'{"a": 1},' * 1_000_000, CHUNK)
    going = elements(stream, "a.json")  # type: ignore[arg-type]
    assert (next(going), stream.reads) == ({"a": 1}, 1)


@pytest.mark.parametrize(
    "data", [b"[1, 2", b"[{", b'["a', b"[1, nope]", b"", b"[" * 100_000, b"[" + b"9" * 5000 + b"]"]
)
def test_what_is_no_json_is_an_error(data: bytes) -> None:
    with pytest.raises(InvalidInput):
        listed(data)


def test_numbers_that_json_has_not_are_none() -> None:
    assert loads("[NaN, Infinity, 1e999, 1.5]") == [None, None, None, 1.5]


def test_a_damaged_member_is_an_error_while_it_is_read() -> None:
    data = bytearray(zipped({"a.json": json.dumps([chatgpt(str(n)) for n in range(50)])}))
    data[200] ^= 0xFF
    found = unzip(bytes(data))
    with pytest.raises(MemuError), found.open("a.json") as stream:
        list(elements(stream, "a.json"))
