"""The engine over a speech model on this machine."""

from collections.abc import Callable
from typing import Any

from memu_py.transcription.model import LocalModel
from memu_py.transcription.sound import Window
from memu_py.transcription.windowed import Heard, Tick

Hears = Callable[[Any, str | None, Window, Tick], Heard]
"""Given the model, the language, a window and whom to tell, returns what is said; on the thread of speech models."""


class LocalEngine:
    """Hears by a model on this machine, in windows of any length.

    Args:
        model: which.
        hears: how it is used.
        language: that is spoken; None lets the model find out.
    """

    def __init__(self, model: LocalModel, hears: Hears, *, language: str | None = None) -> None:
        self._model = model
        self._hears = hears
        self._language = language

    @property
    def id(self) -> str:
        """Library, model and language."""
        return f"{self._model.package}/{self._model.name.id}/{self._language or ''}"

    @property
    def max_window_s(self) -> float:
        """Any."""
        return float("inf")

    async def hear(self, window: Window, *, tick: Tick) -> Heard:
        """Return what is said in a window.

        Raises:
            ConfigError: the library is not installed, or the model cannot be loaded or fetched.
            ModelError: the model failed.
        """
        return await self._model.use(lambda model: self._hears(model, self._language, window, tick))

    async def close(self) -> None:
        """Let go of the model."""
        await self._model.close()
