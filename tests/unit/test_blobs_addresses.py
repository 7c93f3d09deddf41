"""Which addresses of the network may be asked."""

import gzip

import pytest

from memu_py.blobs.addresses import is_public, resolve
from memu_py.blobs.fetching import Gunzip
from memu_py.errors import FetchError

PRIVATE = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.168.255.255",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:0:8.8.8.8",
    "100::1",
    "fc00::1",
    "fd00:ec2::254",
    "fdff::1",
    "fe80::1",
    "fe80::1%1",
    "2606:4700::1%1",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:808:808::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "64:ff9b::7f00:1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::8.8.8.8",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.1",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2003::1",
    "2400:cb00::1",
    "2606:4700:4700::1111",
    "2a00:1450::1",
    "3ffe::1",
    "64:ff9b::8.8.8.8",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_what_is_not_public_is_not_asked(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_what_is_public_may_be_asked(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "text", ["", "localhost", "1.2.3", "1.2.3.4.5", "0x7f.0.0.1", "[::1]", "8.8.8.8 ", "8.8.8.8\0"]
)
def test_what_is_no_numeric_address_is_not_asked(text: str) -> None:
    assert not is_public(text)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("017700000001", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("0", "0.0.0.0"),
        ("0xA9FEA9FE", "169.254.169.254"),
        ("0251.0376.0251.0376", "169.254.169.254"),
        ("::1", "::1"),
        ("0:0:0:0:0:ffff:7f00:1", "::ffff:127.0.0.1"),
        ("8.8.8.8", "8.8.8.8"),
    ],
)
async def test_all_spellings_of_an_address_are_looked_at_as_what_they_mean(host: str, address: str) -> None:
    assert await resolve(host, 80) == [address]
    assert is_public(address) == (address == "8.8.8.8")


async def test_the_names_of_this_machine_are_not_public() -> None:
    for host in ("localhost", "LOCALHOST"):
        found = await resolve(host, 80)
        assert found
        assert not any(map(is_public, found))


@pytest.mark.parametrize("host", ["a..b", "a" * 70 + ".com", "127%2e0.0.1", "exa%20mple.org"])
async def test_what_is_no_host_is_told(host: str) -> None:
    with pytest.raises(FetchError, match="there is no host"):
        await resolve(host, 80)


def test_unpacking_makes_no_more_than_there_is_room_for() -> None:
    bomb = gzip.compress(bytes(50_000_000))
    assert len(Gunzip().feed(bomb, 1000)) == 1000
