"""`memu usage`: what chat models cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from memu_py.cli.console import err, print_json
from memu_py.cli.options import Agent, Config, Json, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import columns, print_table
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.records.usage import Usage, UsageReport, UsageRow
    from memu_py.service.service import MemoryService

DAYS = 30
COLUMNS = columns(
    "day",
    "profile",
    "purpose",
    "calls",
    "repaired",
    "cached",
    "sent",
    "answered",
    wide="purpose",
    whole="day",
)


def usage(
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    days: Annotated[int, typer.Option("--days", min=1, help="Days, today (UTC) included.")] = DAYS,
    json_: Json = False,
) -> None:
    """Show calls and tokens of chat models by day, the newest first; and how many retrieved memories were used."""

    async def fetch(service: MemoryService) -> UsageReport:
        return await service.usage(days=days)

    settings = settings_of(config)
    report = with_service(settings, scope_of(settings, user, agent, None), fetch)
    if json_:
        print_json(plain(report) | {"share_used": report.memories.share})
        return
    rows = [_row(row) for row in report]
    if rows:
        rows.append(["total", "", "", *_counts(report.total)])
    print_table(COLUMNS, rows)
    memories = report.memories
    if memories.share is not None:
        told = f"Memories: {memories.retrieved} retrieved, {memories.used} told to be used ({memories.share:.0%})."
        err.print(told, highlight=False, soft_wrap=True)


def _row(row: UsageRow) -> list[str]:
    return [row.day.isoformat(), escape(row.profile), escape(row.purpose), *_counts(row.usage)]


def _counts(usage: Usage) -> list[str]:
    counts = (
        usage.chat_calls,
        usage.repaired_calls,
        usage.cached_calls,
        usage.prompt_tokens,
        usage.completion_tokens,
    )
    return [str(count) for count in counts]
