"""Reading what is no text: with tools that take their time, such as a speech model."""

import dataclasses
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, runtime_checkable

from memu_py.config.settings import Settings
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.records.record import Record
from memu_py.records.transcript import Transcript

Report = Callable[[int, int | None, str], None]
"""Told how far the work is: pieces done, pieces in all, a few words."""

Check = Callable[[], None]
"""Raises `Cancelled` when the work is to stop."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Look(Record):
    """What is shown to a vision model.

    Attributes:
        image: a PNG or JPEG.
        media_type: which of both.
        about: what is known of it, such as the text that was read in it; may be empty.
    """

    image: bytes
    media_type: str
    about: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Seen(Record):
    """What a vision model says of a picture.

    Attributes:
        description: what it shows, in a sentence or two.
        facts: what can be learnt from it, each understood alone.
        text: what is written in it, line by line.
    """

    description: str
    facts: tuple[str, ...] = ()
    text: tuple[str, ...] = ()


Vision = Callable[[Look], Awaitable[Seen]]
"""Describes a picture; raises `ModelError`."""


class Transcriber(Protocol):
    """Turns speech into text. One of a plug-in is registered under the kind `transcriber`."""

    @property
    def id(self) -> str:
        """Engine, model and version: the same one gives the same transcript, which is not made twice."""
        ...

    async def transcribe(
        self, sound: bytes, *, name: str = "", report: Report | None = None, check: Check | None = None
    ) -> Transcript:
        """Return what is said in a recording.

        Args:
            sound: a file in any usual format, or a video with a sound track.
            name: of the file, for messages.
            report: told how many seconds are done of how many.
            check: raises `Cancelled` when nobody waits for it any more; called between two pieces of work, from any
                thread.

        Raises:
            InvalidInput: it is damaged, too long, or has no sound track.
            ConfigError: the engine is not installed, or its model is not there; says what to do.
            ModelError: the engine failed.
        """
        ...

    async def close(self) -> None:
        """Let go of the model; idempotent."""
        ...


def unheard(_done: int, _total: int | None, _message: str) -> None:
    """Tell nobody."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class MediaTools(Record):
    """What media are read with.

    Attributes:
        settings: the whole configuration; each parser has its section.
        transcriber: None where none is configured.
        vision: None where no model that sees is configured.
        report: told how far a long reading is.
        check: raises `Cancelled` when the run is to stop; called between two pieces of long work.
    """

    settings: Settings = dataclasses.field(default_factory=Settings)
    transcriber: Transcriber | None = None
    vision: Vision | None = None
    report: Report = unheard
    check: Check = lambda: None


@runtime_checkable
class MediaParser(Protocol):
    """Reads one modality with tools. Registered like a `Parser`, under the kind `parser`."""

    def accepts(self, raw: Raw, text: str | None) -> bool:
        """Tell from the content whether this is what it reads; see `Parser.accepts`."""
        ...

    def means(self, tools: MediaTools) -> str:
        """Return what decides how much is read: whether there is a speech engine, limits, and the like.

        What was read by other means than there are now is read again, though its bytes are the same.
        """
        ...

    async def read(self, raw: Raw, *, options: ParseOptions = DEFAULT_OPTIONS, tools: MediaTools) -> Parsed:
        """Read it; blocking work goes to threads or processes.

        Raises:
            InvalidInput: it is damaged, locked, or holds nothing.
            ConfigError: what reads it is not installed or not configured; says what to do.
            ModelError: a model failed.
        """
        ...


def locked_out(what: str, extra: str, modules: Sequence[str]) -> str:
    """Return the message for a file whose reader is not installed.

    >>> locked_out("a PDF document", "documents", ["pypdf"])
    'reading a PDF document needs pypdf, which is not installed: pip install "memu_py[documents]"'
    """
    return f'reading {what} needs {" and ".join(modules)}, which is not installed: pip install "memu_py[{extra}]"'
