"""Documents of any format: told by their bytes, read in a process of their own."""

import asyncio
import functools
from collections.abc import Mapping
from typing import Any

from memu_py.config.documents import DocumentSettings
from memu_py.documents.formats import FORMATS, Format, format_of, is_locked_office, suffix_of
from memu_py.documents.reading import Bounds, Reading
from memu_py.documents.scans import in_place, read_scans
from memu_py.errors import InvalidInput, UnsupportedModality
from memu_py.language.budget import chars_within
from memu_py.modality.apart import Limits, read_apart
from memu_py.modality.blocks import joined
from memu_py.modality.encoding import decode
from memu_py.modality.markdown import MarkdownParser
from memu_py.modality.media import MediaTools
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.modality.signature import signature
from memu_py.modality.title import title
from memu_py.pictures.reading import Read, means_of

DOCUMENT = "document"
READER = "memu_py.documents.reader:read_document"
MARKITDOWN = "memu_py.documents.converted:convert"


class DocumentParser:
    """Reads documents.

    A segment has `documents.chunk_tokens` at most. That is four times as many characters of English, and as many of
    Chinese, so the characters are counted for each block by its own text.
    """

    def accepts(self, raw: Raw, text: str | None) -> bool:
        """Tell whether it is a document of a format that is read, or a locked one that is refused with that word."""
        return format_of(raw, text) is not None or is_locked_office(raw.data)

    def means(self, tools: MediaTools) -> str:
        """Return how much of a document is read, and by what the pictures in it are."""
        settings = tools.settings.documents
        return f"{settings.max_pages} pages, {settings.max_rows} rows, {means_of(tools)}"

    async def read(self, raw: Raw, *, options: ParseOptions = DEFAULT_OPTIONS, tools: MediaTools) -> Parsed:
        """Read a document in a process of its own.

        Raises:
            InvalidInput: it is damaged, locked, too large, or holds no text.
            UnsupportedModality: it is no document.
            ConfigError: what reads it is not installed.
        """
        # What takes long with long documents is done on threads.
        name = await asyncio.to_thread(_format, raw)
        form = FORMATS[name]
        settings = tools.settings.documents
        if settings.engine == "markitdown" and form.converts:
            suffix = suffix_of(raw) or form.suffix
            found = await _apart(MARKITDOWN, raw, form, tools, form=name, suffix=suffix)
            return await asyncio.to_thread(_converted, found, raw, form, settings, options)
        found = await _apart(READER, raw, form, tools, form=name)
        reading = await asyncio.to_thread(_reading, found, form)
        scanned = await read_scans(reading.scans, tools)
        return await asyncio.to_thread(_parsed, reading, scanned, raw, form, settings)


def _format(raw: Raw) -> str:
    if is_locked_office(raw.data):
        msg = "an Office document that is locked with a password"
        raise InvalidInput(msg, hint="save it without one")
    looks_like = signature(raw.data)
    decoded = decode(raw)
    text = None if looks_like or decoded.binary else decoded.text
    found = format_of(raw, text) or format_of(raw, text, told=True)
    if found is None:
        known = ", ".join(form.suffix[1:].upper() for form in FORMATS.values())
        seems = looks_like or ("binary data" if text is None else "text")
        raise UnsupportedModality(
            f"this is no document: it looks like {seems}", hint=f"documents are {known}"
        )
    return found


def _room(settings: DocumentSettings) -> Any:
    return functools.partial(chars_within, tokens=settings.chunk_tokens)


async def _apart(reader: str, raw: Raw, of: Format, tools: MediaTools, **options: Any) -> Any:
    settings = tools.settings.documents
    bounds = Bounds(
        max_pages=settings.max_pages,
        max_rows=settings.max_rows,
        max_unpacked_mb=settings.max_unpacked_mb,
        charset=raw.charset,
    )
    limits = Limits(timeout_s=settings.timeout_s, memory_mb=settings.memory_mb, section="documents")
    given = {**options, "bounds": bounds.to_dict()}
    return await read_apart(reader, raw.data, given, limits=limits, what=of.what, check=tools.check)


def _reading(found: Any, form: Format) -> Reading:
    try:
        return Reading.from_dict(found)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        msg = f"{form.what} cannot be read: its reader gave no answer that can be understood"
        raise InvalidInput(msg, hint="is it damaged?") from error


def _parsed(reading: Reading, scanned: Read, raw: Raw, form: Format, settings: DocumentSettings) -> Parsed:
    warnings = (*reading.warnings, *scanned.warnings)
    blocks = tuple(in_place(reading.blocks, scanned.blocks))
    if not any(one.text.strip() for one in blocks):
        msg = f"{form.what} that holds no text"
        raise InvalidInput(msg, hint="; ".join(warnings) or None)
    text, segments = joined(blocks, max_chars=_room(settings))
    return Parsed(
        text=text,
        segments=segments,
        modality=DOCUMENT,
        media_type=form.media_type,
        title=title(heading=reading.heading, name=raw.name, text=text),
        warnings=warnings,
    )


def _converted(
    found: Mapping[str, Any], raw: Raw, form: Format, settings: DocumentSettings, options: ParseOptions
) -> Parsed:
    markdown = found["markdown"]
    made = Raw(data=markdown.encode("utf-8", "replace"), charset="utf-8", name=raw.name)
    room = chars_within(markdown, settings.chunk_tokens)
    parsed = MarkdownParser().parse(made, options=options.evolve(group_chars=room))
    heading = found["title"]
    return parsed.evolve(
        modality=DOCUMENT,
        media_type=form.media_type,
        title=title(heading=heading) if heading else parsed.title,
    )
