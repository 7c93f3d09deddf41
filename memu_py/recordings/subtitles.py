"""Subtitles: SRT and WebVTT, as people write them and as programs do."""

from memu_py.errors import InvalidInput
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.modality.text import readable
from memu_py.modality.title import title
from memu_py.recordings.audio import SILENCE
from memu_py.recordings.cues import VTT, cues, looks_like_cues, utterances
from memu_py.recordings.time_line import TimeLine, first_words

SUBTITLES = "subtitles"
SRT_TYPE = "application/x-subrip"
VTT_TYPE = "text/vtt"


class SubtitleParser:
    """Reads subtitles. Their times are seconds of the film, and no dates."""

    def accepts(self, raw: Raw, text: str | None) -> bool:
        """Tell whether a text is subtitles."""
        return text is not None and raw.messages is None and looks_like_cues(text)

    def parse(self, raw: Raw, *, options: ParseOptions = DEFAULT_OPTIONS) -> Parsed:
        """Read subtitles. What is in brackets alone, such as `[Music]`, is context.

        Raises:
            InvalidInput: there is no cue.
        """
        decoded = readable(raw)
        found = cues(decoded.text)
        if not found:
            msg = "there is no cue, so these are no subtitles"
            raise InvalidInput(msg, hint="modality='text' reads it as plain text")
        text, segments = TimeLine(utterances=tuple(utterances(found))).lined(options)
        words = first_words(segments)
        noted = (decoded.warning, None if words else SILENCE)
        return Parsed(
            text=text,
            segments=segments,
            modality=SUBTITLES,
            media_type=VTT_TYPE if decoded.text.lstrip().startswith(VTT) else SRT_TYPE,
            title=title(name=raw.name, url=raw.url, text=words),
            warnings=tuple(warning for warning in noted if warning),
        )
