"""One guard for all ZIP files: what was made to break what unpacks it is refused before it is unpacked."""

import contextlib
import io
import struct
import zipfile
from collections.abc import Iterable

import pytest

from memu_py.errors import InvalidInput
from memu_py.modality import guarded as module
from memu_py.modality.guarded import PackedLimits, check_count, guarded
from memu_py.modality.raw import MB

LIMITS = PackedLimits(max_bytes=100 * MB, max_members=10, hint="split it")


def zipped(names: Iterable[str], content: bytes = b"x", *, comment: bytes = b"") -> bytearray:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.comment = comment
        for name in names:
            packed.writestr(name, content)
    return bytearray(out.getvalue())


def names(data: bytes | bytearray, limits: PackedLimits = LIMITS) -> list[str]:
    with guarded(io.BytesIO(data), limits, what="the file") as found:
        return found.namelist()


def never(*_given: object, **_more: object) -> None:
    raise AssertionError("its directory was read")


def long_form(data: bytes | bytearray, *, count: int, size: int) -> bytes:
    """Return a ZIP file whose end stands there in the longer form, and says this."""
    end = len(data) - 22
    long = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, max(0, end - size))
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, end, 1)
    short = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return bytes(data[:end]) + long + locator + short


def test_an_honest_file_is_opened() -> None:
    assert names(zipped(map(str, range(10)))) == list(map(str, range(10)))
    assert names(zipped(["a"], comment=b"made by PK\x05 of hand")) == ["a"]
    assert names(b"something before it" + zipped(["a"])) == ["a"]
    data = zipped(["a"])
    size = struct.unpack_from("<L", data, len(data) - 10)[0]
    assert names(long_form(data, count=1, size=size)) == ["a"]
    assert names(zipped([])) == []
    with pytest.raises(InvalidInput, match="no usable zip"):
        names(long_form(data, count=1, size=1 << 40))


@pytest.mark.parametrize("comment", [b"", b"a comment"])
def test_too_many_files_are_refused_before_their_directory_is_read(
    comment: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = zipped(map(str, range(11)), comment=comment)
    end = data.rindex(b"PK\x05\x06")
    lying = data.copy()
    lying[end + 8 : end + 12] = bytes([1, 0, 1, 0])
    assert len(zipfile.ZipFile(io.BytesIO(lying)).namelist()) == 11
    monkeypatch.setattr("zipfile.ZipFile", never)

    for one in (data, lying):
        with pytest.raises(
            InvalidInput, match=r"the file holds 11 files, and at most 10 are taken \(split it\)"
        ):
            names(one)


def test_the_longer_form_of_the_end_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zipped(map(str, range(11)))
    size = struct.unpack_from("<L", data, len(data) - 10)[0]
    assert len(zipfile.ZipFile(io.BytesIO(long_form(data, count=1, size=size))).namelist()) == 11
    monkeypatch.setattr("zipfile.ZipFile", never)

    for count in (1, 11):
        with pytest.raises(InvalidInput, match="holds 11 files"):
            names(long_form(data, count=count, size=size))


def test_an_end_within_the_end_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zipped(map(str, range(11)))
    # Where the directory begins is not used by who reads it from behind.
    data[-6:-2] = b"PK\x05\x06"
    monkeypatch.setattr("zipfile.ZipFile", never)

    with pytest.raises(InvalidInput, match="holds 11 files"):
        names(data)


def test_a_directory_of_endless_names_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zipped(["x" * 5000])
    monkeypatch.setattr(module, "MAX_DIRECTORY", 4000)

    with pytest.raises(InvalidInput, match="of names, and at most"):
        names(data)


def test_counting_leaves_a_stream_at_its_beginning() -> None:
    for data in (zipped(["a"]), zipped(map(str, range(11))), b"", b"PK"):
        stream = io.BytesIO(data)
        with contextlib.suppress(InvalidInput):
            check_count(stream, LIMITS)
        assert stream.tell() == 0


def test_what_unpacks_to_too_much_is_refused() -> None:
    with pytest.raises(InvalidInput, match="the file holds 2 MB unpacked, and at most 1 MB are taken"):
        names(zipped(["a"], bytes(2 * MB)), LIMITS.evolve(max_bytes=MB))
    with pytest.raises(InvalidInput, match="the file is not opened: a says that it unpacks to 11 MB"):
        names(zipped(["a"], bytes(11 * MB)))


def test_parts_that_share_their_bytes_are_refused() -> None:
    data = zipped(["a", "b"])
    data[data.rindex(b"PK\x01\x02") + 42 : data.rindex(b"PK\x01\x02") + 46] = bytes(4)
    with pytest.raises(InvalidInput, match="parts of the file lie over each other"):
        names(data)

    over = zipped(["a"])
    over[over.rindex(b"PK\x01\x02") + 20 : over.rindex(b"PK\x01\x02") + 24] = (60).to_bytes(4, "little")
    with pytest.raises(InvalidInput, match="lie over each other"):
        names(over)


def test_a_password_is_refused() -> None:
    data = zipped(["a"])
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(InvalidInput, match="the file is locked with a password"):
        names(data)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"PK\x05\x06", bytes(zipped(["a"]))[:-5]])
def test_what_is_no_zip_is_refused(data: bytes | bytearray) -> None:
    with pytest.raises(InvalidInput, match="the file is no usable zip"):
        names(data)
