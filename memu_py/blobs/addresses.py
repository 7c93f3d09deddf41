"""Which addresses of the network may be asked: public ones, and nothing of one's own machine, network or cloud.

The tables are those of IANA's special-purpose registries, RFC 6890. They stand here because what Python calls global
has changed between its versions.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from memu_py.errors import FetchError

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the numeric addresses of a host."""
Allow = Callable[[str], bool]
"""Tells whether a numeric address may be asked."""

CLOSED_V4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # behind a carrier's NAT
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # a cloud's own services, under an address that looks public
            "169.254.0.0/16",  # link-local, with the metadata of clouds at 169.254.169.254
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocols
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # relays of 6to4
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, broadcast
        ),
    )
)
GLOBAL_V6 = IPv6Network("2000::/3")
"""All that is given out to the public lies in here; loopback, private, link-local, multicast and mapped ones do not."""
CLOSED_V6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocols, with Teredo
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4, which leads to an IPv4 address
            "3fff::/20",  # documentation
        ),
    )
)
NAT64 = IPv6Network("64:ff9b::/96")
"""Networks without IPv4 reach it through these, whose last four bytes are the IPv4 address."""
V4_MASK = 0xFFFF_FFFF


def is_public(address: str) -> bool:
    """Tell whether a numeric address belongs to the public network.

    An IPv4 address inside an IPv6 one is looked at where networks use that (NAT64), and refused in all other forms.

    Args:
        address: numeric, as a resolver gives it.

    >>> is_public("93.184.216.34"), is_public("169.254.169.254"), is_public("::ffff:93.184.216.34")
    (True, False, False)
    """
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return _is_public_v4(found) if isinstance(found, IPv4Address) else _is_public_v6(found)


def _is_public_v4(address: IPv4Address) -> bool:
    return not any(address in network for network in CLOSED_V4)


def _is_public_v6(address: IPv6Address) -> bool:
    if address.scope_id is not None:
        return False
    if address in NAT64:
        return _is_public_v4(IPv4Address(int(address) & V4_MASK))
    return address in GLOBAL_V6 and not any(address in network for network in CLOSED_V6)


async def resolve(host: str, port: int) -> Sequence[str]:
    """Return the numeric addresses of a host, however it is written; the system's resolver decides what that means.

    Args:
        host: a name in ASCII, or an address in any spelling: decimal, octal, hexadecimal, shortened.
        port: to be asked.

    Raises:
        FetchError: there is no such host.
    """
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        msg = f"there is no host {host}"
        raise FetchError(msg, hint=getattr(error, "strerror", None) or str(error)) from error
    return list(dict.fromkeys(str(one[4][0]) for one in found))
