"""What rules say of drafts where no model judged: the feeling in what somebody says, and how much it matters."""

import dataclasses

from memu_py.language.feeling import feeling
from memu_py.language.importance import importance
from memu_py.records.item import ItemDraft
from memu_py.records.resource import Segment

AGENTS = ("assistant", "system", "tool")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """Judges drafts.

    Attributes:
        emotion: tell the feeling of what was said in a conversation.
        importance: tell how much a draft matters.
    """

    emotion: bool = True
    importance: bool = True

    def said(self, draft: ItemDraft, segment: Segment) -> ItemDraft:
        """Return a draft that has its segment's own words, judged; what an agent says is nobody's feeling."""
        if self.emotion and draft.emotion is None and segment.kind == "turn" and segment.role not in AGENTS:
            draft = draft.evolve(emotion=feeling(segment.text))
        return self.weighed(draft)

    def weighed(self, draft: ItemDraft) -> ItemDraft:
        """Return a draft with an importance, where nobody gave it one."""
        if self.importance and draft.importance is None:
            return draft.evolve(importance=importance(draft))
        return draft
