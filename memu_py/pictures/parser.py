"""Pictures as resources: photographs, screenshots, scans."""

from collections.abc import Mapping, Sequence
from typing import Any

from memu_py.errors import ConfigError, InvalidInput
from memu_py.local.thread import on_thread
from memu_py.modality.blocks import Block, joined
from memu_py.modality.conversation import rendered
from memu_py.modality.media import MediaTools
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.modality.title import title
from memu_py.pictures.chat import Turn, chat_turns
from memu_py.pictures.formats import format_of
from memu_py.pictures.ocr import PICTURES, Line
from memu_py.pictures.opening import Frame, Picture, open_picture
from memu_py.pictures.reading import HOW_TO_READ, UNREADABLE, Read, can_read, lines_of, means_of, read_frame
from memu_py.records.locator import LOCATOR, Locator
from memu_py.records.message import Message, Role

IMAGE = "image"
ROLE: Role = "user"
"""People speak in a chat, the owner among them."""
SYSTEM: Role = "system"
TIME = "time"
"""Metadata: the time of a turn as it is shown, where its date is not known."""
NOTHING = "nothing was read in this picture"
HOW_TO_SEE = "it holds no text; a model that sees describes it, if you name its profile in `images.profile`"


class ImageParser:
    """Reads pictures: the text in them, the turns of a chat, and what a model that sees says of them."""

    def accepts(self, raw: Raw, text: str | None) -> bool:
        """Tell whether bytes begin as a picture does."""
        return text is None and format_of(raw.data) is not None

    def means(self, tools: MediaTools) -> str:
        """Return by what pictures are read."""
        return means_of(tools)

    async def read(self, raw: Raw, *, options: ParseOptions = DEFAULT_OPTIONS, tools: MediaTools) -> Parsed:
        """Read a picture; blocking work goes to threads.

        Raises:
            InvalidInput: it is damaged, too large, or nothing can be read in it.
            ConfigError: nothing is installed or configured that reads pictures; says what to do.
            ModelError: a model failed on a picture in which no text was read.
        """
        settings = tools.settings.images
        picture = await on_thread(PICTURES, open_picture, raw.data, settings=settings, zone=options.zone)
        if not can_read(tools):
            raise ConfigError(UNREADABLE, hint=HOW_TO_READ)
        lines = [await self._lines(picture, frame, tools) for frame in picture.frames]
        turns = self._turns(picture, lines, options) if settings.chat else []
        if turns:
            return _conversation(picture, turns, raw, options)
        found = Read(warnings=picture.warnings)
        for frame, written in zip(picture.frames, lines, strict=True):
            tools.check()
            place = _place(picture, frame)
            found = found.joined(await read_frame(frame, written, tools=tools, place=place))
        return _document(picture, found, raw, options, tools)

    async def _lines(self, picture: Picture, frame: Frame, tools: MediaTools) -> tuple[Line, ...]:
        tools.check()
        lines = await lines_of(frame, tools)
        tools.report(picture.frames.index(frame) + 1, len(picture.frames), "reading pictures")
        return lines

    def _turns(
        self, picture: Picture, lines: Sequence[Sequence[Line]], options: ParseOptions
    ) -> list[tuple[Turn, Locator]]:
        """Return the turns of a screenshot, or of several; none where a picture with text is no chat."""
        found: list[tuple[Turn, Locator]] = []
        for frame, written in zip(picture.frames, lines, strict=True):
            height, width = frame.pixels.shape[:2]
            taken_at = picture.exif.taken_at
            turns = chat_turns(written, width=width, height=height, taken_at=taken_at, zone=options.zone)
            if written and not turns:
                return []
            found += [(turn, _place(picture, frame).evolve(box=turn.box)) for turn in turns]
        return found


def _place(picture: Picture, frame: Frame) -> Locator:
    return Locator(frame=frame.number) if picture.several else Locator()


def _conversation(
    picture: Picture, turns: Sequence[tuple[Turn, Locator]], raw: Raw, options: ParseOptions
) -> Parsed:
    known = picture.exif.metadata()
    messages = [_message(turn, place, known) for turn, place in turns]
    text, segments, _ = rendered(messages, range(len(messages)), turn_chars=options.turn_chars)
    return Parsed(
        text=text,
        segments=segments,
        modality=IMAGE,
        media_type=picture.format.media_type,
        title=title(name=raw.name, url=raw.url, text=messages[0].text),
        warnings=picture.warnings,
    )


def _message(turn: Turn, place: Locator, known: Mapping[str, Any]) -> Message:
    time = {TIME: turn.time} if turn.time else {}
    return Message(
        role=SYSTEM if turn.system else ROLE,
        text=turn.text,
        speaker=turn.speaker,
        said_at=turn.said_at,
        context=turn.system,
        metadata={**known, **time, LOCATOR: place.to_dict()},
    )


def _document(picture: Picture, found: Read, raw: Raw, options: ParseOptions, tools: MediaTools) -> Parsed:
    known = picture.exif.metadata()
    text, segments = joined((_with(block, known) for block in found.blocks), max_chars=options.group_chars)
    if not segments:
        raise InvalidInput(NOTHING, hint=None if tools.vision else HOW_TO_SEE)
    return Parsed(
        text=text,
        segments=segments,
        modality=IMAGE,
        media_type=picture.format.media_type,
        title=title(name=raw.name, url=raw.url, text=found.blocks[0].text),
        warnings=found.warnings,
    )


def _with(block: Block, known: Mapping[str, Any]) -> Block:
    return block.evolve(metadata={**known, **block.metadata})
