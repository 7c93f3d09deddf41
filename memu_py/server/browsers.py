"""Where no key is asked for, a web page must not reach in through somebody's browser."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.requests import Request

from memu_py.config.server import is_local
from memu_py.errors import AccessDenied


def refuse_pages(request: Request, *, host: str, origins: Sequence[str]) -> None:
    """Refuse what a page of another origin sends, also one whose name was bent to this machine.

    Args:
        request: any.
        host: that the server listens at.
        origins: of pages that may call.

    Raises:
        AccessDenied: it comes from such a page.
    """
    named = request.headers.get("host", "")
    if is_local(host) and not is_local(urlsplit(f"//{named}").hostname or ""):
        msg = f"this server is for this machine, and the request calls it {named!r}"
        raise AccessDenied(msg, hint="call it by localhost or 127.0.0.1")
    origin = request.headers.get("origin")
    if origin is None or origin in origins or "*" in origins or urlsplit(origin).netloc == named:
        return
    msg = f"pages of {origin} may not call this server"
    raise AccessDenied(msg, hint="name the origin in `server.cors_origins`")
