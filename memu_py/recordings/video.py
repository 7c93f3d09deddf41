"""Videos: what is said and what is shown, on one time line."""

import dataclasses

from memu_py.config.settings import Settings
from memu_py.errors import ConfigError, InvalidInput
from memu_py.local.thread import on_thread
from memu_py.modality.media import MediaTools
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.modality.title import title
from memu_py.pictures.reading import Read, means_of, read_pictures
from memu_py.recordings.audio import NO_ENGINE, RECORDINGS, SILENCE
from memu_py.recordings.began import began
from memu_py.recordings.embedded import embedded
from memu_py.recordings.frames import Frame, Selection, key_frames
from memu_py.recordings.time_line import TimeLine, first_words
from memu_py.records.locator import Locator
from memu_py.records.record import Record
from memu_py.records.transcript import Transcript
from memu_py.transcription.container import container_of
from memu_py.transcription.probe import Probe, probe

VIDEO = "video"
UNNAMED = "the video"
UNHEARD = "its sound was not heard: `audio.engine` is not set"
SUBTITLED = "its sound was not heard, `audio.engine` is not set; its subtitles were read instead"
WHOLE_EVERY_S = 4.0
WHOLE_EVERY = 0.1
"""Pictures that are stored whole will do where they are no further apart, or than so much of the frames' distance."""
NOTHING = "nothing is said in it, and nothing was read in its pictures"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class _Said(Record):
    """What is said.

    Attributes:
        transcript: of the sound, or of subtitles.
        heard: whether it was listened to, or there is nothing to hear.
        warnings: what was not.
    """

    transcript: Transcript
    heard: bool
    warnings: tuple[str, ...] = ()


class VideoParser:
    """Reads videos: their sound by the speech engine, a few of their pictures as pictures are read."""

    def accepts(self, raw: Raw, text: str | None) -> bool:
        """Tell whether the bytes are a video."""
        kind = container_of(raw.data) if text is None else None
        return kind is not None and kind.shows

    def means(self, tools: MediaTools) -> str:
        """Return whether there is a speech engine, and how its pictures are read."""
        heard = "heard" if tools.transcriber is not None else "not heard"
        return f"{heard}, {tools.settings.video.max_frames} pictures, {means_of(tools)}"

    async def read(self, raw: Raw, *, options: ParseOptions = DEFAULT_OPTIONS, tools: MediaTools) -> Parsed:
        """Read a video. One in which nothing is said or shown to be read has no segments, and a warning.

        Raises:
            InvalidInput: it is damaged, too long, or holds neither pictures nor sound.
            ConfigError: what reads it is not installed or not configured, and nothing else in it could be read.
            ModelError: a model failed.
        """
        name = raw.name or UNNAMED
        found = await on_thread(RECORDINGS, probe, raw.data, name=name)
        _check(found, tools.settings, name)
        frames, spoiled = await _frames(raw.data, found, tools, name)
        said = await _said(raw.data, found, tools, name)
        tools.check()
        places = [Locator(start_s=one.at_s) for one in frames]
        read = await read_pictures([one.image for one in frames], tools=tools, places=places)
        line = TimeLine(
            utterances=said.transcript.utterances,
            blocks=read.blocks,
            language=said.transcript.language,
            began=began(found.tags, options.zone),
        )
        text, segments = line.lined(options)
        words = first_words(segments)
        warnings = (*found.warnings, *said.warnings, *spoiled, *read.warnings)
        if not segments:
            warnings += (_nothing(said, read, found),)
        kind = container_of(raw.data)
        return Parsed(
            text=text,
            segments=segments,
            modality=VIDEO,
            media_type=kind.media_type if kind else "",
            title=title(heading=found.tags.get("title"), name=raw.name, url=raw.url, text=words),
            warnings=tuple(dict.fromkeys(warnings)),
        )


def _check(found: Probe, settings: Settings, name: str) -> None:
    if not found.shows and not found.sounds:
        msg = f"{name} holds neither pictures nor sound"
        raise InvalidInput(msg)
    if found.duration_s > settings.video.max_s:
        msg = f"{name} is {found.duration_s:.0f} s long, and at most {settings.video.max_s:g} s are taken"
        raise InvalidInput(msg, hint="raise `video.max_s`, or split it")


async def _frames(
    data: bytes, found: Probe, tools: MediaTools, name: str
) -> tuple[list[Frame], tuple[str, ...]]:
    video, images = tools.settings.video, tools.settings.images
    if not found.shows or not video.max_frames:
        return [], ()
    wanted = Selection(
        max_frames=video.max_frames,
        scene_change=video.scene_change,
        min_gap_s=video.min_gap_s,
        max_side=images.max_side,
        max_pixels=images.max_pixels,
        between=found.whole_every_s > max(WHOLE_EVERY_S, found.duration_s * WHOLE_EVERY / video.max_frames),
    )
    return await on_thread(RECORDINGS, key_frames, data, wanted, name=name, check=tools.check)


async def _said(data: bytes, found: Probe, tools: MediaTools, name: str) -> _Said:
    if found.sounds and tools.transcriber is not None:
        transcript = await tools.transcriber.transcribe(
            data, name=name, report=tools.report, check=tools.check
        )
        return _Said(transcript=transcript, heard=True, warnings=transcript.warnings)
    subtitles = await on_thread(RECORDINGS, embedded, data, name=name)
    transcript = Transcript(utterances=subtitles, duration_s=found.duration_s)
    if not found.sounds:
        return _Said(transcript=transcript, heard=True)
    return _Said(transcript=transcript, heard=False, warnings=(SUBTITLED if subtitles else UNHEARD,))


def _nothing(said: _Said, read: Read, found: Probe) -> str:
    """Return the warning for a video that gave nothing, where it was looked at and listened to.

    Raises:
        ConfigError: nobody listened.
    """
    if not said.heard:
        seen = "; ".join(read.warnings) or "nothing was read in its pictures"
        msg = f"a video is heard by a speech engine, and `audio.engine` is not set; {seen}"
        raise ConfigError(msg, hint=NO_ENGINE)
    return NOTHING if found.shows else SILENCE
