"""`memu keys`: who may use the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from rich.markup import escape

from memu_py.cli.console import err, print_json, print_text
from memu_py.cli.jobs import require_lasting
from memu_py.cli.options import Config, Json
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import columns, print_table
from memu_py.errors import InvalidInput
from memu_py.records.api_key import ApiKey
from memu_py.records.plain import plain
from memu_py.records.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from memu_py.service.api_keys import ApiKeys

T = TypeVar("T")

app = typer.Typer(help="Keys to the server.", no_args_is_help=True)

COLUMNS = columns("id", "name", "role", "for", "made", "ends", wide="name", whole="id")
KeyId = Annotated[str, typer.Argument(help="Id of a key, as `memu keys list` shows it.", metavar="ID")]


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="What it is for.", metavar="NAME")],
    config: Config = None,
    role: Annotated[str, typer.Option(help="read, write, or admin, who may also erase.")] = "write",
    for_user: Annotated[str | None, typer.Option("--for-user", help="Only this user's memory.")] = None,
    for_agent: Annotated[
        str | None, typer.Option("--for-agent", help="Only what this agent wrote, or owns.")
    ] = None,
    everywhere: Annotated[bool, typer.Option("--everywhere", help="The memory of everybody.")] = False,
    expires_days: Annotated[float | None, typer.Option(help="It ends after so many days.")] = None,
    json_: Json = False,
) -> None:
    """Make a key, and show it: this once."""
    if everywhere == (for_user is not None or for_agent is not None):
        msg = "say whose memory the key is for: --for-user, --for-agent or both, or --everywhere"
        raise InvalidInput(msg)
    scope = None if everywhere else Scope(user=for_user, agent=for_agent)
    made = _with_keys(
        config,
        lambda keys: keys.create(name, role=role, scope=scope, expires_days=expires_days),  # type: ignore[arg-type]
    )
    _show_secret(made, as_json=json_)


@app.command("list")
def list_(config: Config = None, json_: Json = False) -> None:
    """List all keys, the oldest first; never the keys themselves."""
    found: Sequence[ApiKey] = _with_keys(config, lambda keys: keys.list())
    if json_:
        print_json(plain(found))
    elif found:
        print_table(COLUMNS, map(_row, found))
    else:
        err.print("No keys. `memu keys create NAME --everywhere` makes one.", soft_wrap=True)


@app.command()
def revoke(key_id: KeyId, config: Config = None) -> None:
    """Take a key back, at once."""
    _with_keys(config, lambda keys: keys.revoke(key_id))
    err.print(f"{key_id} opens nothing any more.", soft_wrap=True)


@app.command()
def rotate(
    key_id: KeyId,
    config: Config = None,
    overlap_minutes: Annotated[float, typer.Option(help="The old one goes on for so long.")] = 0,
    json_: Json = False,
) -> None:
    """Make a key that may do the same as another one, which ends."""
    made = _with_keys(config, lambda keys: keys.rotate(key_id, overlap_minutes=overlap_minutes))
    _show_secret(made, as_json=json_)


def _with_keys(config: Path | None, work: Callable[[ApiKeys], Awaitable[T]]) -> T:
    settings = settings_of(config)
    require_lasting(settings)
    return with_service(settings, scope_of(settings, None), lambda service: work(service.keys))


def _show_secret(made: tuple[str, ApiKey], *, as_json: bool) -> None:
    secret, key = made
    if as_json:
        print_json({"key": secret, **plain(key)})
        return
    print_text(secret)
    err.print(f"Keep it: it is shown this once. Its id is {key.id}.", soft_wrap=True)


def _row(key: ApiKey) -> list[str]:
    ends = "revoked" if key.revoked_at else f"{key.expires_at:%Y-%m-%d %H:%M}" if key.expires_at else ""
    return [key.id, escape(key.name), key.role, escape(_whose(key.scope)), f"{key.created_at:%Y-%m-%d}", ends]


def _whose(scope: Scope | None) -> str:
    if scope is None:
        return "everybody"
    named = {"user": scope.user, "agent": scope.agent, "session": scope.session}
    return ", ".join(f"{name} {value}" for name, value in named.items() if value is not None)
