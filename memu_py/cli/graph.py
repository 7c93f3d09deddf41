"""`memu graph`: who or what stands in which relation to whom."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from memu_py.cli.console import err, print_json
from memu_py.cli.options import MOMENTS, Agent, Config, Json, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import columns, print_table
from memu_py.language.zones import zone
from memu_py.records.graph import Neighbor, Path
from memu_py.records.plain import plain
from memu_py.records.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memu_py.service.service import MemoryService

COLUMNS = columns(
    "hops", "subject", "predicate", "object", "since", "until", wide="object", whole="predicate"
)


def graph(
    name: Annotated[str | None, typer.Argument(help="A name; without one all relations are listed.")] = None,
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    to: Annotated[str | None, typer.Option("--to", help="Another name: show how both are related.")] = None,
    hops: Annotated[
        int | None, typer.Option("--hops", min=1, max=6, help="Relations away at most; 1, or 4 with --to.")
    ] = None,
    predicate: Annotated[
        str | None, typer.Option("--predicate", help="Only relations of this predicate.")
    ] = None,
    as_of: Annotated[
        datetime | None, typer.Option(formats=MOMENTS, help="What held then, such as 2026-03-01.")
    ] = None,
    ended: Annotated[
        bool, typer.Option("--ended", help="Also what holds no longer; without a name.")
    ] = False,
    json_: Json = False,
) -> None:
    """Show what is related to a name, how two names are related, or all relations."""
    settings = settings_of(config)
    scope = scope_of(settings, user, agent, session)
    moment = as_of.replace(tzinfo=zone(settings.timezone_of(scope.user))) if as_of else None

    async def fetch(service: MemoryService) -> Sequence[Relation | Neighbor | Path]:
        if name is None:
            return await service.graph.relations(predicate=predicate, as_of=moment, ended=ended, limit=1000)
        if to is None:
            return await service.graph.neighbors(name, hops=hops or 1, predicate=predicate, as_of=moment)
        return await service.graph.paths(name, to, max_hops=hops or 4, predicate=predicate, as_of=moment)

    found = with_service(settings, scope, fetch)
    if json_:
        print_json([plain(one) for one in found])
        return
    if not found:
        err.print("No relations.", soft_wrap=True)
        return
    print_table(COLUMNS, (row for one in found for row in _rows(one)))


def _rows(one: Relation | Neighbor | Path) -> Iterator[list[str]]:
    if isinstance(one, Relation):
        yield _row(one, "")
        return
    for relation in one.relations:
        yield _row(relation, str(one.hops))


def _row(one: Relation, hops: str) -> list[str]:
    until = "" if one.valid_to is None else one.valid_to.date().isoformat()
    names = [escape(text) for text in (one.subject, one.predicate, one.object)]
    return [hops, *names, one.valid_from.date().isoformat(), until]
