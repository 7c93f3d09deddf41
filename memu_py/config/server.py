"""`server`: what `memu serve` offers, and to whom."""

import ipaddress
from typing import Literal

from pydantic import Field, field_validator

from memu_py.config.section import ConfigPath, Section

LOCAL = "localhost"


def is_local(host: str) -> bool:
    """Tell whether a name is this machine's own, as seen from itself.

    >>> is_local("127.0.0.1"), is_local("[::1]"), is_local("localhost"), is_local("example.com")
    (True, True, True, False)
    """
    if host == LOCAL:
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class ServerSettings(Section):
    """The server."""

    host: str = Field(default="127.0.0.1", min_length=1, description="address to listen at")
    port: int = Field(default=8765, ge=0, le=65535, description="port to listen at; 0 takes a free one")
    auth: Literal["keys", "none"] = Field(
        default="keys",
        description="keys, or none: whoever reaches it may do everything, so it listens at this machine only",
    )
    workers: int = Field(default=1, ge=1, le=64, description="processes that serve")
    cors_origins: tuple[str, ...] = Field(
        default=(), description="origins of web pages that may call it, such as https://app.example.com"
    )
    max_body_mb: int = Field(default=50, ge=1, description="the largest request, in MB")
    rate_per_minute: int | None = Field(
        default=600, ge=1, description="requests of one key a minute, in each process; null for any number"
    )
    writes_at_once: int | None = Field(
        default=None,
        ge=1,
        description="calls that change something which one process works on at the same time, the others wait; "
        "left out, 8, or 64 where a chat model reads what comes in",
    )
    reads_at_once: int = Field(
        default=16, ge=1, description="the same for questions; what is looked up by its id does not wait"
    )
    waiting: int = Field(
        default=1000,
        ge=0,
        description="calls of each kind that may wait for their turn; more are sent away with 503",
    )
    request_timeout_s: float = Field(
        default=300.0, gt=0, description="how long one request may take, in seconds"
    )
    shutdown_s: int = Field(
        default=30, ge=1, description="how long requests under way may take to end after SIGTERM, in seconds"
    )
    allowed_roots: tuple[ConfigPath, ...] = Field(
        default=(), description="folders of the server whose files may be memorized by path; none if unset"
    )
    docs: bool = Field(default=True, description="offer pages of the interface at /docs")

    @field_validator("cors_origins")
    @classmethod
    def _origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            if origin != "*" and not origin.startswith(("http://", "https://")):
                msg = f"`{origin}` is no origin such as https://app.example.com"
                raise ValueError(msg)
        return origins
