"""Which two items are the same memory.

The identity is a hash over the partition, the agent and custom keys (duplicates are looked for within them, not across
agents), the speaker, the type, the normalised text and, for what happened at a time, that time. The session is no part
of it: a fact said again in another session is the same fact.
"""

import hashlib
import json

from memu_py._core import normalize_text
from memu_py.records.item import ItemDraft
from memu_py.records.scope import Scope

DATED_TYPES = frozenset({"event", "episode"})
"""Types whose time is part of what they are, and whose age counts from it."""

_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


def item_identity(scope: Scope, draft: ItemDraft) -> str:
    """Return the identity of an item in a scope, 32 hex digits (BLAKE2b).

    Args:
        scope: whose it is.
        draft: the item, stored or not.
    """
    dated = draft.type in DATED_TYPES and draft.happened is not None
    happened = draft.happened.start.timestamp() if dated and draft.happened else None
    speaker = draft.speaker.casefold() if draft.speaker else None
    parts = [
        scope.partition,
        scope.agent,
        scope.custom,
        speaker,
        draft.type,
        normalize_text(draft.text),
        happened,
    ]
    canonical = _ENCODER.encode(parts)
    return hashlib.blake2b(canonical.encode(), digest_size=16).hexdigest()
