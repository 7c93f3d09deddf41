"""Documents by way of markitdown, which makes Markdown of them: more formats of cells and lists, no pages."""

import importlib
import io
from collections.abc import Mapping
from typing import Any

from memu_py.documents.archive import opened
from memu_py.documents.formats import FORMATS
from memu_py.documents.reading import MAX_CHARS, Bounds
from memu_py.errors import ConfigError, InvalidInput


def convert(data: bytes, *, form: str, suffix: str, bounds: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document as Markdown, and its title.

    Args:
        data: the document.
        form: a key of `FORMATS`.
        suffix: how its name ends.
        bounds: fields of `Bounds`.

    Raises:
        InvalidInput: it is damaged or locked, or holds no text.
        ConfigError: markitdown is not installed.
    """
    what = FORMATS[form].what
    try:
        markitdown = importlib.import_module("markitdown")
    except ImportError as error:
        msg = f'reading {what} needs markitdown, which is not installed: pip install "markitdown>=0.1"'
        raise ConfigError(msg, hint="or set `documents.engine: builtin`") from error
    if FORMATS[form].packed:
        opened(data, max_unpacked_mb=Bounds(**bounds).max_unpacked_mb).close()
    # Its plug-ins are other people's code, which nobody has asked for.
    reader = markitdown.MarkItDown(enable_plugins=False)
    found = reader.convert_stream(io.BytesIO(data), stream_info=markitdown.StreamInfo(extension=suffix))
    markdown = (found.markdown or "")[:MAX_CHARS]
    if not markdown.strip():
        msg = f"{what} that holds no text"
        raise InvalidInput(msg)
    return {"markdown": markdown, "title": found.title or None}
