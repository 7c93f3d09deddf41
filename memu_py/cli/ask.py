"""`memu ask`: have a model read memory and answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from memu_py.cli.console import err, out, print_json, print_text
from memu_py.cli.options import Agent, Config, Json, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import day
from memu_py.language.zones import zone
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from datetime import tzinfo

    from memu_py.service.results import RetrieveResult
    from memu_py.service.service import MemoryService


def ask(
    question: Annotated[str, typer.Argument(help="What to ask.")],
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    json_: Json = False,
) -> None:
    """Have the configured model read memory and answer, with what the answer rests on."""

    async def answered(service: MemoryService) -> RetrieveResult:
        return await service.retrieve(question, method="llm")

    settings = settings_of(config)
    scope = scope_of(settings, user, agent, session)
    result = with_service(settings, scope, answered)
    if json_:
        print_json(plain(result))
    elif result.answer is None:
        err.print(_why(result), soft_wrap=True)
    else:
        print_text(result.answer.text)
        _show_grounds(result, zone(settings.timezone_of(scope.user)))
    if result.answer is None and _failed(result):
        raise typer.Exit(1)


def _failed(result: RetrieveResult) -> list[str]:
    return [str(step.notes["failed"]) for step in result.trace.steps if "failed" in step.notes]


def _why(result: RetrieveResult) -> str:
    failed = _failed(result)
    if failed:
        return f"The model gave no answer: {escape(failed[0])}"
    if not result.needs_retrieval:
        return "The question needs no memory."
    return "Nothing is remembered that answers this."


def _show_grounds(result: RetrieveResult, local: tzinfo) -> None:
    cited = set(result.answer.item_ids) if result.answer else set()
    for hit in result.items:
        if hit.record.id in cited:
            item = hit.record
            when = day(item.happened.start if item.happened else item.said_at, local)
            out.print(f"[dim]{when}  {escape(item.text)}[/]", highlight=False, soft_wrap=True)
