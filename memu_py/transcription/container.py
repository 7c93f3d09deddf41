"""File formats that hold sound or moving pictures, and how they are opened.

A format is chosen by our own look at the first bytes, and the library is told which: left to itself it also reads play
lists, which name files and addresses of their own.
"""

import io
from collections.abc import Iterator, Mapping
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

from memu_py.errors import ConfigError, InvalidInput
from memu_py.modality.media import locked_out
from memu_py.modality.signature import signature

DAMAGED = "is it damaged, or only a part?"


class Container(NamedTuple):
    """A file format.

    Attributes:
        demuxer: what the library calls it.
        media_type: such as `audio/wav`.
    """

    demuxer: str
    media_type: str

    @property
    def shows(self) -> bool:
        """Whether it holds moving pictures, as far as its first bytes tell."""
        return self.media_type.startswith("video/")


CONTAINERS: Mapping[str, Container] = MappingProxyType(
    {
        "a WAV recording": Container("wav", "audio/wav"),
        "an MP3 recording": Container("mp3", "audio/mpeg"),
        "an M4A recording": Container("mov", "audio/mp4"),
        "an Ogg recording": Container("ogg", "audio/ogg"),
        "a FLAC recording": Container("flac", "audio/flac"),
        "an AAC recording": Container("aac", "audio/aac"),
        "an AIFF recording": Container("aiff", "audio/aiff"),
        "a WMA recording": Container("asf", "audio/x-ms-wma"),
        "an AMR recording": Container("amr", "audio/amr"),
        "a CAF recording": Container("caf", "audio/x-caf"),
        "a Matroska or WebM recording": Container("matroska", "audio/webm"),
        "an MP4 video": Container("mov", "video/mp4"),
        "a QuickTime video": Container("mov", "video/quicktime"),
        "a Matroska or WebM video": Container("matroska", "video/x-matroska"),
        "an AVI video": Container("avi", "video/x-msvideo"),
        "a WMV video": Container("asf", "video/x-ms-wmv"),
        "an Ogg video": Container("ogg", "video/ogg"),
        "an FLV video": Container("flv", "video/x-flv"),
        "an MPEG video": Container("mpeg", "video/mpeg"),
        "an MPEG transport stream": Container("mpegts", "video/mp2t"),
    }
)
"""By what `signature` calls them."""


def container_of(data: bytes) -> Container | None:
    """Return the format of a recording or a video; None for what is neither.

    >>> container_of(b"fLaC" + bytes(40)).media_type
    'audio/flac'
    """
    return CONTAINERS.get(signature(data) or "")


def library() -> ModuleType:
    """Return the library that decodes.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        import av  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ConfigError(locked_out("recordings and videos", "audio", ["av"])) from error
    return av


def opened(data: bytes, *, name: str) -> Any:
    """Open a file for reading; the caller closes it.

    Args:
        data: the file.
        name: of it, for messages.

    Returns:
        The library's `InputContainer`.

    Raises:
        InvalidInput: it is no recording, or damaged at its beginning.
        ConfigError: the library is not installed.
    """
    av = library()
    kind = container_of(data)
    if kind is None:
        msg = (
            f"{name} is no recording that is known here: it looks like {signature(data) or 'something else'}"
        )
        raise InvalidInput(msg)
    try:
        return av.open(io.BytesIO(data), format=kind.demuxer, metadata_errors="ignore")
    except (av.FFmpegError, ValueError, OverflowError) as error:
        raise unreadable(name, error) from error


def unreadable(name: str, error: Exception) -> InvalidInput:
    """Return the error for a file that the library gives up.

    Args:
        name: of the file.
        error: what the library says.
    """
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return InvalidInput(f"{name} cannot be read: {reason}", hint=DAMAGED)


def sound_track(file: Any) -> Any | None:
    """Return the track that is heard first; None without one."""
    return next((track for track in file.streams.audio if track.codec_context is not None), None)


def picture_track(file: Any) -> Any | None:
    """Return the track of moving pictures; None without one. The cover of a record is none."""
    cover = library().stream.Disposition.attached_pic
    found = (one for one in file.streams.video if one.codec_context is not None)
    return next((track for track in found if not track.disposition & cover), None)


class Decoding:
    """Decodes one track of a file, over what is damaged in it.

    Args:
        file: an open file.
        track: one of its tracks.

    Attributes:
        damaged: pieces that could not be decoded.
    """

    def __init__(self, file: Any, track: Any) -> None:
        self.damaged = 0
        self._file = file
        self._track = track

    def frames(self) -> Iterator[Any]:
        """Yield the library's frames, in order; or subtitles with their packet's time."""
        for packet in self.packets():
            try:
                yield from packet.decode()
            except (library().FFmpegError, ValueError, MemoryError):
                self.damaged += 1

    def packets(self) -> Iterator[Any]:
        """Yield the packets of the track; the end of a damaged file is its last readable one."""
        packets = self._file.demux(self._track)
        while True:
            try:
                packet = next(packets, None)
            # A damaged stream may show tracks that were not there at its beginning.
            except (library().FFmpegError, ValueError, IndexError):
                self.damaged += 1
                continue
            if packet is None:
                return
            yield packet
