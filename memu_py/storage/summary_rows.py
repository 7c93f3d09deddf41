"""Running summaries as rows."""

from sqlalchemy import Connection, and_, delete, func, insert, select

from memu_py.records.conversation import Kept, Line, RunningSummary
from memu_py.records.scope import Scope
from memu_py.storage.kept_rows import load_conversation
from memu_py.storage.plain import clean_text
from memu_py.storage.schema_conversations import messages, running_summaries
from memu_py.storage.scoping import partition_values, within
from memu_py.storage.unit import Unit


def load_summary(connection: Connection, scope: Scope, conversation_id: str) -> RunningSummary | None:
    """Return the running summary; see `KeptConversations.summary`."""
    mine = and_(
        within(running_summaries, scope), running_summaries.c.conversation_id == clean_text(conversation_id)
    )
    row = connection.execute(select(running_summaries).where(mine)).mappings().one_or_none()
    if row is None:
        return None
    edited = and_(
        within(messages, scope),
        messages.c.conversation_id == row["conversation_id"],
        messages.c.ordinal < row["through"],
        messages.c.version > row["version"],
    )
    if connection.scalar(select(func.count()).select_from(messages).where(edited)):
        return None
    return RunningSummary(
        lines=tuple(Line(ordinals=tuple(one[0]), speaker=one[1], text=one[2]) for one in row["lines"]),
        through=row["through"],
        version=row["version"],
        by=row["by"],
        made_at=row["made_at"],
    )


def write_summary(unit: Unit, kept: Kept, summary: RunningSummary) -> bool:
    """Write the running summary; see `KeptConversations.keep_summary`."""
    known = load_conversation(unit.connection, unit.scope, kept.id, attributes=False)
    if known is None or known.key != kept.key:
        return False
    before = load_summary(unit.connection, unit.scope, kept.id)
    if before is not None and before.through > summary.through:
        return False
    mine = and_(within(running_summaries, unit.scope), running_summaries.c.conversation_id == kept.id)
    unit.connection.execute(delete(running_summaries).where(mine))
    row = {
        **partition_values(unit.scope),
        "conversation_id": kept.id,
        "lines": [
            [list(one.ordinals), clean_text(one.speaker), clean_text(one.text)] for one in summary.lines
        ],
        "through": summary.through,
        "version": summary.version,
        "by": summary.by,
        "made_at": summary.made_at,
    }
    unit.connection.execute(insert(running_summaries), [row])
    return True
