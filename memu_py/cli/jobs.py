"""`memu jobs`: work that is written down, is done, or has failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from memu_py.cli.console import print_json
from memu_py.cli.options import Agent, Config, Json, Limit, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import columns, print_page, print_table
from memu_py.errors import InvalidInput
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.config.settings import Settings
    from memu_py.records.job import Job
    from memu_py.records.page import Page
    from memu_py.service.service import MemoryService

app = typer.Typer(help="Work that is written down, is done, or has failed.", no_args_is_help=True)

COLUMNS = columns("id", "kind", "status", "attempts", "since", "what", wide="what", whole="id")
FIELDS = columns("field", "value", wide="value")
JobId = Annotated[str, typer.Argument(help="Id of a job.", metavar="ID")]


@app.command("list")
def list_(
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    status: Annotated[
        str | None, typer.Option(help="Only queued, running, done, failed or cancelled ones.")
    ] = None,
    limit: Limit = 50,
    cursor: Annotated[str | None, typer.Option(help="Go on where the page before ended.")] = None,
    json_: Json = False,
) -> None:
    """List jobs, the newest first."""

    async def fetch(service: MemoryService) -> Page[Job]:
        return await service.jobs.list(status=status, limit=limit, cursor=cursor)

    settings = settings_of(config)
    page = with_service(settings, scope_of(settings, user, agent, session), fetch)
    if json_:
        print_json({"records": plain(page.records), "next_cursor": page.next_cursor})
        return
    print_page(page, COLUMNS, _row, nothing="No jobs. `memu memorize FILE --no-wait` makes one.")


@app.command()
def show(
    job_id: JobId,
    config: Config = None,
    user: User = None,
    json_: Json = False,
) -> None:
    """Show one job: how often it was tried, why it failed, what became of each message."""

    async def fetch(service: MemoryService) -> Job:
        return await service.jobs.get(job_id)

    settings = settings_of(config)
    _show(with_service(settings, scope_of(settings, user), fetch), as_json=json_)


@app.command()
def retry(job_id: JobId, config: Config = None, user: User = None, json_: Json = False) -> None:
    """Let a job that failed, was cancelled, or waits begin again; `memu worker` does it."""

    async def again(service: MemoryService) -> Job:
        return await service.jobs.retry(job_id)

    settings = settings_of(config)
    require_lasting(settings)
    _show(with_service(settings, scope_of(settings, user), again), as_json=json_)


@app.command()
def cancel(job_id: JobId, config: Config = None, user: User = None, json_: Json = False) -> None:
    """End a job that has not ended: nothing of it is stored any more."""

    async def end(service: MemoryService) -> Job:
        return await service.jobs.cancel(job_id)

    settings = settings_of(config)
    _show(with_service(settings, scope_of(settings, user), end), as_json=json_)


def require_lasting(settings: Settings) -> None:
    """Check that what is written down outlives the command.

    Raises:
        InvalidInput: the database is in memory.
    """
    if settings.database.backend == "memory":
        msg = "the database is in memory, and jobs would be gone when the command ends"
        raise InvalidInput(msg, hint="configure a database file, or wait")


def _row(job: Job) -> list[str]:
    since = f"{job.updated_at:%Y-%m-%d %H:%M:%S}"
    attempts = f"{job.attempts}/{job.max_attempts}"
    return [job.id, escape(job.kind), _status(job), attempts, since, escape(_what(job))]


def _status(job: Job) -> str:
    return f"[red]{job.status}[/]" if job.status == "failed" else job.status


def _what(job: Job) -> str:
    if job.error is not None:
        return f"{job.error.type}: {job.error.message}"
    result = dict(job.result or {})
    counted = [
        f"{result[name]} {name}" for name in ("added", "reinforced", "skipped", "failed") if result.get(name)
    ]
    return ", ".join(counted) or ("nothing new" if result.get("unchanged") else "")


def _show(job: Job, *, as_json: bool) -> None:
    if as_json:
        print_json(plain(job))
        return
    named = {"status": job.status, "attempts": f"{job.attempts} of {job.max_attempts}", "result": _what(job)}
    facts = {
        "id": job.id,
        "kind": job.kind,
        **named,
        "resource": str((job.result or {}).get("resource_id", "")),
        "bytes": str(job.size),
        "run": job.run_id,
        "made": str(job.created_at),
        "not before": "" if job.ended else str(job.not_before),
        "ended": str(job.finished_at or ""),
    }
    rows = [[name, escape(value)] for name, value in facts.items() if value]
    rows += [[f"message {one['ordinal']}", escape(_outcome(one))] for one in _outcomes(job)]
    print_table(FIELDS, rows)


def _outcomes(job: Job) -> list[dict[str, Any]]:
    return list((job.result or {}).get("outcomes", ()))


def _outcome(one: dict[str, Any]) -> str:
    why = one.get("item_id") or one.get("reason") or ""
    return f"{one['status']} {why}".strip()
