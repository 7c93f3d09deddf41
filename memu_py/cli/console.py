"""Where the command line prints: answers to standard output, everything else to standard error."""

import json
from typing import Any

from rich.console import Console

out = Console()
err = Console(stderr=True)


INTERRUPTED = 130


def stopped() -> int:
    """Say that Ctrl-C was heard, and return the exit code for it."""
    err.print("Stopped. What was already written stays; run the same command again to go on.")
    return INTERRUPTED


def print_json(value: Any) -> None:
    """Print plain data as JSON, one document, in its own script (no escapes for Chinese)."""
    out.print(json.dumps(value, ensure_ascii=False, indent=2), markup=False, highlight=False, soft_wrap=True)
