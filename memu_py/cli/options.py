"""Options that many commands share."""

from pathlib import Path
from typing import Annotated

import typer

Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        "-c",
        help="Configuration file. Without it: $MEMU_CONFIG, ./config.yaml, then the packaged defaults.",
    ),
]
User = Annotated[
    str | None, typer.Option("--user", "-u", help="Whose memory; `scope.default`, then `local` without it.")
]
Agent = Annotated[str | None, typer.Option("--agent", help="Narrow to (or write as) this agent.")]
Session = Annotated[str | None, typer.Option("--session", help="Narrow to (or write in) this session.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Rows at most.")]
MOMENTS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]
"""How a moment is written, in the user's time zone."""
