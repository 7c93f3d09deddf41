"""Transcripts that are kept, so that nothing is heard, or paid for, twice.

A run that fails behind the transcription is run again, here or in another process; one that fails within a long
recording goes on where it failed. What is kept belongs to a scope, and is erased with it.
"""

import dataclasses
import hashlib
import json
import logging
from typing import Any

from memu_py.errors import StoreError
from memu_py.llm.cached import AnswerCache
from memu_py.modality.media import Check, Report, Transcriber
from memu_py.records.transcript import Transcript, Utterance
from memu_py.transcription.sound import Window
from memu_py.transcription.windowed import Engine, Heard, Tick, WindowedTranscriber

LOGGER = logging.getLogger("memu_py.transcription")


def keeping(transcriber: Transcriber, cache: AnswerCache) -> Transcriber:
    """Return a transcriber that looks into a cache first: window by window, or for the whole of a plug-in's.

    Args:
        transcriber: hears what is not known.
        cache: bound to a scope.
    """
    if isinstance(transcriber, WindowedTranscriber):
        engine = KeptEngine(transcriber.engine, cache)
        return WindowedTranscriber(engine, window_s=transcriber.window_s, max_s=transcriber.max_s)
    return KeptTranscriber(transcriber, cache)


class KeptEngine:
    """Hears a window once.

    Args:
        inner: hears what is not known.
        cache: bound to a scope.
    """

    def __init__(self, inner: Engine, cache: AnswerCache) -> None:
        self._inner = inner
        self._cache = cache

    @property
    def id(self) -> str:
        """That of the engine."""
        return self._inner.id

    @property
    def max_window_s(self) -> float:
        """That of the engine."""
        return self._inner.max_window_s

    async def hear(self, window: Window, *, tick: Tick) -> Heard:
        """Return what is said in a window; see `Engine.hear`."""
        key = _key(self.id, window.samples.tobytes())
        known = await _load(self._cache, key)
        if known is not None:
            return Heard(known.utterances, known.language)
        heard = await self._inner.hear(window, tick=tick)
        await _save(self._cache, key, Transcript(utterances=heard.utterances, language=heard.language))
        return heard

    async def close(self) -> None:
        """Leave the engine to whoever made it."""


class KeptTranscriber:
    """Hears a recording once.

    Args:
        inner: hears what is not known.
        cache: bound to a scope.
    """

    def __init__(self, inner: Transcriber, cache: AnswerCache) -> None:
        self._inner = inner
        self._cache = cache

    @property
    def id(self) -> str:
        """That of the transcriber."""
        return self._inner.id

    async def transcribe(
        self, sound: bytes, *, name: str = "", report: Report | None = None, check: Check | None = None
    ) -> Transcript:
        """Return what is said in a recording; see `Transcriber.transcribe`."""
        key = _key(self.id, sound)
        known = await _load(self._cache, key)
        if known is not None:
            return known
        transcript = await self._inner.transcribe(sound, name=name, report=report, check=check)
        await _save(self._cache, key, transcript)
        return transcript

    async def close(self) -> None:
        """Leave the transcriber to whoever made it."""


def _key(engine: str, content: bytes) -> bytes:
    digest = hashlib.blake2b(content, digest_size=32, person=b"transcript")
    digest.update(engine.encode("utf-8", "surrogatepass"))
    return digest.digest()


async def _load(cache: AnswerCache, key: bytes) -> Transcript | None:
    text = await cache.load(key)
    return None if text is None else _read(json.loads(text))


async def _save(cache: AnswerCache, key: bytes, transcript: Transcript) -> None:
    try:
        await cache.save(key, json.dumps(dataclasses.asdict(transcript), ensure_ascii=False))
    except StoreError as error:
        # The transcript is good: what could not be kept is heard again some day.
        LOGGER.warning("a transcript could not be kept: %s", error)


def _read(kept: dict[str, Any]) -> Transcript:
    utterances = tuple(Utterance(**one) for one in kept["utterances"])
    return Transcript(**{**kept, "utterances": utterances, "warnings": tuple(kept["warnings"])})
