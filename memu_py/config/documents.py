"""`documents`: PDF, office files, web pages, books, tables and mail."""

from typing import Literal

from pydantic import Field

from memu_py.config.section import Section


class DocumentSettings(Section):
    """How documents are read; what reads them comes with the extra `documents`."""

    engine: Literal["builtin", "markitdown"] = Field(
        default="builtin", description="builtin, or markitdown where it is installed"
    )
    chunk_tokens: int = Field(
        default=120, ge=10, description="tokens of a segment at most; a table up to that is kept whole"
    )
    max_pages: int = Field(
        default=2000, ge=1, description="pages, slides or chapters of a document that are read"
    )
    max_rows: int = Field(default=20_000, ge=1, description="rows of a table that are read")
    max_unpacked_mb: int = Field(
        default=500, ge=1, description="what a packed file may hold unpacked, in MB; more is refused"
    )
    timeout_s: float = Field(default=120.0, gt=0, description="how long reading one may take, in seconds")
    memory_mb: int = Field(default=1024, ge=64, description="memory that reading one may take, in MB")
