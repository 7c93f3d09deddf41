"""The command line for tests."""

from collections.abc import Callable
from pathlib import Path

Memu = Callable[..., tuple[int, str, str]]

CONFIG = "plugins: [service_kit]\nembedding: {backend: hashing}\n"
"""A config.yaml with an embedder that needs no model."""


def take(memu: Memu, name: str, text: str, *more: str) -> None:
    """Write a file and memorize it."""
    Path(name).write_text(text, encoding="utf-8")
    assert memu("memorize", name, *more)[0] == 0
