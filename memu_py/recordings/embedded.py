"""Subtitles that lie in a video as text, for who has no speech engine."""

from collections.abc import Iterator
from typing import Any

from memu_py.recordings.cues import Cue, utterances
from memu_py.records.transcript import Utterance
from memu_py.transcription.container import Decoding, library, opened

TEXT_CODECS = frozenset({"mov_text", "subrip", "srt", "webvtt", "ass", "ssa", "text"})
LAST_S = 4.0
"""How long a cue is shown that does not say so."""


def embedded(data: bytes, *, name: str) -> tuple[Utterance, ...]:
    """Return what the first track of text subtitles says; nothing without one. Blocking.

    Args:
        data: a video.
        name: of it, for messages.

    Raises:
        InvalidInput: it is damaged at its beginning.
        ConfigError: the library is not installed.
    """
    with opened(data, name=name) as file:
        tracks = (one for one in file.streams.subtitles if one.codec_context is not None)
        track = next((one for one in tracks if one.codec_context.name in TEXT_CODECS), None)
        if track is None:
            return ()
        begins = (file.start_time or 0) / 1_000_000
        return tuple(utterances(_found(Decoding(file, track), begins)))


def _found(decoding: Decoding, begins: float) -> Iterator[Cue]:
    for packet in decoding.packets():
        if packet.pts is None or not packet.time_base:
            continue
        start = max(0.0, float(packet.pts * packet.time_base) - begins)
        length = float(packet.duration * packet.time_base) if packet.duration else LAST_S
        lines = tuple(line for line in _lines(packet) if line.strip())
        if lines:
            yield Cue(start_s=start, end_s=start + length, lines=lines)


def _lines(packet: Any) -> Iterator[str]:
    try:
        shown = packet.decode()
    except (library().FFmpegError, ValueError):
        return
    for one in shown:
        text = getattr(one, "dialogue", b"") or getattr(one, "text", b"")
        yield from text.decode("utf-8", "replace").replace("\\N", "\n").splitlines()
