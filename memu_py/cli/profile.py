"""`memu profile`: what is known of a person."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from memu_py.cli.console import err, print_json
from memu_py.cli.options import MOMENTS, Agent, Config, Json, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import columns, day, print_table
from memu_py.errors import InvalidInput
from memu_py.language.zones import zone
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memu_py.records.facet import FacetValue
    from memu_py.service.service import MemoryService

COLUMNS = columns("facet", "value", "since", "until", "item", wide="value", whole="item")


def profile(
    facet: Annotated[
        str | None, typer.Argument(help="Only this facet, such as home.", metavar="FACET")
    ] = None,
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    history: Annotated[bool, typer.Option("--history", help="All values that the facet had.")] = False,
    as_of: Annotated[
        datetime | None, typer.Option(formats=MOMENTS, help="What was true then, such as 2026-03-01.")
    ] = None,
    set_: Annotated[str | None, typer.Option("--set", help="Set the facet to this value.")] = None,
    end: Annotated[bool, typer.Option("--end", help="End what the facet is now.")] = False,
    topic: Annotated[str, typer.Option(help="What the facet is of, such as wife.")] = "",
    json_: Json = False,
) -> None:
    """Show what is known of a person, each value with the item that says it; or change a facet."""
    settings = settings_of(config)
    scope = scope_of(settings, user, agent, session)
    local = zone(settings.timezone_of(scope.user))
    if facet is None and (history or end or set_ is not None):
        msg = "name the facet, such as home"
        raise InvalidInput(msg)

    async def work(service: MemoryService) -> Sequence[FacetValue]:
        if facet is None or not (history or end or set_ is not None):
            moment = as_of.replace(tzinfo=local) if as_of else None
            known = await service.profile.get(as_of=moment)
            return known.values if facet is None else known.of(facet)
        if end:
            await service.profile.end(facet, topic=topic)
        if set_ is not None:
            await service.profile.set(facet, set_, topic=topic)
        return await service.profile.history(facet)

    found = with_service(settings, scope, work)
    if json_:
        print_json(plain(found))
    elif found:
        print_table(COLUMNS, [_row(one, local) for one in found])
    else:
        err.print("Nothing is known yet.", soft_wrap=True)


def _row(one: FacetValue, local: tzinfo) -> list[str]:
    label = f"{one.facet} ({one.topic})" if one.topic else one.facet
    return [escape(label), escape(one.value), day(one.since, local), day(one.until, local), one.item_id]
