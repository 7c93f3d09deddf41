"""`memu conversations`: chats that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from memu_py.cli.console import print_json, print_text
from memu_py.cli.options import Agent, Config, Json, Limit, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import columns, print_page, print_table
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.records.conversation import Conversation, KeptMessage, WholeConversation
    from memu_py.records.page import Page
    from memu_py.service.service import MemoryService

app = typer.Typer(
    help="Chats that are kept, message by message, and memorized when they are due.", no_args_is_help=True
)

COLUMNS = columns("id", "status", "messages", "memorized", "last", "session", wide="session", whole="id")
MESSAGES = columns("#", "who", "memorized", "message", wide="message", whole="#")
ConversationId = Annotated[str, typer.Argument(help="Id of a conversation.", metavar="ID")]


@app.command("list")
def list_(
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    open_: Annotated[bool, typer.Option("--open", help="Only those that are not closed.")] = False,
    limit: Limit = 50,
    cursor: Annotated[str | None, typer.Option(help="Go on where the page before ended.")] = None,
    json_: Json = False,
) -> None:
    """List conversations, those with the newest message first."""

    async def fetch(service: MemoryService) -> Page[Conversation]:
        where = {"closed_at": {"exists": False}} if open_ else None
        return await service.conversations.list(where=where, limit=limit, cursor=cursor)

    settings = settings_of(config)
    page = with_service(settings, scope_of(settings, user, agent, session), fetch)
    if json_:
        print_json({"records": plain(page.records), "next_cursor": page.next_cursor})
        return
    print_page(page, COLUMNS, _row, nothing="No conversations.")


@app.command()
def show(
    conversation_id: ConversationId, config: Config = None, user: User = None, json_: Json = False
) -> None:
    """Show the messages of a conversation, and which of them are memorized."""

    async def fetch(service: MemoryService) -> WholeConversation:
        return await service.conversations.get(conversation_id)

    settings = settings_of(config)
    found = with_service(settings, scope_of(settings, user), fetch)
    if json_:
        print_json(plain(found))
        return
    print_table(MESSAGES, map(_message, found.messages))


@app.command()
def close(
    conversation_id: ConversationId, config: Config = None, user: User = None, json_: Json = False
) -> None:
    """Close a conversation: what is left of it is due; `memu worker` memorizes it."""

    async def end(service: MemoryService) -> Conversation:
        return await service.conversations.close(conversation_id)

    settings = settings_of(config)
    closed = with_service(settings, scope_of(settings, user), end)
    if json_:
        print_json(plain(closed))
        return
    print_table(COLUMNS, [_row(closed)])


@app.command()
def delete(
    conversation_id: ConversationId,
    config: Config = None,
    user: User = None,
    with_items: Annotated[
        bool, typer.Option("--with-items", help="Also the items that were found nowhere else.")
    ] = False,
) -> None:
    """Delete a conversation with its messages; the items that were found in it stay."""

    async def end(service: MemoryService) -> None:
        await service.conversations.delete(conversation_id, keep_items=not with_items)

    settings = settings_of(config)
    with_service(settings, scope_of(settings, user), end)
    print_text(f"Deleted conversation {conversation_id}.")


def _row(one: Conversation) -> list[str]:
    last = f"{one.last_at:%Y-%m-%d %H:%M}"
    counts = [str(one.messages), str(one.memorized)]
    return [escape(one.id), one.status, *counts, last, escape(one.scope.session or "")]


def _message(one: KeptMessage) -> list[str]:
    entry: Any = {"content": one.entry} if isinstance(one.entry, str) else one.entry
    who = entry.get("name") or entry.get("speaker") or entry.get("role") or "user"
    said = next((entry[key] for key in ("content", "text") if entry.get(key)), entry.get("tool_calls", ""))
    done = "yes" if one.memorized_at else "not yet"
    return [str(one.ordinal), escape(str(who)), done, escape(str(said))]
