"""Relations in a text, by rule: few, and sure.

Questions, conditions, wishes, plans, hearsay and quoted speech say nothing here; nor does what is denied, but for
"no longer" and its like, which end a relation; what is lost without a name, as a job is, ends them all (`whatever`).
"""

from collections.abc import Collection

from memu_py.language.chinese_relations import chinese_relations
from memu_py.language.english_relations import english_relations
from memu_py.language.tongue import language_of
from memu_py.records.entity import entity_key
from memu_py.records.relation import RULED, RelationDraft


def relations(
    text: str, *, speaker: str | None = None, names: Collection[str] = ()
) -> tuple[RelationDraft, ...]:
    """Return what a text says of names, each relation once.

    Args:
        text: any text, English or Chinese.
        speaker: who says it; “I”, “my” and 我 mean this name. Without one, they mean nobody.
        names: names that are known, such as those of the people who take part.

    >>> [(x.subject, x.predicate, x.object) for x in relations("I work at Acme.", speaker="Ann")]
    [('Ann', 'works_at', 'Acme')]
    """
    speaker = speaker.strip() or None if speaker else None
    found = (
        chinese_relations(text, speaker, names)
        if language_of(text) == "zh"
        else english_relations(text, speaker, names)
    )
    first: dict[tuple[str, str, str, bool], RelationDraft] = {}
    for one in found:
        ends = entity_key(one.subject), entity_key(one.object)
        if all(ends) and (one.denied or ends[0] != ends[1]):
            first.setdefault((ends[0], one.predicate, ends[1], one.denied), one)
    # In "I broke up with my girlfriend Lena" the end is what is told.
    return tuple(
        one
        for (subject, predicate, object_, denied), one in first.items()
        if denied or one.confidence >= RULED or (subject, predicate, object_, True) not in first
    )
