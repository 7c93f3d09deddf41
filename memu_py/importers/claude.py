"""Claude: `conversations.json` of its data export."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memu_py.importers.fields import key, mappings, shown, words
from memu_py.importers.importer import Conversation, Entry, message
from memu_py.importers.listed import ListedConversations

_HEAD = re.compile(rb'^[\s\xef\xbb\xbf]*\[?\s*\{.*?"chat_messages"\s*:\s*\[', re.DOTALL)
_BESIDE = ("users.json", "projects.json", "memories.json")
_ROLES = {"human": "user", "assistant": "assistant"}
_TOOLS = ("tool_use", "tool_result")


class ClaudeImporter(ListedConversations):
    """Reads what was said. What tools say, what was thought, and the text of attached files is context."""

    def __init__(self) -> None:
        super().__init__(_HEAD, _BESIDE, _conversation)


def _conversation(given: Mapping[str, Any]) -> Conversation:
    given_messages = given.get("chat_messages")
    said = (entry for one in mappings(given_messages) for entry in _messages(one))
    return Conversation(
        url=f"claude:{key(given.get('uuid'))}",
        title=words(given.get("name")),
        messages=tuple(entry for entry in said if entry is not None),
        warnings=() if isinstance(given_messages, list) else ("it holds no `chat_messages`",),
    )


def _messages(given: Mapping[str, Any]) -> Iterator[Entry | None]:
    """Yield what was attached, what was said, and what came from tools, of one message."""
    own_id, at = key(given.get("uuid")) or None, given.get("created_at")
    parts = list(mappings(given.get("content")))
    named = [words(one.get("file_name")) for one in mappings(given.get("attachments"))]
    named += [words(one.get("file_name")) for one in mappings(given.get("files"))]
    for place, one in enumerate(mappings(given.get("attachments"))):
        name = words(one.get("file_name"))
        extracted = words(one.get("extracted_content"))
        beside = f"{own_id}/{place}" if own_id else None
        yield message("system", extracted, at=at, own_id=beside, file=name or None)
    said = "\n".join(words(part.get("text")) for part in parts if part.get("type") == "text")
    yield message(
        _ROLES.get(words(given.get("sender")), "system"),
        said if said.strip() else words(given.get("text")),
        at=at,
        own_id=own_id,
        attached=[name for name in named if name],
    )
    for place, part in enumerate(parts):
        beside = f"{own_id}/part {place}" if own_id else None
        yield message("tool", _aside(part), at=at, own_id=beside, kind=words(part.get("type")) or None)


def _aside(part: Mapping[str, Any]) -> str:
    """Return what a part says that is not for the reader."""
    if part.get("type") == "thinking":
        return words(part.get("thinking"))
    if part.get("type") not in _TOOLS:
        return ""
    inner = part.get("input") or part.get("content")
    texts = [words(one.get("text")) for one in mappings(inner)]
    return f"{words(part.get('name'))} {' '.join(filter(None, texts)) or shown(inner)}"
