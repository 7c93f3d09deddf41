"""From the arguments of memorize to bytes."""

import base64
import binascii
import re
import urllib.parse
import urllib.request
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from memu_py.errors import AccessDenied, InvalidInput, NotFound
from memu_py.modality.messages import dump_messages, plain_messages
from memu_py.modality.raw import DEFAULT_MAX_BYTES, Raw
from memu_py.nearest import unknown
from memu_py.records.fetched import Fetched

CONVERSATION_SCHEME = "conversation"
WEB_SCHEMES = ("http", "https")
SCHEMES = (CONVERSATION_SCHEME, "data", "file", *WEB_SCHEMES)
"""Schemes that are read; anything else without `//` is a path."""
REMOTE_SCHEMES = frozenset({"ftp", "s3", "gs"})
FINAL_URL = "final_url"
"""Metadata: where redirects led, when what was fetched was elsewhere."""

FETCH_YOURSELF = "fetch it yourself and pass the content as data=, with this address as its name"

_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):(?P<slashes>//)?")
_DATA = re.compile(r"data:(?P<type>[^;,]*)(?P<parameters>(?:;[^;,]*)*),", re.IGNORECASE)
_NO_SPACE = re.compile(r"\s+")

ConversationLookup = Callable[[str], Awaitable[bytes | None]]
"""Returns the messages kept under a `conversation://` address as JSON, None when there is no such conversation."""


class FileReader(Protocol):
    """Reads the files that may be read; `memu_py.blobs.allowed.AllowedFiles` is one."""

    async def read(self, path: Path) -> tuple[Path, bytes]:
        """Return where a path leads, and the bytes there.

        Raises:
            AccessDenied: it leads outside what is allowed.
            NotFound: there is no such file.
            InvalidInput: it is no regular file, or too large.
        """
        ...


class WebReader(Protocol):
    """Reads addresses on the network; `memu_py.blobs.web.Web` is one."""

    async def read(self, url: str) -> Fetched:
        """Return what is at an http or https address.

        Raises:
            AccessDenied: it leads where nothing may be asked.
            NotFound: there is nothing.
            InvalidInput: it is no usable address, or its content is not taken.
            FetchError: the server cannot be reached, fails, or takes too long.
        """
        ...

    async def close(self) -> None:
        """Let go of what is open; idempotent."""
        ...


async def open_source(
    *,
    resource_url: str | None = None,
    text: str | None = None,
    messages: Sequence[Mapping[str, Any] | str] | None = None,
    data: bytes | None = None,
    files: FileReader,
    conversation: ConversationLookup,
    web: WebReader | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Raw:
    """Return the bytes of a resource, whole and unaltered, and what is known of them.

    Args:
        resource_url: a path, or a `file:`, `data:`, `http:`, `https:` or `conversation://id` address, which is read;
            beside content it only names the resource.
        text: content as text.
        messages: content as messages.
        data: content as bytes.
        files: reads paths.
        conversation: reads `conversation://` addresses.
        web: reads `http:` and `https:` addresses; None where nothing is fetched.
        max_bytes: larger content is refused.

    Raises:
        InvalidInput: there is no content or more than one, it is empty or too large, or the address is no address.
        AccessDenied: a path or an address outside what is allowed.
        NotFound: there is nothing at the address.
        FetchError: an address on the network cannot be read.
    """
    contents = {"text": text, "messages": messages, "data": data}
    given = [name for name, value in contents.items() if value is not None]
    if len(given) > 1:
        msg = f"give one content, not {' and '.join(given)}"
        raise InvalidInput(msg)
    if resource_url is not None and not resource_url.strip():
        msg = "resource_url is empty"
        raise InvalidInput(msg)
    if given:
        raw = _given(text=text, messages=messages, data=data).evolve(url=resource_name(resource_url))
    elif resource_url is not None:
        raw = await _read(resource_url, files, conversation, web)
    else:
        msg = "there is nothing to memorize: give resource_url, text, messages or data"
        raise InvalidInput(msg)
    return _checked(raw, max_bytes)


def resource_name(resource_url: str | None) -> str | None:
    """Return the address under which a resource with content of its own is kept.

    A file's is the same as when it is read, without looking at it; anything else is a name and stays as it is.

    Raises:
        InvalidInput: a `data:` address, which is content, or a `file:` address of another machine.

    >>> resource_name("/notes/a b.md"), resource_name("ticket 7")
    ('file:///notes/a%20b.md', 'ticket 7')
    """
    if resource_url is None:
        return None
    scheme = _scheme(resource_url)
    if scheme == "data":
        msg = "a data: address is content itself; give it alone"
        raise InvalidInput(msg)
    if scheme == "file":
        return _file_path(resource_url).as_uri()
    if scheme is None and Path(resource_url).is_absolute():
        return Path(resource_url).as_uri()
    return resource_url


def _scheme(url: str) -> str | None:
    """The scheme of an address; None for a path, which may hold a colon too."""
    match = _SCHEME.match(url)
    if match is None:
        return None
    scheme = match.group("scheme").casefold()
    return scheme if match.group("slashes") or scheme in SCHEMES else None


def _given(*, text: Any, messages: Any, data: Any) -> Raw:
    if text is not None:
        if not isinstance(text, str):
            msg = f"text is a string, not {type(text).__name__}"
            raise InvalidInput(msg)
        return Raw(data=text.encode("utf-8", "surrogatepass"), media_type="text/plain", charset="utf-8")
    if messages is not None:
        entries = plain_messages(messages)
        return Raw(data=dump_messages(entries), media_type="application/json", messages=entries)
    if not isinstance(data, bytes | bytearray | memoryview):
        msg = f"data is bytes, not {type(data).__name__}"
        raise InvalidInput(msg)
    return Raw(data=bytes(data))


async def _read(url: str, files: FileReader, conversation: ConversationLookup, web: WebReader | None) -> Raw:
    scheme = _scheme(url)
    if scheme is None or scheme == "file":
        path, content = await files.read(_file_path(url) if scheme else Path(url))
        return Raw(data=content, url=path.as_uri(), name=path.name)
    if scheme == "data":
        return _data_url(url)
    if scheme == CONVERSATION_SCHEME:
        return await _conversation(url, conversation)
    if scheme in WEB_SCHEMES:
        return await _fetched(url, web)
    if scheme in REMOTE_SCHEMES:
        msg = f"{scheme}: addresses are not read"
        raise AccessDenied(msg, hint=FETCH_YOURSELF)
    raise InvalidInput(unknown("kind of address", scheme, SCHEMES), hint="a path needs no scheme")


async def _fetched(url: str, web: WebReader | None) -> Raw:
    if web is None:
        msg = "reading over the network is not enabled"
        raise AccessDenied(msg, hint=f"set `ingest.http.enabled: true`, or {FETCH_YOURSELF}")
    found = await web.read(url)
    return Raw(
        data=found.data,
        url=found.url,
        media_type=found.media_type,
        name=found.name,
        metadata={} if found.final_url == found.url else {FINAL_URL: found.final_url},
    )


async def _conversation(url: str, lookup: ConversationLookup) -> Raw:
    content = await lookup(url)
    if content is None:
        msg = f"there is no conversation {url}"
        raise NotFound(msg, hint="add its messages first: service.conversations.add(id, messages, user=…)")
    return Raw(data=content, url=url, media_type="application/json")


def _file_path(url: str) -> Path:
    parts = urllib.parse.urlsplit(url)
    if parts.netloc not in ("", "localhost"):
        msg = f"{url} names the machine {parts.netloc!r}; only files of this one are read"
        raise InvalidInput(msg, hint="a file address has three slashes: file:///path")
    if parts.query or parts.fragment:
        msg = f"{url} holds `?` or `#`"
        raise InvalidInput(msg, hint="write them as %3F and %23 in a file address")
    path = Path(urllib.request.url2pathname(parts.path))
    if not path.is_absolute() or "\0" in str(path):
        msg = f"{url!r} is no usable file address"
        raise InvalidInput(
            msg, hint="a file address holds a whole path: file:///path; a plain path may be relative"
        )
    return path


def _data_url(url: str) -> Raw:
    match = _DATA.match(url)
    if match is None:
        msg = "not a data: address: it has the form data:[type][;charset=…][;base64],content"
        raise InvalidInput(msg)
    parameters = [one.strip() for one in match.group("parameters").split(";") if one.strip()]
    charset = next((one.partition("=")[2] for one in parameters if one.lower().startswith("charset=")), None)
    encoded = any(one.lower() == "base64" for one in parameters)
    return Raw(
        data=_from_base64(url[match.end() :])
        if encoded
        else urllib.parse.unquote_to_bytes(url[match.end() :]),
        media_type=match.group("type").strip().lower() or "text/plain",
        charset=charset.strip("\"'").lower() if charset else None,
    )


def _from_base64(content: str) -> bytes:
    """Decode base64, also in its form for addresses and without padding."""
    plain = _NO_SPACE.sub("", urllib.parse.unquote(content)).replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        msg = f"the base64 of a data: address cannot be read: {error}"
        raise InvalidInput(msg) from error


def _checked(raw: Raw, max_bytes: int) -> Raw:
    if len(raw.data) > max_bytes:
        msg = f"the content has {len(raw.data)} bytes, and at most {max_bytes} are taken"
        raise InvalidInput(msg, hint="raise `blobs.max_bytes`, or split it")
    if not raw.data.strip():
        msg = f"there is no content{f' in {raw.name}' if raw.name else ''}: it is empty"
        raise InvalidInput(msg)
    return raw
