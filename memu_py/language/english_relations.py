"""Relations in English text, by rule."""

import re
from collections.abc import Collection, Iterator

from memu_py.language.english_entities import english_mentions
from memu_py.language.english_relation_rules import CLOSE, OPEN, RULES, Rule
from memu_py.language.mention import Mention, apart
from memu_py.language.relation_words import KIN, NO_HOBBY, NOT_TOLD, UNSURE
from memu_py.language.sentences import sentences
from memu_py.records.relation import RULED, RelationDraft

APPOSED = 0.7
"""Confidence in "my sister Mia": what follows may be more than a name."""

LONGEST_SENTENCE = 400
"""Characters of a sentence that is looked at."""

_QUOTED = re.compile(r"[\"“”«»]|(?<!\w)'[^']+'(?!\w)")
_WORDS = re.compile(r"[\w'’-]+")
_CODE = re.compile(rf"{OPEN}(\d+){CLOSE}")
_LISTED = re.compile(r",\s*(?:and\s+)?|\s+and\s+")
_FIRST = re.compile(r"(?<![\w'’])(?:I(?![\w])|[Mm]y\b)")


def english_relations(text: str, speaker: str | None, names: Collection[str]) -> Iterator[RelationDraft]:
    """Yield what a text says of names; see `relations`."""
    if OPEN in text or CLOSE in text:
        return
    known = {name.casefold() for name in (*names, speaker or "") if name}
    for start, end in sentences(text):
        if end - start <= LONGEST_SENTENCE and _tells(text[start:end]):
            yield from _of_sentence(text[start:end], speaker, known)


def _tells(sentence: str) -> bool:
    """Whether a sentence states something of its own."""
    if "?" in sentence or "？" in sentence or _QUOTED.search(sentence):
        return False
    folded = sentence.replace("’", "'").casefold()
    return UNSURE.isdisjoint(_WORDS.findall(folded))


def _of_sentence(sentence: str, speaker: str | None, known: Collection[str]) -> Iterator[RelationDraft]:
    found = apart(english_mentions(sentence, known))
    if not found and not (speaker and _FIRST.search(sentence)):
        return
    coded = _coded(sentence, found)
    for rule in RULES:
        for match in rule.pattern.finditer(coded):
            yield from _stated(match, rule, speaker=speaker, mentions=found)


def _coded(sentence: str, mentions: list[Mention]) -> str:
    """Return the sentence with a number in the place of each name."""
    pieces: list[str] = []
    end = 0
    for number, mention in enumerate(mentions):
        pieces += [sentence[end : mention.start], f"{OPEN}{number}{CLOSE}"]
        end = mention.end
    return "".join([*pieces, sentence[end:]])


def _stated(
    match: re.Match[str], rule: Rule, *, speaker: str | None, mentions: list[Mention]
) -> Iterator[RelationDraft]:
    def written(coded: str) -> str:
        return _CODE.sub(lambda code: mentions[int(code.group(1))].name, coded).strip()

    groups = match.groupdict()
    subject = groups.get("s") or ""
    who = speaker if groups.get("my") or subject == "I" else written(subject)
    predicate, swapped = KIN[groups["kin"]] if rule.predicate == "kin" else (rule.predicate, False)
    for part in _LISTED.split(groups["o"]) if who else ():
        object_ = written(part).removeprefix("the ")
        if object_ and _is_object(object_, predicate):
            yield RelationDraft(
                subject=object_ if swapped else who or "",
                predicate=predicate,
                object=who or "" if swapped else object_,
                confidence=APPOSED if groups.get("apposed") else RULED,
                denied=rule.denied,
            )


def _is_object(name: str, predicate: str) -> bool:
    folded = name.casefold()
    if predicate == "speaks":
        return True
    if predicate == "hobby":
        return folded.split()[0] not in NO_HOBBY and not folded.startswith(("not ", "to ", "my ", "that "))
    return folded not in NOT_TOLD
