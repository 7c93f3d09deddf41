"""The address policy over all addresses and spellings."""

import asyncio
import ipaddress
import socket

from hypothesis import given, settings
from hypothesis import strategies as st

from memu_py.blobs.addresses import CLOSED_V4, is_public, resolve
from memu_py.blobs.web import Web
from memu_py.config.ingest import HttpSettings
from memu_py.errors import MemuError

V4 = st.ip_addresses(v=4)
V6 = st.ip_addresses(v=6)
CLOSED = st.one_of(*(st.ip_addresses(network=str(network)) for network in CLOSED_V4))
EMBEDDED = [
    "::ffff:0:0/96", "::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/96", "2002::/16",
]  # fmt: skip


def spellings(address: ipaddress.IPv4Address) -> list[str]:
    """Return the ways to write an IPv4 address that a system's resolver knows."""
    number = int(address)
    a, b, c, d = address.packed
    return [
        str(address),
        str(number),
        hex(number),
        f"0{number:o}",
        f"{a}.{number & 0xFFFFFF}",
        f"{a}.{b}.{number & 0xFFFF}",
        f"0x{a:x}.0{b:o}.{c}.0x{d:02X}",
        f"0{a:o}.0{b:o}.0{c:o}.0{d:o}",
    ]


@given(V4 | V6)
def test_what_python_calls_private_is_never_public(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    closed = (
        address.is_private or address.is_loopback or address.is_link_local or address.is_multicast
        or address.is_reserved or address.is_unspecified or not address.is_global
    )  # fmt: skip
    if closed and address not in ipaddress.ip_network(
        "64:ff9b::/96" if address.version == 6 else "0.0.0.0/32"
    ):
        assert not is_public(str(address))


@given(st.ip_addresses(network="2a00::/12"))
def test_what_is_given_out_is_public(address: ipaddress.IPv6Address) -> None:
    assert is_public(str(address))
    assert is_public(address.exploded.upper())


@given(CLOSED, st.sampled_from(EMBEDDED))
def test_a_closed_address_inside_another_stays_closed(address: ipaddress.IPv4Address, network: str) -> None:
    prefix = ipaddress.IPv6Network(network)
    shift = 128 - prefix.prefixlen - 32
    inside = ipaddress.IPv6Address(int(prefix.network_address) | int(address) << shift)
    assert not is_public(str(inside))
    assert not is_public(inside.exploded)


@given(V4)
def test_all_spellings_mean_the_same(address: ipaddress.IPv4Address) -> None:
    async def found() -> list[str]:
        return [one for text in spellings(address) for one in await resolve(text, 80)]

    assert set(asyncio.run(found())) == {str(address)}


def reached(urls: list[str]) -> tuple[list[object], list[str]]:
    """Fetch addresses where every connection is noted and refused; return those, and the kinds of errors."""
    connected: list[object] = []

    class Refusing(asyncio.SelectorEventLoop):
        async def sock_connect(self, sock: socket.socket, address: object) -> None:
            connected.append(address)
            raise OSError

    async def ask() -> list[str]:
        reader = Web(HttpSettings(enabled=True, timeout_s=5), max_bytes=1000)
        told = []
        for url in urls:
            try:
                await reader.read(url)
            except MemuError as error:
                told.append(type(error).__name__)
        return told

    with asyncio.Runner(loop_factory=Refusing) as runner:
        return connected, runner.run(ask())


def test_a_public_address_would_be_connected_to() -> None:
    assert reached(["http://8.8.8.8/", "https://0x08080808/"]) == (
        [("8.8.8.8", 80), ("8.8.8.8", 443)],
        ["FetchError"] * 2,
    )


@settings(max_examples=40)
@given(CLOSED, st.sampled_from(["http", "https"]))
def test_no_spelling_of_a_closed_address_is_connected_to(address: ipaddress.IPv4Address, scheme: str) -> None:
    hosts = [*spellings(address), f"[::ffff:{address}]", f"[64:ff9b::{address}]", f"[::{address}]"]
    connected, told = reached([f"{scheme}://{host}/" for host in hosts])

    assert connected == []
    assert len(told) == len(hosts)
    assert set(told) <= {"AccessDenied", "InvalidInput"}
