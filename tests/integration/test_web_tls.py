"""Fetching by https: from a real server with a certificate of the test's own."""

import ssl

import pytest
import trustme
from web_kit import NAME, page, redirect, serving, web

from memu_py.errors import AccessDenied, FetchError


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def trusting(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


def certified(authority: trustme.CA, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


async def test_tls_is_held_to_the_name_and_not_to_the_address(authority: trustme.CA) -> None:
    async with serving(certified(authority, NAME)) as server:
        server.pages["/a"] = page(b"tea")
        reader = web(server, tls=trusting(authority))
        assert (await reader.read(server.url("/a", scheme="https"))).data == b"tea"
        with pytest.raises(FetchError, match="cannot be read"):
            await reader.read(server.url("/a", scheme="https", host="other.test"))
        with pytest.raises(FetchError, match="cannot be read"):
            await web(server).read(server.url("/a", scheme="https"))


async def test_https_does_not_lead_to_http(authority: trustme.CA) -> None:
    async with serving(certified(authority, NAME)) as server:
        server.pages["/a"] = redirect(server.url("/b"))
        with pytest.raises(AccessDenied, match="from https: to http:"):
            await web(server, tls=trusting(authority)).read(server.url("/a", scheme="https"))
