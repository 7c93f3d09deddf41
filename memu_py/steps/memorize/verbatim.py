"""Extraction without a model: each segment is an item, with its speaker, dates and entities."""

import dataclasses
from collections.abc import Sequence
from datetime import tzinfo

from memu_py.language.dates import first_date
from memu_py.language.entities import entities
from memu_py.language.relations import relations
from memu_py.records.item import ItemDraft
from memu_py.records.relation import RelationDraft
from memu_py.records.resource import Segment
from memu_py.records.taken import taken
from memu_py.steps.memorize.extraction import sources
from memu_py.steps.memorize.intake import Intake
from memu_py.steps.memorize.unjudged import Rules

USER = "user"
UNTOLD = ("assistant", "system", "tool")
"""Roles whose words tell nothing of people: what a model says may be made up."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class ItemTypes:
    """Types of what is made without a model, and of what a model gives no known type.

    Attributes:
        turn: of what was said in a conversation.
        dated: of what was said to happen at a time.
        document: of what stands in a document.
    """

    turn: str
    dated: str
    document: str

    def of(self, segment: Segment, *, dated: bool) -> str:
        """Return the type of what a segment says."""
        if segment.kind != "turn":
            return self.document
        return self.dated if dated else self.turn


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Verbatim:
    """Makes drafts of segments.

    Attributes:
        intake: what they belong to.
        session: that of the call.
        types: what items are.
        names: who speaks in them.
        zone: of times that carry none.
        rules: judge what no model does.
        told: find relations in what people say.
        user: whose memory it is: who speaks where a turn of a user names nobody.
    """

    intake: Intake
    session: str | None
    types: ItemTypes
    names: Sequence[str]
    zone: tzinfo
    rules: Rules = dataclasses.field(default_factory=Rules)
    told: bool = False
    user: str | None = None

    def draft(self, segment: Segment) -> ItemDraft:
        """Return one segment as a draft."""
        anchor = self.intake.anchor(segment)
        happened = first_date(segment.text, said_at=anchor, zone=self.zone) or taken(segment)
        draft = ItemDraft(
            type=self.types.of(segment, dated=happened is not None),
            text=segment.text,
            speaker=segment.speaker,
            said_at=segment.said_at,
            happened=happened,
            entities=entities(segment.text, speaker=segment.speaker, names=self.names),
            relations=self._relations(segment),
            sources=sources([segment], resource_id=self.intake.resource.id, session=self.session),
            metadata={**self.intake.resource.metadata, **segment.metadata},
        )
        return self.rules.said(draft, segment)

    def _relations(self, segment: Segment) -> tuple[RelationDraft, ...]:
        if not self.told or segment.role in UNTOLD:
            return ()
        speaker = segment.speaker or (self.user if segment.role == USER else None)
        return relations(segment.text, speaker=speaker, names=self.names)
