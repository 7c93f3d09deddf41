"""`memu doctor`: what is configured, what works, what is missing."""

import asyncio
import dataclasses

import typer
from rich.markup import escape

from memu_py.cli.console import print_json
from memu_py.cli.options import Config, Json
from memu_py.cli.table import columns, print_table

COLORS = {"ok": "green", "missing": "yellow", "wrong": "red"}


def doctor(config: Config = None, json_: Json = False) -> None:
    """Look at every part; exit 1 when one is wrong."""
    from memu_py.cli.examine import examine  # noqa: PLC0415 - slow to load, and help needs none of it

    findings = asyncio.run(examine(config))
    if json_:
        print_json([dataclasses.asdict(one) for one in findings])
    else:
        rows = [
            (f"[{COLORS[one.state]}]{one.state}[/]", f"[bold]{escape(one.what)}[/]", escape(one.detail))
            for one in findings
        ]
        print_table(columns("state", "part", "detail", wide="detail"), rows)
    if any(one.state == "wrong" for one in findings):
        raise typer.Exit(1)
