"""Where the command line prints: answers to standard output, everything else to standard error."""

import io
import json
import sys
from typing import Any

from rich.console import Console

# `:coffee:` in a memory is what somebody wrote, and no picture.
out = Console(emoji=False)
err = Console(stderr=True, emoji=False)

CONTROLS = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}
"""What steers a terminal, and is no text."""


def tolerate() -> None:
    """Have a character that the terminal's encoding lacks printed by its number, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def printable(text: str) -> str:
    """Return text without control characters: a memory must not steer the terminal that shows it."""
    return text.translate(CONTROLS)


def print_text(text: str) -> None:
    """Print text as it is, never wrapped; a terminal gets it without control characters."""
    out.file.write(f"{printable(text) if out.is_terminal else text}\n")


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Print plain data as JSON, one document, in its own script where the output can say it.

    Args:
        value: the data.
        indent: spaces; None prints one line.
    """
    escaped = out.encoding != "utf-8"
    print_text(json.dumps(value, ensure_ascii=escaped, indent=indent))


def flush() -> None:
    """Let readers of a pipe have what was printed."""
    out.file.flush()
