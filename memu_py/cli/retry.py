"""`memu retry`: read again what could not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memu_py.cli.console import err, print_json
from memu_py.cli.options import Agent, Config, Json, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import print_table
from memu_py.cli.taken import COLUMNS, Bar, report_faults, row
from memu_py.errors import MemuError
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.records.resource import Resource
    from memu_py.service.results import MemorizeResult
    from memu_py.service.service import MemoryService

    Outcomes = list[tuple[Resource, MemorizeResult | MemuError]]


def retry(
    resource: Annotated[
        str | None,
        typer.Argument(help="Id of a resource; all that were not read whole without it.", metavar="ID"),
    ] = None,
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    timezone: Annotated[str | None, typer.Option(help="Zone of times that carry none.")] = None,
    json_: Json = False,
) -> None:
    """Read again what could not be read; what is done is not read again."""

    async def again(service: MemoryService) -> Outcomes:
        wanted = [await service.get_resource(resource)] if resource else await _unread(service)
        results: Outcomes = []
        if not wanted:
            return results
        with Bar(len(wanted)) as bar:
            for one in wanted:
                bar.start(_label(one))
                try:
                    (result,) = await service.retry(one.id, timezone=timezone, progress=bar.show)
                except MemuError as error:
                    results.append((one, error))
                else:
                    results.append((one, result))
        return results

    settings = settings_of(config)
    results = with_service(settings, scope_of(settings, user, agent, session), again)
    labelled = [(_label(one), result) for one, result in results]
    if json_:
        print_json([{"id": one.id, **_json(result)} for one, result in results])
    elif not results:
        err.print("Everything was read.", soft_wrap=True)
    else:
        print_table(COLUMNS, (row(name, result) for name, result in labelled))
    if report_faults(labelled):
        raise typer.Exit(1)


async def _unread(service: MemoryService) -> list[Resource]:
    from memu_py.service.reading_again import UNREAD  # noqa: PLC0415 - slow to load, and help needs none of it

    page = await service.list_resources(where=UNREAD)
    found = list(page)
    while page.next_cursor:
        page = await service.list_resources(where=UNREAD, cursor=page.next_cursor)
        found += page
    return found


def _label(resource: Resource) -> str:
    return resource.title or resource.url or resource.id


def _json(result: MemorizeResult | MemuError) -> dict[str, object]:
    return {"error": str(result)} if isinstance(result, MemuError) else dict(plain(result))
