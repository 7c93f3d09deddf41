"""`memu mood`: how somebody feels, and what about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from memu_py.cli.console import err, out, print_json
from memu_py.cli.options import Agent, Config, Json, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import columns, print_table
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.records.mood import MoodPeriod, MoodProfile, MoodState
    from memu_py.service.service import MemoryService

WEEKS = columns("week of", "memories", "valence", "arousal", "emotion", wide="emotion", whole="week of")
TRIGGERS = columns("about", "memories", "valence", "arousal", wide="about", whole="about")


def mood(
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    days: Annotated[int, typer.Option("--days", min=1, help="How many days back.")] = 14,
    profile: Annotated[bool, typer.Option("--profile", help="The long run, and what it is about.")] = False,
    weeks: Annotated[bool, typer.Option("--weeks", help="One week after the other.")] = False,
    speaker: Annotated[str | None, typer.Option("--speaker", help="Only what this one said.")] = None,
    json_: Json = False,
) -> None:
    """Show how somebody has felt of late, in the long run, or from week to week."""

    async def fetch(service: MemoryService) -> MoodState | MoodProfile | list[MoodPeriod]:
        if weeks:
            return await service.emotions.timeline(by="week", speaker=speaker)
        if profile:
            return await service.emotions.profile(speaker=speaker)
        return await service.emotions.state(days=days, speaker=speaker)

    settings = settings_of(config)
    found = with_service(settings, scope_of(settings, user, agent, session), fetch)
    if json_:
        print_json([plain(one) for one in found] if isinstance(found, list) else plain(found))
    elif isinstance(found, list):
        _print_weeks(found)
    else:
        _print(found)


def _print_weeks(found: list[MoodPeriod]) -> None:
    if not found:
        _print_nothing()
        return
    rows = (
        [one.start.isoformat(), str(one.count), *_numbers(one), escape(one.emotion or "")] for one in found
    )
    print_table(WEEKS, rows)


def _print(found: MoodState | MoodProfile) -> None:
    if not found.count:
        _print_nothing()
        return
    valence, arousal = _numbers(found)
    out.print(f"{found.first} to {found.last}: {found.count} memories, valence {valence}, arousal {arousal}")
    out.print(escape(", ".join(f"{one.label} {one.share:.0%}" for one in found.emotions)))
    triggers = getattr(found, "triggers", ())
    if triggers:
        print_table(TRIGGERS, ([escape(one.name), str(one.count), *_numbers(one)] for one in triggers))
    for item in getattr(found, "items", ()):
        out.print(f"- {escape(item.text)}", soft_wrap=True)


def _print_nothing() -> None:
    err.print("No memory has a feeling.", soft_wrap=True)


def _numbers(one: object) -> tuple[str, str]:
    return f"{getattr(one, 'valence', 0):+.2f}", f"{getattr(one, 'arousal', 0):.2f}"
