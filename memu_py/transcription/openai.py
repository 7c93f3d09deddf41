"""Transcription over HTTP, by any server with OpenAI's `/audio/transcriptions`."""

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from openai import AsyncOpenAI, omit

from memu_py.errors import ModelError
from memu_py.llm.openai_client import OpenAIClient
from memu_py.llm.provider_error import REFUSED, ProviderError
from memu_py.records.transcript import Utterance
from memu_py.transcription.container import library
from memu_py.transcription.sound import RATE, Window
from memu_py.transcription.speech import confidence, is_speech
from memu_py.transcription.windowed import Heard, Tick

DEFAULT_MODEL = "whisper-1"
MAX_WINDOW_S = 700.0
"""As plain samples this is 22 MB, and as FLAC about half: servers take 25 MB."""
PLAIN_S = 30.0
"""Pieces for a server that gives no times: what is said in one has the times of the piece."""
TIMED, DIARIZED, PLAIN = "verbose_json", "diarized_json", "json"
FLAC_FRAME = 4096


class OpenAITranscription:
    """Hears by a server. A form of answer that it refuses is not asked for again.

    Args:
        client: calls it.
        model: the model's name.
        language: that is spoken; None lets the model find out.
    """

    def __init__(self, client: OpenAIClient, *, model: str, language: str | None = None) -> None:
        self._client = client
        self._model = model
        self._language = language
        self._form = DIARIZED if "diarize" in model else TIMED

    @property
    def id(self) -> str:
        """Provider, model and language."""
        return f"{self._client.endpoint.provider}/{self._model}/{self._language or ''}"

    @property
    def max_window_s(self) -> float:
        """Seconds of one call."""
        return MAX_WINDOW_S

    async def hear(self, window: Window, *, tick: Tick) -> Heard:
        """Return what is said in a window.

        Raises:
            ModelError: the server failed, after the retries it deserves.
            MissingKey: it needs a key that is not set.
        """
        if self._form != PLAIN:
            answer = await self._timed(window)
            if answer is not None:
                return answer
        found: list[Utterance] = []
        language = None
        for piece in window.pieces(PLAIN_S):
            said = _heard(await self._ask(piece, PLAIN), piece)
            # Only now: what was refused may have been something else than the form.
            self._form = PLAIN
            shift = piece.start_s - window.start_s
            found += [
                one.evolve(start_s=one.start_s + shift, end_s=one.end_s + shift) for one in said.utterances
            ]
            language = language or said.language
            tick(shift + piece.seconds)
        return Heard(tuple(found), language)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _timed(self, window: Window) -> Heard | None:
        """Ask for an answer with times; None where the server gives none."""
        try:
            answer = await self._ask(window, self._form)
        except ProviderError as error:
            if error.status not in REFUSED:
                raise
            return None
        if isinstance(answer.get("segments"), list) or not answer["text"].strip():
            return _heard(answer, window)
        return _heard(answer, window) if window.seconds <= PLAIN_S else None

    async def _ask(self, window: Window, form: str) -> dict[str, Any]:
        sound = flac(window)
        options: dict[str, Any] = {}
        if form == TIMED:
            options["timestamp_granularities"] = ["segment"]
        elif form == DIARIZED:
            options["chunking_strategy"] = "auto"

        async def post(client: AsyncOpenAI) -> bytes:
            # Raw: compatible servers answer in forms of their own.
            answer = await client.audio.transcriptions.with_raw_response.create(
                file=("sound.flac", sound, "audio/flac"),
                model=self._model,
                language=self._language or omit,
                response_format=form,  # type: ignore[call-overload]
                **options,
            )
            content: bytes = answer.content
            return content

        return self._read(await self._client.call(post))

    def _read(self, content: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(content)
        except ValueError:
            answer = None
        if not isinstance(answer, dict) or not isinstance(answer.get("text"), str):
            msg = f"{self._client.endpoint.provider} ({self._model}) answered with something else than a transcript"
            raise ModelError(
                f"{msg}: {content[:80]!r}", hint="check `base_url` with its path, and `audio.model`"
            )
        return answer


def flac(window: Window) -> bytes:
    """Return a window as a FLAC file.

    Raises:
        ConfigError: the library is not installed.
    """
    av = library()
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="flac") as file:
        track = file.add_stream("flac", rate=RATE, layout="mono")
        for start in range(0, len(window.samples), FLAC_FRAME):
            samples = window.samples[start : start + FLAC_FRAME].reshape(1, -1)
            frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
            frame.sample_rate = RATE
            frame.pts = start
            file.mux(track.encode(frame))
        file.mux(track.encode(None))
    return buffer.getvalue()


def _heard(answer: Mapping[str, Any], window: Window) -> Heard:
    segments = answer.get("segments")
    found = tuple(_utterances(segments)) if isinstance(segments, list) else ()
    if not found and not segments:
        found = (Utterance(text=answer["text"], start_s=0.0, end_s=window.seconds),)
    language = answer.get("language")
    return Heard(found, _code(language) if isinstance(language, str) else None)


def _utterances(segments: Iterable[Any]) -> Iterator[Utterance]:
    for one in segments:
        if not isinstance(one, Mapping) or not isinstance(one.get("text"), str):
            continue
        start, end = _number(one.get("start")), _number(one.get("end"))
        sure = _number(one.get("avg_logprob"))
        if start is None or not is_speech(_number(one.get("no_speech_prob")), sure):
            continue
        yield Utterance(
            text=one["text"],
            start_s=start,
            end_s=start if end is None else end,
            speaker=_label(one.get("speaker")),
            emotion=_label(one.get("emotion")),
            confidence=confidence(sure),
        )


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _label(value: Any) -> str | None:
    return str(value).strip() or None if isinstance(value, str | int) else None


LANGUAGES = {
    "arabic": "ar", "chinese": "zh", "dutch": "nl", "english": "en", "french": "fr", "german": "de", "hindi": "hi",
    "indonesian": "id", "italian": "it", "japanese": "ja", "korean": "ko", "polish": "pl", "portuguese": "pt",
    "russian": "ru", "spanish": "es", "swedish": "sv", "turkish": "tr", "ukrainian": "uk", "vietnamese": "vi",
}  # fmt: skip
"""OpenAI names a language in English where others give its code."""


def _code(language: str) -> str | None:
    name = language.strip().lower()
    return LANGUAGES.get(name, name) or None
