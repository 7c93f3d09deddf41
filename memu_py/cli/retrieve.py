"""`memu retrieve`: ask a question."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from memu_py.cli.console import err, out, print_json
from memu_py.cli.options import LOCAL_USER, Agent, Config, Json, Session, User
from memu_py.cli.plain import plain
from memu_py.cli.run import settings_of, with_service
from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.scope import Scope
from memu_py.service.results import RetrieveResult
from memu_py.service.service import MemoryService

SHOWN = ("relevance", "dense", "keyword", "recency")


def retrieve(
    question: Annotated[str, typer.Argument(help="What to ask.")],
    config: Config = None,
    user: User = LOCAL_USER,
    agent: Agent = None,
    session: Session = None,
    top_k: Annotated[int | None, typer.Option("--top-k", "-k", min=1, help="Hits at most.")] = None,
    min_score: Annotated[
        float | None, typer.Option(min=0, max=1, help="Leave out hits below it; 0 shows all.")
    ] = None,
    profile: Annotated[str | None, typer.Option(help="Scoring profile.")] = None,
    context: Annotated[bool, typer.Option("--context", help="Print the block for a prompt only.")] = False,
    json_: Json = False,
) -> None:
    """Ask memory a question."""

    async def ask(service: MemoryService) -> RetrieveResult:
        return await service.retrieve(question, top_k=top_k, min_score=min_score, profile=profile)

    scope = Scope(user=user, agent=agent, session=session)
    result = with_service(settings_of(config), scope, ask)
    if json_:
        print_json(plain(result))
    elif context:
        out.print(result.context, markup=False, highlight=False, soft_wrap=True)
    elif not result:
        err.print("Nothing found. `--min-score 0` shows the nearest even so.")
    else:
        _show(result)


def _show(result: RetrieveResult) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("score", justify="right")
    table.add_column("memory", ratio=1)
    table.add_column("when")
    for name in SHOWN:
        table.add_column(name, justify="right", style="dim")
    for hit in result.items:
        table.add_row(*_row(hit))
    out.print(table)
    if result.categories:
        names = ", ".join(f"{hit.record.name} ({hit.score:.2f})" for hit in result.categories)
        out.print(f"\n[bold]Categories[/]  {escape(names)}", highlight=False)
    for resource in result.resources:
        label = resource.record.url or resource.record.title
        out.print(f"[bold]Resource[/]    {escape(label)} ({resource.score:.2f})", highlight=False)


def _row(hit: Hit[Item]) -> list[str]:
    item = hit.record
    when = item.happened.start if item.happened else item.said_at
    said = f"{item.speaker}: " if item.speaker else ""
    factors = [f"{hit.scores[name]:.2f}" if name in hit.scores else "" for name in SHOWN]
    return [f"{hit.score:.3f}", escape(said + item.text), f"{when:%Y-%m-%d}" if when else "", *factors]
