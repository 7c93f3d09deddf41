"""Recordings and videos for tests, made when they are needed. Needs the extra `video`."""

import io
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memu_py.transcription.container import library

Samples = NDArray[np.int16]

RATE = 16_000
FPS = 10
BIT_RATE = 64_000
SIZE = (320, 180)
ASS_HEAD = """[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, \
Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, \
MarginV, Encoding
Style: Default,Arial,16,&Hffffff,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,0

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
"""


class Form(NamedTuple):
    """A file format with its codec.

    Attributes:
        container: as the library calls it.
        codec: as the library calls it.
        rate: samples a second.
    """

    container: str
    codec: str
    rate: int = RATE


FORMS: Mapping[str, Form] = {
    "wav": Form("wav", "pcm_s16le"),
    "mp3": Form("mp3", "libmp3lame"),
    "m4a": Form("ipod", "aac"),
    "mp4": Form("mp4", "aac"),
    "ogg": Form("ogg", "libopus", 48_000),
    "flac": Form("flac", "flac"),
    "aac": Form("adts", "aac"),
    "aiff": Form("aiff", "pcm_s16be"),
    "wma": Form("asf", "wmav2", 44_100),
    "caf": Form("caf", "pcm_s16be"),
    "mka": Form("matroska", "libopus", 48_000),
}
"""By the usual ending of the name."""


MP4 = Form("mp4", "libx264")
"""The usual video."""


class Scene(NamedTuple):
    """A still picture of a video.

    Attributes:
        seconds: how long it is shown.
        text: that stands in it.
        ground: its colour.
    """

    seconds: float
    text: str = ""
    ground: tuple[int, int, int] = (255, 255, 255)


class Caption(NamedTuple):
    """A subtitle in a video.

    Attributes:
        start_s: second at which it is shown.
        end_s: second at which it goes.
        text: what it says.
    """

    start_s: float
    end_s: float
    text: str


def tone(seconds: float, *, rate: int = RATE, level: float = 0.3) -> Samples:
    """Return a tone: (n,)."""
    times = np.arange(int(seconds * rate)) / rate
    return (level * 32_767 * np.sin(times * 2 * np.pi * 440)).astype(np.int16)


def silence(seconds: float, *, rate: int = RATE) -> Samples:
    """Return silence: (n,)."""
    return np.zeros(int(seconds * rate), dtype=np.int16)


def sound_file(samples: Samples, form: str = "wav", *, tags: Mapping[str, str] | None = None) -> bytes:
    """Return a recording.

    Args:
        samples: (n,), mono at `RATE`.
        form: a key of `FORMS`.
        tags: what it says of itself.
    """
    kind = FORMS[form]
    buffer = io.BytesIO()
    with library().open(buffer, "w", format=kind.container) as file:
        file.metadata.update(tags or {})
        track = file.add_stream(kind.codec, rate=kind.rate, layout="mono")
        _put_sound(file, track, samples)
    return buffer.getvalue()


def video_file(
    scenes: Iterable[Scene],
    *,
    sound: Samples | None = None,
    sound_from: float = 0.0,
    captions: Sequence[Caption] = (),
    form: Form = MP4,
    tags: Mapping[str, str] | None = None,
    whole_every: int | None = None,
) -> bytes:
    """Return a video.

    Args:
        scenes: one after the other.
        sound: (n,), mono at `RATE`; None for a silent film.
        sound_from: second at which it begins.
        captions: subtitles inside of it, for an MP4.
        form: container and codec of the pictures.
        tags: what it says of itself.
        whole_every: pictures from one that is stored whole to the next; the codec decides if unset.
    """
    buffer = io.BytesIO()
    with library().open(buffer, "w", format=form.container) as file:
        file.metadata.update(tags or {})
        pictures = file.add_stream(form.codec, rate=FPS)
        pictures.width, pictures.height = SIZE
        pictures.pix_fmt = "yuv420p"
        if whole_every is not None:
            pictures.codec_context.gop_size = whole_every
            pictures.codec_context.options = {"sc_threshold": "0"}
        heard = None if sound is None else file.add_stream("aac", rate=RATE, layout="mono")
        read = _caption_track(file) if captions else None
        _put_pictures(file, pictures, scenes)
        if sound is not None:
            _put_sound(file, heard, sound, sound_from)
        for one in captions:
            _put_caption(file, read, one)
    return buffer.getvalue()


def _put_sound(file: Any, track: Any, samples: Samples, start_s: float = 0.0) -> None:
    av = library()
    context = track.codec_context
    if not context.is_open:
        context.bit_rate = BIT_RATE
        context.open()
    frame = av.AudioFrame.from_ndarray(samples.reshape(1, -1), format="s16", layout="mono")
    frame.sample_rate = RATE
    frame.pts = int(start_s * RATE)
    frame.time_base = Fraction(1, RATE)
    resampler = av.AudioResampler(
        format=context.format, layout="mono", rate=context.rate, frame_size=context.frame_size or None
    )
    for one in (*resampler.resample(frame), *resampler.resample(None)):
        file.mux(track.encode(one))
    file.mux(track.encode(None))


def _put_pictures(file: Any, track: Any, scenes: Iterable[Scene]) -> None:
    av = library()
    place = 0
    for scene in scenes:
        image = _drawn(scene)
        for _ in range(int(scene.seconds * FPS)):
            frame = av.VideoFrame.from_image(image)
            frame.pts = place
            place += 1
            file.mux(track.encode(frame))
    file.mux(track.encode(None))


def _drawn(scene: Scene) -> Any:
    from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415 - an extra

    image = Image.new("RGB", SIZE, scene.ground)
    ink = "black" if sum(scene.ground) > 3 * 128 else "white"
    ImageDraw.Draw(image).text((10, 70), scene.text, fill=ink, font=ImageFont.load_default(36))
    return image


def _caption_track(file: Any) -> Any:
    track = file.add_stream("mov_text")
    track.codec_context.subtitle_header = ASS_HEAD.encode()
    return track


def _put_caption(file: Any, track: Any, caption: Caption) -> None:
    av = library()
    ms, start = Fraction(1, 1000), int(caption.start_s * 1000)
    length = int(caption.end_s * 1000) - start
    line = f"0,0,Default,,0,0,0,,{caption.text}".encode()
    packet = track.codec_context.encode_subtitle(
        av.subtitles.subtitle.SubtitleSet.create(line, 0, length, start * 1000)
    )
    packet.stream, packet.time_base, packet.pts, packet.dts, packet.duration = track, ms, start, start, length
    file.mux(packet)
