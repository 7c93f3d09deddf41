"""Slack: a workspace's export, with a folder for each channel and a file for each day in it."""

import html
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from memu_py.importers.archive import Archive, folders
from memu_py.importers.fields import key, mapping, mappings, number, words
from memu_py.importers.importer import Conversation, Entry, message

_LISTS = ("channels.json", "groups.json", "dms.json", "mpims.json")
USERS = "users.json"
_DAY = re.compile(r"\d{4}-\d\d-\d\d\.json$")
_REFERENCE = re.compile(r"<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>")
_SPOKEN = (
    None,
    "bot_message",
    "me_message",
    "thread_broadcast",
    "reply_broadcast",
    "file_share",
    "file_comment",
)
_DELETED = "tombstone"


class SlackImporter:
    """Reads each channel, each thread behind the message that it answers. Who joins and leaves is context."""

    def claims(self, archive: Archive) -> Collection[str]:
        """See `Importer.claims`."""
        return [
            name for root in _roots(archive) for names in _export(archive, root).values() for name in names
        ]

    def conversations(self, archive: Archive) -> Iterator[Conversation]:
        """See `Importer.conversations`."""
        for root in _roots(archive):
            people = _people(archive, root)
            known = dict(_channels(archive, root, people))
            for folder, days in _export(archive, root).items():
                if folder != root:
                    name = folder.removeprefix(root).rstrip("/")
                    own_id, title = known.get(name, (name, name))
                    yield _conversation(archive, sorted(days), own_id, title, people)


def _roots(archive: Archive) -> list[str]:
    """Return the folders that list channels or people, above folders with files of days."""
    lying = folders(archive.names)
    listing = [
        folder for folder, names in lying.items() if {folder + one for one in (*_LISTS, USERS)} & set(names)
    ]
    return [root for root in listing if len(_export(archive, root)) > 1]


def _export(archive: Archive, root: str) -> dict[str, list[str]]:
    """Return the files of an export by folder: those of the root, and the days of each channel."""
    lying = folders(archive.names)
    found = {root: [name for name in lying[root] if name.endswith(".json")]}
    for folder, names in lying.items():
        if folder.startswith(root) and folder.removeprefix(root).count("/") == 1:
            days = [name for name in names if _DAY.match(name.removeprefix(folder))]
            found |= {folder: days} if days else {}
    return found


def _people(archive: Archive, root: str) -> dict[str, str]:
    """Return the names of people by id."""
    if root + USERS not in archive.names:
        return {}
    return {
        key(one.get("id")): _name_of(mapping(one.get("profile"))) or _name_of(one)
        for one in mappings(archive.json(root + USERS))
    }


def _name_of(person: Mapping[str, Any]) -> str:
    given = (words(person.get(name)).strip() for name in ("real_name", "display_name", "name", "username"))
    return next((name for name in given if name), "")


def _channels(
    archive: Archive, root: str, people: Mapping[str, str]
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield for each folder the channel's id, which stays when it is renamed, and its title."""
    for name in _LISTS:
        if root + name in archive.names:
            for one in mappings(archive.json(root + name)):
                own_id, called = key(one.get("id")), words(one.get("name"))
                title = f"#{called}" if name == _LISTS[0] else called or _together(one.get("members"), people)
                yield called or own_id, (own_id or called, title)


def _together(members: Any, people: Mapping[str, str]) -> str:
    ids = map(key, members if isinstance(members, list) else ())
    return ", ".join(people.get(one) or one for one in ids)


def _conversation(
    archive: Archive, days: list[str], own_id: str, title: str, people: Mapping[str, str]
) -> Conversation:
    found = [one for day in days for one in mappings(archive.json(day)) if one.get("subtype") != _DELETED]
    found.sort(key=lambda one: (number(one.get("thread_ts") or one.get("ts")), number(one.get("ts"))))
    said = (_message(one, people) for one in found)
    return Conversation(
        url=f"slack:{own_id}", title=title, messages=tuple(one for one in said if one is not None)
    )


def _message(given: Mapping[str, Any], people: Mapping[str, str]) -> Entry | None:
    kind, at = given.get("subtype"), key(given.get("ts"))
    thread = key(given.get("thread_ts"))
    is_bot = kind == "bot_message" or (given.get("bot_id") and not given.get("user"))
    others = [
        words(one.get("text")) or words(one.get("fallback")) for one in mappings(given.get("attachments"))
    ]
    said = words(given.get("text")) or ("\n".join(filter(None, others)) if is_bot else "")
    files = [words(one.get("name")) or words(one.get("title")) for one in mappings(given.get("files"))]
    return message(
        "system" if kind not in _SPOKEN else "assistant" if is_bot else "user",
        _plain(said, people),
        name=_sender(given, people),
        at=at or None,
        own_id=at or None,
        attached=[name for name in files if name],
        thread=thread if thread and thread != at else None,
    )


def _sender(given: Mapping[str, Any], people: Mapping[str, str]) -> str:
    user = key(given.get("user"))
    own = _name_of(mapping(given.get("user_profile"))) or words(given.get("username"))
    return people.get(user) or own or _name_of(mapping(given.get("bot_profile"))) or user


def _plain(text: str, people: Mapping[str, str]) -> str:
    """Return a text with names in place of ids, and addresses as they are."""

    def shown(found: re.Match[str]) -> str:
        mark, target, label = found.groups()
        if mark == "@":
            return f"@{people.get(target) or label or target}"
        if mark:
            return f"{'#' if mark == '#' else '@'}{label or target}"
        return f"{label} ({target})" if label and label != target else target

    return html.unescape(_REFERENCE.sub(shown, text))
