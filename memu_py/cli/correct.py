"""`memu correct`: what is remembered wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from memu_py.cli.console import err, print_json, print_text
from memu_py.cli.options import Agent, Config, Json, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import columns, print_table
from memu_py.errors import InvalidInput
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.records.corrected import Corrected

COLUMNS = columns("id", "score", "memory", wide="memory", whole="id")


def correct(
    words: Annotated[str, typer.Argument(help="What is right, such as “it was 2021”.", metavar="WORDS")],
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    item: Annotated[str | None, typer.Option("--item", help="Id of the memory that is meant.")] = None,
    run: Annotated[str | None, typer.Option("--run", help="Only memories of this run of memorize.")] = None,
    json_: Json = False,
) -> None:
    """Correct a memory in words; where it is not clear which one, show those that may be meant, and change nothing."""
    settings = settings_of(config)
    scope = scope_of(settings, user, agent, session)
    found = with_service(settings, scope, lambda service: service.correct(words, item_id=item, run_id=run))
    if json_:
        print_json(plain(found))
    else:
        _show(found)
    if not found:
        msg = "it is not clear which memory is meant; nothing was changed"
        raise InvalidInput(msg, hint="name it with --item" if found.candidates else None)


def _show(found: Corrected) -> None:
    if found.before is not None:
        err.print(f"Was: {found.before.text}", markup=False, soft_wrap=True)
    if found.after is not None:
        print_text(found.after.text)
    if found.candidates:
        rows = [[hit.record.id, f"{hit.score:.2f}", escape(hit.record.text)] for hit in found.candidates]
        print_table(COLUMNS, rows)
