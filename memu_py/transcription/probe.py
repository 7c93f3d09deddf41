"""What a recording or a video is, without decoding it: its tracks, its length, what it says of itself."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from memu_py.records.record import Record
from memu_py.transcription.container import Decoding, opened, picture_track, sound_track

SHORT_OF = 0.95
"""A file of which less is there than it says has lost its end; and at least so many seconds of it."""
SHORT_OF_S = 0.5
RIFF_UNKNOWN = 0x7FFF_0000
"""Whoever writes to a pipe cannot know the size, and says one from here on."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Probe(Record):
    """What was found.

    Attributes:
        sounds: there is a sound track.
        shows: there is a track of moving pictures.
        duration_s: length of what is there, in seconds; of the longest track.
        whole_every_s: seconds from a picture that is stored whole to the next one, at most.
        tags: what it says of itself, such as `title` and `creation_time`, in lower case.
        warnings: such as a missing end.
    """

    sounds: bool
    shows: bool
    duration_s: float
    whole_every_s: float = 0.0
    tags: Mapping[str, str] = dataclasses.field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclasses.dataclass(kw_only=True, slots=True)
class _Length:
    """The length of a track, packet by packet: what is there, and where the last of it stands."""

    begins: float
    seconds: float = 0.0
    reached: float = 0.0
    full_at: float = 0.0
    widest: float = 0.0

    def add(self, packet: Any) -> None:
        if packet.size and packet.is_keyframe:
            self.widest = max(self.widest, self.seconds - self.full_at)
            self.full_at = self.seconds
        if packet.duration and packet.time_base:
            self.seconds += float(packet.duration * packet.time_base)
            if packet.pts is not None:
                end = float((packet.pts + packet.duration) * packet.time_base) - self.begins
                self.reached = max(self.reached, end)

    @property
    def whole_every_s(self) -> float:
        return max(self.widest, self.seconds - self.full_at)


def probe(data: bytes, *, name: str) -> Probe:
    """Look at a file. Blocking; a part of a second for 50 MB.

    Args:
        data: the file.
        name: of it, for messages.

    Raises:
        InvalidInput: it is no recording, or damaged at its beginning.
        ConfigError: the library is not installed.
    """
    with opened(data, name=name) as file:
        sound, pictures = sound_track(file), picture_track(file)
        tracks = [track for track in (sound, pictures) if track is not None]
        begins = (file.start_time or 0) / 1_000_000
        lengths = {track.index: _Length(begins=begins) for track in tracks}
        if tracks:
            for packet in Decoding(file, tuple(tracks)).packets():
                if packet.stream.index in lengths:
                    lengths[packet.stream.index].add(packet)
        found = max((length.seconds for length in lengths.values()), default=0.0)
        reached = max((length.reached for length in lengths.values()), default=0.0)
        said = (file.duration or 0) / 1_000_000
        return Probe(
            sounds=sound is not None,
            shows=pictures is not None,
            duration_s=found or said,
            whole_every_s=0.0 if pictures is None else lengths[pictures.index].whole_every_s,
            tags={name.lower(): value for name, value in {**_tags(tracks), **file.metadata}.items()},
            warnings=tuple(_missing(data, max(found, reached), said)),
        )


def _tags(tracks: list[Any]) -> dict[str, str]:
    """What tracks say of themselves: an Ogg file has its tags there."""
    return {name: value for track in reversed(tracks) for name, value in track.metadata.items()}


def _missing(data: bytes, found: float, said: float) -> list[str]:
    if found < said * SHORT_OF - SHORT_OF_S:
        return [f"its end is missing: {found:.0f} of {said:.0f} seconds are there"]
    if data.startswith(b"RIFF"):
        size = int.from_bytes(data[4:8], "little") + 8
        if len(data) < size * SHORT_OF and size < RIFF_UNKNOWN:
            return [f"its end is missing: {len(data)} of {size} bytes are there"]
    return []
