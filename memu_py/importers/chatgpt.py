"""ChatGPT: `conversations.json` of its data export, each conversation a tree of which one path is shown."""

import re
from collections.abc import Mapping
from typing import Any

from memu_py.importers.fields import key, mapping, mappings, number, words
from memu_py.importers.importer import Conversation, Entry, message
from memu_py.importers.listed import ListedConversations
from memu_py.language.wordlist import words as words_of

_HEAD = re.compile(rb'^[\s\xef\xbb\xbf]*\[?\s*\{.*?"mapping"\s*:\s*\{.*?"message"\s*:', re.DOTALL)
_BESIDE = words_of(
    """
    chat.html user.json user_settings.json message_feedback.json model_comparisons.json shared_conversations.json
    group_chats.json shopping.json sora.json
    """
)
"""What lies beside the conversations: the same as a page, and settings of the account."""
_EVERYBODY = ("all", "", None)
_THINKING = (
    "thoughts",
    "reasoning_recap",
    "code",
    "execution_output",
    "system_error",
    "tether_browsing_display",
)
_HIDDEN = ("user_editable_context", "model_editable_context")


class ChatGptImporter(ListedConversations):
    """Reads the path of each conversation that the program shows. What it hides, and what tools say, is context."""

    def __init__(self) -> None:
        super().__init__(_HEAD, _BESIDE, _conversation)


def _conversation(given: Mapping[str, Any]) -> Conversation:
    nodes = mapping(given.get("mapping"))
    own_id = key(given.get("conversation_id")) or key(given.get("id")) or next(iter(nodes), "")
    shown = _shown(nodes, key(given.get("current_node")))
    said = (_message(mapping(mapping(nodes[one]).get("message"))) for one in shown)
    return Conversation(
        url=f"chatgpt:{own_id}",
        title=words(given.get("title")),
        messages=tuple(one for one in said if one is not None),
        warnings=() if nodes else ("it holds no `mapping` of messages",),
    )


def _shown(nodes: Mapping[str, Any], current: str) -> list[str]:
    """Return the ids from the root to the message that was shown last."""
    at = current if current in nodes else _newest(nodes)
    path: dict[str, None] = {}
    while at in nodes and at not in path:
        path[at] = None
        at = key(mapping(nodes[at]).get("parent"))
    return list(reversed(path))


def _newest(nodes: Mapping[str, Any]) -> str:
    def time(node: str) -> float:
        return number(mapping(mapping(nodes[node]).get("message")).get("create_time"))

    return max(nodes, key=time, default="")


def _message(given: Mapping[str, Any]) -> Entry | None:
    content, author, more = (mapping(given.get(name)) for name in ("content", "author", "metadata"))
    said, pictured = _content(content)
    attached = [words(one.get("name")) for one in mappings(more.get("attachments"))]
    attached = [name for name in attached if name]
    kind = words(content.get("content_type"))
    return message(
        _role(given, words(author.get("role")), kind, more),
        said,
        at=given.get("create_time"),
        own_id=key(given.get("id")) or None,
        attached=attached or pictured,
        kind=kind if kind in (*_THINKING, *_HIDDEN) else None,
    )


def _role(given: Mapping[str, Any], role: str, kind: str, more: Mapping[str, Any]) -> str:
    if more.get("is_visually_hidden_from_conversation") or kind in _HIDDEN:
        return "system"
    if given.get("recipient") not in _EVERYBODY or kind in _THINKING:
        return "tool"
    return role if role in ("user", "assistant", "system", "tool") else "system"


def _content(content: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return what is said in the parts of a message, and what else they are."""
    said, others = [], []
    parts = content.get("parts")
    for part in parts if isinstance(parts, list) else []:
        text = part if isinstance(part, str) else words(mapping(part).get("text"))
        if text.strip():
            said.append(text)
        elif isinstance(part, Mapping):
            others.append(words(part.get("content_type")).removesuffix("_asset_pointer") or "part")
    more = [
        words(content.get(name))
        for name in ("text", "result", "content", "user_profile", "user_instructions")
    ]
    more += [words(content.get("model_set_context"))]
    more += [words(one.get("content")) for one in mappings(content.get("thoughts"))]
    return "\n".join([*said, *(text for text in more if text.strip())]), others
