"""`ingest`: what may be fetched over the network."""

from pydantic import Field

from memu_py.config.section import Section, subsection

CONTENT_TYPES = (
    "text/*", "image/*", "audio/*", "video/*", "application/json", "application/pdf", "application/xhtml+xml",
    "application/xml", "application/epub+zip", "application/zip", "application/vnd.openxmlformats-officedocument.*",
)  # fmt: skip


class HttpSettings(Section):
    """Fetching by `http:` and `https:` addresses. Off unless it is enabled."""

    enabled: bool = Field(default=False, description="whether `http:` and `https:` addresses are fetched")
    timeout_s: float = Field(default=30.0, gt=0, description="how long one fetch may take in all, in seconds")
    max_redirects: int = Field(default=5, ge=0, le=20, description="redirects that are followed")
    max_bytes: int | None = Field(
        default=None, ge=1, description="the largest answer that is taken; `blobs.max_bytes` if unset"
    )
    content_types: tuple[str, ...] = Field(
        default=CONTENT_TYPES, description="types of answers that are taken, such as `image/*`"
    )
    ports: tuple[int, ...] = Field(default=(80, 443), description="ports that are asked")


class IngestSettings(Section):
    """What may be fetched."""

    http: HttpSettings = subsection("addresses on the network")
