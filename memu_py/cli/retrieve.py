"""`memu retrieve`: ask a question."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from memu_py.cli.console import err, out, print_json, print_text
from memu_py.cli.options import MOMENTS, Agent, Config, Json, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import Column, day, print_table
from memu_py.language.zones import zone
from memu_py.records.locator import Locator
from memu_py.records.place import described
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.records.hit import Hit
    from memu_py.records.item import Item, Source
    from memu_py.service.results import RetrieveResult
    from memu_py.service.service import MemoryService

SHOWN = ("relevance", "dense", "keyword", "recency")
COLUMNS = [
    Column(name="score", justify="right"),
    Column(name="memory", wide=True),
    Column(name="when"),
    *(Column(name=name, justify="right", style="dim") for name in SHOWN),
]
WHERE = Column(name="where")
WHERE_AT = 3
"""Its place among the columns: behind the memory and its date."""

Places = Mapping[str, str]
"""Where items stand in their originals, by item id; empty when none of these has places."""


def retrieve(
    question: Annotated[str, typer.Argument(help="What to ask.")],
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    top_k: Annotated[int | None, typer.Option("--top-k", "-k", min=1, help="Hits at most.")] = None,
    min_score: Annotated[
        float | None, typer.Option(min=0, max=1, help="Leave out hits below it; 0 shows all.")
    ] = None,
    profile: Annotated[str | None, typer.Option(help="Scoring profile.")] = None,
    as_of: Annotated[
        datetime | None, typer.Option(formats=MOMENTS, help="What was true then, such as 2026-03-01.")
    ] = None,
    context: Annotated[bool, typer.Option("--context", help="Print the block for a prompt only.")] = False,
    json_: Json = False,
) -> None:
    """Ask memory a question."""

    async def ask(service: MemoryService) -> tuple[RetrieveResult, Places]:
        moment = as_of.replace(tzinfo=zone(settings.timezone_of(scope.user))) if as_of else None
        result = await service.retrieve(
            question, top_k=top_k, min_score=min_score, profile=profile, as_of=moment
        )
        shown = not (json_ or context)
        return result, await _places(service, [hit.record for hit in result.items]) if shown else {}

    settings = settings_of(config)
    scope = scope_of(settings, user, agent, session)
    result, places = with_service(settings, scope, ask)
    if json_:
        print_json(plain(result))
    elif context and result.context:
        print_text(result.context)
    elif context or not result:
        err.print("Nothing found. `--min-score 0` shows the nearest even so.", soft_wrap=True)
    else:
        _show(result, zone(settings.timezone_of(scope.user)), places)


async def _places(service: MemoryService, items: list[Item]) -> Places:
    """Return where items stand in their originals; nothing when none of these has places."""
    sources = {item.id: found for item in items if (found := _source(item))}
    if not any(Locator.of(source.metadata) for source in sources.values()):
        return {}
    ids = sorted({source.resource_id for source in sources.values()})
    page = await service.list_resources(where={"id": {"in": ids}}, limit=len(ids))
    named = {resource.id: resource for resource in page}
    return {
        item_id: described(named[source.resource_id], Locator.of(source.metadata))
        for item_id, source in sources.items()
        if source.resource_id in named
    }


def _source(item: Item) -> Source | None:
    """Return the first source that says where in the original, else the first."""
    located = (source for source in item.sources if Locator.of(source.metadata))
    return next(located, next(iter(item.sources), None))


def _show(result: RetrieveResult, local: tzinfo, places: Places) -> None:
    columns = [*COLUMNS[:WHERE_AT], WHERE, *COLUMNS[WHERE_AT:]] if places else COLUMNS
    print_table(columns, (_row(hit, local, places) for hit in result.items))
    if result.categories:
        names = ", ".join(f"{hit.record.name} ({hit.score:.2f})" for hit in result.categories)
        out.print(f"\n[bold]Categories[/]  {escape(names)}", highlight=False, soft_wrap=True)
    for resource in result.resources:
        label = resource.record.url or resource.record.title
        line = f"[bold]Resource[/]    {escape(label)} ({resource.score:.2f})"
        out.print(line, highlight=False, soft_wrap=True)


def _row(hit: Hit[Item], local: tzinfo, places: Places) -> list[str]:
    item = hit.record
    when = item.happened.start if item.happened else item.said_at
    said = f"{item.speaker}: " if item.speaker else ""
    factors = [f"{hit.scores[name]:.2f}" if name in hit.scores else "" for name in SHOWN]
    where = [escape(places.get(item.id, ""))] if places else []
    return [f"{hit.score:.3f}", escape(said + item.text), day(when, local), *where, *factors]
