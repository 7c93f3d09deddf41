"""Documents of any format: told by their bytes, read in a process of their own."""

import asyncio
import functools
from typing import Any

from memu_py.config.documents import DocumentSettings
from memu_py.documents.formats import FORMATS, Format, format_of, is_locked_office, suffix_of
from memu_py.documents.reading import Bounds, Reading
from memu_py.documents.scans import read_scans
from memu_py.errors import InvalidInput, UnsupportedModality
from memu_py.language.budget import chars_within
from memu_py.modality.apart import Limits, read_apart
from memu_py.modality.blocks import Block, joined
from memu_py.modality.encoding import decode
from memu_py.modality.markdown import MarkdownParser
from memu_py.modality.media import MediaTools
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.modality.signature import signature
from memu_py.modality.title import title
from memu_py.pictures.reading import means_of

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
        name = _format(raw)
        tools.check()
        settings = tools.settings.documents
        if settings.engine == "markitdown" and FORMATS[name].converts:
            return await _converted(raw, name, settings, options)
        found = await _apart(READER, raw, name, settings, form=name)
        reading = Reading.from_dict(found)
        scanned = await read_scans(reading.scans, tools)
        warnings = (*reading.warnings, *scanned.warnings)
        blocks = _in_place(reading.blocks, scanned.blocks)
        if not any(one.text.strip() for one in blocks):
            msg = f"{FORMATS[name].what} that holds no text"
            raise InvalidInput(msg, hint="; ".join(warnings) or None)
        text, segments = joined(blocks, max_chars=_room(settings))
        return Parsed(
            text=text,
            segments=segments,
            modality=DOCUMENT,
            media_type=FORMATS[name].media_type,
            title=title(heading=reading.heading, name=raw.name, text=text),
            warnings=warnings,
        )


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


async def _apart(reader: str, raw: Raw, name: str, settings: DocumentSettings, **options: Any) -> Any:
    bounds = Bounds(
        max_pages=settings.max_pages,
        max_rows=settings.max_rows,
        max_unpacked_mb=settings.max_unpacked_mb,
        charset=raw.charset,
    )
    return await asyncio.to_thread(
        read_apart,
        reader,
        raw.data,
        {**options, "bounds": bounds.to_dict()},
        limits=Limits(timeout_s=settings.timeout_s, memory_mb=settings.memory_mb),
        what=FORMATS[name].what,
    )


def _in_place(blocks: tuple[Block, ...], scanned: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return what stands on pages and what was read in pictures of pages, in the order of the pages."""
    if not scanned:
        return blocks
    return tuple(sorted((*blocks, *scanned), key=lambda one: one.locator.page or 0))


async def _converted(raw: Raw, name: str, settings: DocumentSettings, options: ParseOptions) -> Parsed:
    form: Format = FORMATS[name]
    suffix = suffix_of(raw) or form.suffix
    found = await _apart(MARKITDOWN, raw, name, settings, form=name, suffix=suffix)
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
