"""`memu recall`: all that a question calls to mind."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from memu_py.cli.console import err, print_json, print_text
from memu_py.cli.options import MOMENTS, Agent, Config, Json, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.language.zones import zone
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.records.recollection import Recollection
    from memu_py.service.service import MemoryService


def recall(
    question: Annotated[str, typer.Argument(help="What to ask.")],
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    as_of: Annotated[
        datetime | None, typer.Option(formats=MOMENTS, help="What was true then, such as 2026-03-01.")
    ] = None,
    json_: Json = False,
) -> None:
    """Print all that a question calls to mind: the person, who stands how to whom, memories, what was said."""
    settings = settings_of(config)
    scope = scope_of(settings, user, agent, session)
    moment = as_of.replace(tzinfo=zone(settings.timezone_of(scope.user))) if as_of else None

    async def ask(service: MemoryService) -> Recollection:
        return await service.recall(question, as_of=moment)

    result = with_service(settings, scope, ask)
    if json_:
        print_json(plain(result))
    elif result.context:
        print_text(result.context)
    else:
        err.print("Nothing comes to mind.", soft_wrap=True)
