"""Exports of other programs, small ones, for tests of importers and of what takes them in."""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

from memu_py.importers.archive import Archive
from memu_py.importers.importer import Conversation, Importer
from memu_py.importers.zipped import zip_archive


def as_bytes(content: Any) -> bytes:
    """Return bytes as they are, text in UTF-8, anything else as JSON."""
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)).encode()


def zipped(files: Mapping[str, Any]) -> bytes:
    """Return a zip of files by name; see `as_bytes`."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, as_bytes(content))
    return out.getvalue()


def archive(files: Mapping[str, Any], label: str = "export.zip") -> Archive:
    """Return a zip of files by name, opened."""
    return zip_archive(io.BytesIO(zipped(files)), label, f"file:///{label}")


def read(importer: Importer, files: Mapping[str, Any], label: str = "export.zip") -> list[Conversation]:
    """Return what an importer reads, of the files that it claims."""
    opened = archive(files, label)
    claimed = set(importer.claims(opened))
    return list(importer.conversations(opened.without(set(opened.names) - claimed)))


def said(conversation: Conversation) -> list[tuple[str, str | None, str]]:
    """Return role, speaker and words of each message."""
    return [(one["role"], one.get("name"), one["content"]) for one in conversation.messages]


def node(own: str, parent: str | None, role: str, text: Any, **more: Any) -> dict[str, Any]:
    """Return a node of a ChatGPT conversation."""
    content = text if isinstance(text, dict) else {"content_type": "text", "parts": [text]}
    given = {"id": own, "author": {"role": role}, "content": content, **more}
    return {"id": own, "parent": parent, "children": [], "message": given}


def tree(nodes: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return nodes by id, below a root, as in a ChatGPT conversation."""
    return {"root": {"id": "root", "message": None, "parent": None, "children": []}} | {
        one["id"]: one for one in nodes
    }


def chatgpt(own: str = "c1", title: str = "Trip to Rome", *more: dict[str, Any]) -> dict[str, Any]:
    """Return a ChatGPT conversation of two messages and more nodes, of which the last is the current one."""
    nodes = [
        node("m1", "root", "user", "I am allergic to peanuts.", create_time=1683554161.5),
        node("m2", "m1", "assistant", "Noted, no peanuts.", create_time=1683554170),
        *more,
    ]
    return {
        "title": title,
        "create_time": 1683554161.5,
        "mapping": tree(nodes),
        "current_node": nodes[-1]["id"],
        "conversation_id": own,
    }


def claude(own: str = "k1", name: str = "Garden", *more: dict[str, Any]) -> dict[str, Any]:
    """Return a Claude conversation of one message and more."""
    messages = [
        {
            "uuid": f"{own}-1",
            "text": "My garden has 12 roses.",
            "content": [{"type": "text", "text": "My garden has 12 roses."}],
            "sender": "human",
            "created_at": "2024-03-01T10:00:00.000000Z",
            "attachments": [],
            "files": [],
        },
        *more,
    ]
    return {"uuid": own, "name": name, "created_at": "2024-03-01T10:00:00Z", "chat_messages": messages}


def telegram(own: int = 4711, name: str = "小美", *more: dict[str, Any]) -> dict[str, Any]:
    """Return a Telegram chat of one message and more."""
    messages = [
        {
            "id": 1,
            "type": "message",
            "date": "2023-05-08T13:56:01",
            "date_unixtime": "1683554161",
            "from": "小美",
            "from_id": "user1",
            "text": "我下周搬到上海。",
        },
        *more,
    ]
    return {"name": name, "type": "personal_chat", "id": own, "messages": messages}


WHATSAPP = (
    "[08.05.23, 13:56:01] Ann: \u200eMessages and calls are end-to-end encrypted.\n"
    "[08.05.23, 13:56:30] Ann: I bought a red kayak.\nIt is fast.\n"
    "[13.05.23, 09:00:00] Bob: Great!\n"
)

MBOX = (
    "From bob@x.org Mon May  8 13:56:01 2023\n"
    "From: Bob Ray <bob@x.org>\nTo: ann@x.org\nSubject: Kayak\nMessage-ID: <1@x.org>\n"
    "Date: Mon, 8 May 2023 13:56:01 +0200\n\nI sold my kayak to Carl.\n>From now on I walk.\n\n"
    "From ann@x.org Tue May  9 08:00:00 2023\n"
    "From: Ann <ann@x.org>\nSubject: Re: Kayak\nMessage-ID: <2@x.org>\nIn-Reply-To: <1@x.org>\n"
    "Date: Tue, 9 May 2023 08:00:00 +0200\n\nCarl lives in Bremen.\n\n"
    "On Mon, 8 May 2023, Bob Ray wrote:\n> I sold my kayak to Carl.\n"
)

SLACK: dict[str, Any] = {
    "users.json": [
        {"id": "U1", "name": "ann", "profile": {"real_name": "Ann Lee"}},
        {"id": "U2", "name": "wei", "profile": {"display_name": "小伟"}},
    ],
    "channels.json": [{"id": "C1", "name": "general", "members": ["U1", "U2"]}],
    "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
    "general/2023-05-08.json": [
        {
            "type": "message",
            "user": "U1",
            "ts": "1683554161.0001",
            "thread_ts": "1683554161.0001",
            "text": "Deploy?",
        },
        {
            "type": "message",
            "user": "U2",
            "ts": "1683554200.0001",
            "text": "我们用 <https://x.org|这个> &amp; tea",
        },
        {
            "type": "message",
            "subtype": "channel_join",
            "user": "U2",
            "ts": "1683554100.0001",
            "text": "<@U2> joined",
        },
    ],
    "general/2023-05-09.json": [
        {
            "type": "message",
            "user": "U2",
            "ts": "1683640000.0001",
            "thread_ts": "1683554161.0001",
            "text": "<@U1> deployed to <#C1|general>, <!here>",
        }
    ],
    "D1/2023-05-08.json": [
        {"type": "message", "user": "U1", "ts": "1683554300.0001", "text": "Lunch at noon."}
    ],
}
