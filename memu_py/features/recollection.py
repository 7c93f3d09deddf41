"""What is remembered beside items, as text for a prompt: who a person is, and who stands how to whom."""

from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo

from memu_py.language.budget import count_tokens
from memu_py.records.facet import PersonProfile
from memu_py.records.relation import Relation

TITLES = {
    "en": ("What is known of the person:", "Who stands how to whom:", "since {date}", "until {date}"),
    "zh": ("关于此人：", "人物与事物的关系：", "自{date}起", "至{date}止"),
}
"""By language: the headings of both parts, and how the ends of a time are said."""


def relation_text(relation: Relation, language: str, zone: tzinfo) -> str:
    """Return a relation as a sentence, with the time in which it holds.

    Args:
        relation: the relation.
        language: `en` or `zh`; others are told in English.
        zone: for dates.
    """
    _, _, since, until = _titles(language)
    times = [since.format(date=_date(relation.valid_from, zone))]
    if relation.valid_to:
        times.append(until.format(date=_date(relation.valid_to, zone)))
    predicate = relation.predicate.replace("_", " ")
    return f"{relation.subject} {predicate} {relation.object} ({', '.join(times)})"


def written_profile(profile: PersonProfile, language: str, *, max_tokens: int) -> str:
    """Return a profile as a block, a facet a line, as many as the budget has room for; empty for none."""
    facets: dict[str, list[str]] = {}
    for value in profile:
        name = f"{value.facet} ({value.topic})" if value.topic else value.facet
        facets.setdefault(name, []).append(value.value)
    lines = (f"- {facet}: {', '.join(values)}" for facet, values in facets.items())
    return _block(_titles(language)[0], lines, max_tokens)


def written_relations(texts: Sequence[str], language: str, *, max_tokens: int) -> str:
    """Return relations as a block, one a line, as many as the budget has room for; empty for none."""
    return _block(_titles(language)[1], (f"- {text}" for text in texts), max_tokens)


def _block(title: str, lines: Iterable[str], max_tokens: int) -> str:
    room = max_tokens - count_tokens(title)
    kept = []
    for line in lines:
        cost = count_tokens(line)
        if cost > room:
            break
        kept.append(line)
        room -= cost
    return "\n".join((title, *kept)) if kept else ""


def _titles(language: str) -> tuple[str, str, str, str]:
    return TITLES.get(language, TITLES["en"])


def _date(moment: datetime, zone: tzinfo) -> str:
    return moment.astimezone(zone).date().isoformat()
