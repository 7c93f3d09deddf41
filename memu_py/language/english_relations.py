"""Relations in English text, by rule."""

import re
from collections.abc import Collection, Iterator

from memu_py.language.english_entities import english_mentions
from memu_py.language.english_relation_rules import ANY_TRIGGER, CLOSE, OPEN, RULES, TRIGGERS, Rule
from memu_py.language.mention import Mention, apart
from memu_py.language.relation_words import KIN, NO_HOBBY, NOT_TOLD, UNSURE
from memu_py.language.sentences import sentences
from memu_py.records.relation import RULED, RelationDraft, whatever

APPOSED = 0.7
"""Confidence in "my sister Mia": what follows may be more than a name."""

LONGEST_SENTENCE = 400
"""Characters of a sentence that is looked at."""

_QUOTED = re.compile(r"[\"“”«»]|(?<!\w)'[^']+'(?!\w)")
_WORDS = re.compile(r"[\w'’-]+")
_CODE = re.compile(rf"{OPEN}(\d+){CLOSE}")
_CLAUSE_END = re.compile(r"[,;:(—–]|\s(?:and|but|so)\s")
_LISTED = re.compile(r",\s*(?:and\s+)?|\s+and\s+")
_FIRST = re.compile(r"(?<![\w'’])(?:I(?![\w])|[Mm]y\b)")


def english_relations(text: str, speaker: str | None, names: Collection[str]) -> Iterator[RelationDraft]:
    """Yield what a text says of names; see `relations`."""
    if OPEN in text or CLOSE in text:
        return
    known = {name.casefold() for name in (*names, speaker or "") if name}
    # Most texts tell none, and a look for the words that tell them is quick.
    if not ANY_TRIGGER.search(text.casefold()):
        return
    for start, end in sentences(text):
        sentence = text[start:end]
        if len(sentence) <= LONGEST_SENTENCE and _tells(sentence):
            yield from _of_sentence(sentence, speaker, known)


def _tells(sentence: str) -> bool:
    """Whether a sentence may state something of its own."""
    if "?" in sentence or "？" in sentence or _QUOTED.search(sentence):
        return False
    return ANY_TRIGGER.search(sentence.casefold()) is not None


def _of_sentence(sentence: str, speaker: str | None, known: Collection[str]) -> Iterator[RelationDraft]:
    folded = sentence.casefold()
    told = {predicate for predicate, pattern in TRIGGERS.items() if pattern.search(folded)}
    found = apart(english_mentions(sentence, known))
    if not found and not (speaker and _FIRST.search(sentence)):
        return
    coded = _coded(sentence, found)
    for rule in (rule for rule in RULES if rule.predicate in told):
        for match in rule.pattern.finditer(coded):
            if _is_sure(coded, match):
                yield from _stated(match, rule, speaker=speaker, mentions=found)


def _is_sure(coded: str, match: re.Match[str]) -> bool:
    """Whether neither what stands before a statement, nor the rest of its clause, takes it back."""
    after = _CLAUSE_END.split(coded[match.end() :], maxsplit=1)[0]
    around = f"{coded[: match.start()]} {after}".replace("’", "'").casefold()
    return UNSURE.isdisjoint(_WORDS.findall(around))


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
    if who and "o" not in groups:
        yield whatever(who, predicate)
        return
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
