"""Relations in Chinese text, by rule."""

import re
from collections.abc import Collection, Iterator

from memu_py.language.chinese_employers import workplace
from memu_py.language.chinese_entities import chinese_mentions
from memu_py.language.chinese_names import NOT_NAMES
from memu_py.language.chinese_relation_rules import RULES
from memu_py.language.english_entities import english_mentions
from memu_py.language.english_relation_rules import Rule
from memu_py.language.profile_words import CHINESE_TRADES
from memu_py.language.relation_words import (
    CHINESE_KIN,
    CHINESE_ORGANISATIONS,
    CHINESE_UNSURE,
    KINDS_OF_WORKPLACES,
    NOT_PLACES_OF_WORK,
)
from memu_py.records.relation import RULED, RelationDraft, whatever

LONGEST_CLAUSE = 80
"""Characters of a clause that is looked at."""

_CLAUSES = re.compile(r"[^。！!；;\n]+[。！!；;\n]?")
_QUOTED = re.compile(r"[「」『』“”\"]")
_TRADE = re.compile(rf"(?:一名|一个|一位|个|名)?(?:{CHINESE_TRADES})")
_SPLIT = re.compile(r"[、,，]|和|以及|(?<=\w)与")


GUESSED = 0.7
"""Confidence in an employer that neither a list nor its ending gives away."""
_FIRM = ("studied_at", "founded")
_PLACES = ("lives_in", "born_in")


def chinese_relations(text: str, speaker: str | None, names: Collection[str]) -> Iterator[RelationDraft]:
    """Yield what a text says of names; see `relations`."""
    for clause in _CLAUSES.findall(text):
        sentence = clause.strip()
        if len(sentence) > LONGEST_CLAUSE or not _tells(sentence):
            continue
        known = _known(sentence, names)
        for rule in RULES:
            for match in rule.pattern.finditer(sentence):
                yield from _stated(match, rule, speaker=speaker, known=known)


def _tells(sentence: str) -> bool:
    return not _QUOTED.search(sentence) and not any(word in sentence for word in CHINESE_UNSURE)


def _known(sentence: str, names: Collection[str]) -> set[str]:
    found = [*chinese_mentions(sentence), *english_mentions(sentence, {name.casefold() for name in names})]
    return {mention.name for mention in found} | set(names)


def _stated(
    match: re.Match[str], rule: Rule, *, speaker: str | None, known: Collection[str]
) -> Iterator[RelationDraft]:
    groups = match.groupdict()
    who = speaker if groups.get("me") else groups.get("s")
    predicate, swapped = CHINESE_KIN[groups["kin"]] if rule.predicate == "kin" else (rule.predicate, False)
    if not who or who in NOT_NAMES:
        return
    if "o" not in groups:
        yield whatever(who, predicate)
        return
    guessing = bool(groups.get("me") and groups.get("job"))
    for part in _SPLIT.split(groups["o"]):
        object_ = part.strip()
        if object_ and object_ not in NOT_NAMES and _is_object(object_, predicate, known, guessing=guessing):
            sure = predicate != "works_at" or object_ in known or workplace(object_) == "known"
            yield RelationDraft(
                subject=object_ if swapped else who,
                predicate=predicate,
                object=who if swapped else object_,
                confidence=RULED if sure else GUESSED,
                denied=rule.denied,
            )


def _is_object(name: str, predicate: str, known: Collection[str], *, guessing: bool) -> bool:
    """Whether an object is the name of something.

    An employer must be known, or end like one; who says where he works himself may name any.
    """
    if predicate == "works_at":
        place = workplace(name)
        return place == "known" or (place == "named" and (guessing or name in known))
    if predicate in _FIRM:
        ends = name.endswith(CHINESE_ORGANISATIONS) and name not in CHINESE_ORGANISATIONS
        return ends or name in known or name.isascii()
    if predicate in _PLACES:
        return name not in NOT_PLACES_OF_WORK and name not in KINDS_OF_WORKPLACES
    return name.removeprefix("前") not in CHINESE_KIN and not _TRADE.fullmatch(name)
