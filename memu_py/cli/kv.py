"""`memu kv`: values by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from memu_py.cli.console import err, print_json
from memu_py.cli.listing import Cursor
from memu_py.cli.options import Agent, Config, Json, Limit, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import columns, print_page
from memu_py.errors import NotFound
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.records.key_value import KeyValue

app = typer.Typer(help="Values by name, beside memories.", no_args_is_help=True)

COLUMNS = columns("key", "value", "version", "set", "until", wide="value", whole="key")
Namespace = Annotated[str, typer.Argument(help="The group that it belongs to.", metavar="NAMESPACE")]
Key = Annotated[str, typer.Argument(help="Its name in the group.", metavar="KEY")]
IfVersion = Annotated[
    int | None, typer.Option("--if-version", min=0, help="Only over this version; 0 for none.")
]


@app.command()
def get(
    namespace: Namespace,
    key: Key,
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    json_: Json = False,
) -> None:
    """Print a value as JSON; with --json also its version and times."""
    settings = settings_of(config)
    scope = scope_of(settings, user, agent, session)
    found = with_service(settings, scope, lambda service: service.kv.get(namespace, key))
    if found is None:
        msg = f"no value {namespace}/{key} in this scope"
        raise NotFound(msg)
    print_json(plain(found) if json_ else found.value)


@app.command("set")
def set_(
    namespace: Namespace,
    key: Key,
    value: Annotated[str, typer.Argument(help="JSON; what is none is taken as text.", metavar="VALUE")],
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    if_version: IfVersion = None,
    ttl: Annotated[float | None, typer.Option(help="Seconds after which it is gone.")] = None,
    json_: Json = False,
) -> None:
    """Set a value."""
    settings = settings_of(config)
    scope = scope_of(settings, user, agent, session)
    data = _value(value)
    kept = with_service(
        settings,
        scope,
        lambda service: service.kv.set(namespace, key, data, if_version=if_version, ttl_s=ttl),
    )
    if json_:
        print_json(plain(kept))
    else:
        err.print(f"{namespace}/{key} is set, version {kept.version}.", soft_wrap=True, markup=False)


@app.command("list")
def list_(
    namespace: Namespace,
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    prefix: Annotated[str, typer.Option(help="Only keys that begin so.")] = "",
    limit: Limit = 50,
    cursor: Cursor = None,
    json_: Json = False,
) -> None:
    """List the values of a namespace by key."""
    settings = settings_of(config)
    scope = scope_of(settings, user, agent, session)
    page = with_service(
        settings,
        scope,
        lambda service: service.kv.list(namespace, prefix=prefix, limit=limit, cursor=cursor),
    )
    if json_:
        print_json(plain(page))
        return
    print_page(page, COLUMNS, _row, nothing="Nothing here.")


@app.command()
def delete(
    namespace: Namespace,
    key: Key,
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    if_version: IfVersion = None,
) -> None:
    """Delete a value."""
    settings = settings_of(config)
    scope = scope_of(settings, user, agent, session)
    gone = with_service(
        settings, scope, lambda service: service.kv.delete(namespace, key, if_version=if_version)
    )
    if not gone:
        msg = f"no value {namespace}/{key} in this scope"
        raise NotFound(msg)
    err.print(f"{namespace}/{key} is deleted.", soft_wrap=True, markup=False)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _row(one: KeyValue) -> list[str]:
    until = f"{one.expires_at:%Y-%m-%d %H:%M}" if one.expires_at else ""
    value = json.dumps(one.value, ensure_ascii=False)
    return [escape(one.key), escape(value), str(one.version), f"{one.updated_at:%Y-%m-%d %H:%M}", until]
