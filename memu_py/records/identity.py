"""Which two items are the same memory.

The identity is a hash over the partition, the agent and custom keys (duplicates are looked for within them, not across
agents), the speaker, the type, the normalised text and, for what happened at a time, that time. The session is no part
of it: a fact said again in another session is the same fact.
"""

import functools
import hashlib

from memu_py._core import normalize_text
from memu_py.records.item import ItemDraft
from memu_py.records.scope import Scope

DATED_TYPES = frozenset({"event", "episode"})
"""Types whose time is part of what they are, and whose age counts from it."""

KEPT_OWNERS = 1024
"""Scopes whose part of the hash is kept: a batch has one for all its items."""


def item_identity(scope: Scope, draft: ItemDraft) -> str:
    """Return the identity of an item in a scope, 32 hex digits (BLAKE2b).

    Args:
        scope: whose it is.
        draft: the item, stored or not.
    """
    dated = draft.happened is not None and draft.type in DATED_TYPES
    happened = str(draft.happened.start.timestamp()) if dated and draft.happened else ""
    speaker = draft.speaker.casefold() if draft.speaker else ""
    hashed = _owner(scope).copy()
    hashed.update(_joined(speaker, draft.type, happened, normalize_text(draft.text)))
    return hashed.hexdigest()


@functools.lru_cache(maxsize=KEPT_OWNERS)
def _owner(scope: Scope) -> hashlib.blake2b:
    keys = [key for pair in scope.custom for key in pair]
    return hashlib.blake2b(_joined(scope.partition, scope.agent or "", *keys, ""), digest_size=16)


def _joined(*parts: str) -> bytes:
    # With its length before it, no part can pass for two.
    return "".join([f"{len(part)}:{part}" for part in parts]).encode("utf-8", "surrogatepass")
