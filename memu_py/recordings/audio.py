"""Recordings of sound: what is said becomes turns."""

from memu_py.errors import ConfigError
from memu_py.local.thread import on_thread
from memu_py.modality.media import MediaTools
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.modality.title import title
from memu_py.recordings.began import began
from memu_py.recordings.time_line import TimeLine, first_words
from memu_py.transcription.container import container_of
from memu_py.transcription.probe import probe

AUDIO = "audio"
UNNAMED = "the recording"
SILENCE = "nothing is said in it"
RECORDINGS = "memu-recordings"
"""The thread on which recordings are opened."""
NO_ENGINE = "set `audio.engine` to faster-whisper, whisper or openai, or pass a transcript"


class AudioParser:
    """Reads recordings by the configured speech engine."""

    def accepts(self, raw: Raw, text: str | None) -> bool:
        """Tell whether the bytes are a recording without pictures."""
        kind = container_of(raw.data) if text is None else None
        return kind is not None and not kind.shows

    def means(self, tools: MediaTools) -> str:
        """Return nothing: without a speech engine a recording is refused."""
        return ""

    async def read(self, raw: Raw, *, options: ParseOptions = DEFAULT_OPTIONS, tools: MediaTools) -> Parsed:
        """Read a recording. One in which nobody speaks has no segments, and a warning.

        Raises:
            InvalidInput: it is damaged, too long, or has no sound track.
            ConfigError: no speech engine is configured, or it is not installed; says what to do.
            ModelError: the engine failed.
        """
        if tools.transcriber is None:
            msg = "a recording is heard by a speech engine, and `audio.engine` is not set"
            raise ConfigError(msg, hint=NO_ENGINE)
        name = raw.name or UNNAMED
        found = await on_thread(RECORDINGS, probe, raw.data, name=name)
        transcript = await tools.transcriber.transcribe(
            raw.data, name=name, report=tools.report, check=tools.check
        )
        line = TimeLine(
            utterances=transcript.utterances,
            language=transcript.language,
            began=began(found.tags, options.zone),
        )
        text, segments = line.lined(options)
        kind = container_of(raw.data)
        words = first_words(segments)
        return Parsed(
            text=text,
            segments=segments,
            modality=AUDIO,
            media_type=kind.media_type if kind else "",
            title=title(heading=found.tags.get("title"), name=raw.name, url=raw.url, text=words),
            # A missing end is told by whoever decodes it too.
            warnings=tuple(
                dict.fromkeys((*found.warnings, *transcript.warnings, *(() if words else (SILENCE,))))
            ),
        )
