"""Sentences that say themselves that something holds no longer: "I no longer drink coffee", 我从北京搬到上海了.

Rules, and cautious ones: what is only implied ("I live in Shanghai now") is no correction, nor is a wish, a condition
or a question. A correction names what is gone; a text that says just that, as holding now, is what it takes back.
"""

import dataclasses
import re
from collections.abc import Iterator
from datetime import UTC, datetime

from memu_py._core import content_words
from memu_py.language.dates import resolve_dates
from memu_py.language.sentences import sentences
from memu_py.language.tense import outlook
from memu_py.language.wordlist import words
from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Correction(Record):
    """What a sentence says to be gone.

    Attributes:
        gone: stems that a text must have, all of them, to say what is gone.
        beside: stems of which it must have one, too; empty for none.
        phrases: the same as `gone` for Chinese, as characters.
        own: the speaker says it of himself, so that only his own words are meant.
    """

    gone: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()
    phrases: tuple[str, ...] = ()
    own: bool = True


FEWEST_WORDS = 2
"""What is gone needs so many words, unless it is what somebody does: coffee may be in any sentence, smoking is not."""

HOME = words("live living based reside home stay house flat apartment 住 在 家 生活 定居")
WORK = words("work job employed employer company team office engineer 工作 上班 在 公司")

_WHO = r"(?P<who>(?:[\w'’-]+\s+){0,5}?)"
_STOP = (
    r"(?:\s+(?:and|but|so|because|since|as|after|when|now|due|for\s+(?:health|good)|any\s?more|anymore)\b|$)"
)
_GONE = rf"(?P<gone>.+?){_STOP}"
_NOT = r"(?:do|does|am|is|are|can|will)(?:n't|n’t|\s+not)|'m\s+not|cannot|don't|won't"
_ENGLISH = tuple(
    (re.compile(rf"^{_WHO}{pattern}", re.IGNORECASE), beside)
    for pattern, beside in (
        (rf"(?:is|am|are|'m|'s|do|does)?\s*no\s+longer\s+{_GONE}", frozenset()),
        (rf"(?:{_NOT})\s+(?P<gone>.+?)\s+(?:any\s?more|any\s+longer)\b", frozenset()),
        (rf"(?:have\s+|has\s+|'ve\s+|'s\s+)?(?:stopped|quit)\s+(?P<gone>\w+ing\b.*?){_STOP}", frozenset()),
        (r"(?:quit|left|lost)\s+(?:my|our|his|her|their)\s+job\s+(?:at|with)\s+(?P<gone>\S+)", WORK),
        (rf"(?:have\s+|has\s+|'ve\s+|'s\s+)?(?:gave\s+up|given\s+up|quit)\s+{_GONE}", frozenset()),
        (r"used\s+to\s+(?P<gone>.+?)\s+(?:but|and)\s+(?:now|not|no|these\s+days)\b", frozenset()),
        (r"(?:moved|relocated)\s+(?:\w+\s+){0,2}?from\s+(?P<gone>.+?)\s+to\s+\w", HOME),
        (
            r"(?:switched|changed|migrated|transferred|converted|moved|went)\s+(?:\w+\s+){0,2}?from\s+(?P<gone>.+?)"
            r"\s+(?:over\s+)?to\s+\w",
            frozenset(),
        ),
        (r"left\s+(?P<gone>.+?)\s+for\s+\w", WORK),
        (r"(?:replaced|swapped)\s+(?P<gone>.+?)\s+(?:with|by|for)\s+\w", frozenset()),
        (r"(?:is|am|are|'s|'m)\s+not\s+(?P<gone>.+?)\s+but\s+\w", frozenset()),
    )
)
_CHINESE_WHO = r"(?P<who>[^不从由把戒]{0,12}?)"
_CHINESE = tuple(
    (re.compile(rf"^{_CHINESE_WHO}{pattern}"), beside)
    for pattern, beside in (
        (r"(?:再也不|不再|再也没|没再)(?P<gone>.+?)了?$", frozenset()),
        (r"(?:已经|现在|早就)?不(?P<gone>.{2,}?)了$", frozenset()),
        (r"(?:已经)?(?:戒掉了?|戒了|戒|放弃了?)(?P<gone>.+?)了?$", frozenset()),
        (r"(?:从|由)(?P<gone>.+?)(?:搬到|搬去|搬来|搬回)", HOME),
        (r"(?:从|由)(?P<gone>.+?)(?:换成|换到|改成|改用|转到|转用|转向|换用)", frozenset()),
        (r"(?:从|由)(?P<gone>.+?)(?:跳槽到|跳到|离职去)", WORK),
        (r"把(?P<gone>.+?)(?:换成|改成)", frozenset()),
        (r"(?:不是)(?P<gone>.+?)而?是", frozenset()),
    )
)

_CLAUSE = re.compile(
    r"\s*[,;:，；：、—。！!.]+(?=\s|$|[\u4e00-\u9fff])\s*|\s+(?:and|so)\s+(?=(?:i|we|he|she|they)\b)",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"[?？]|\b(?:if|unless|would|might|may|maybe|perhaps|could|should|want|wants|wish|wishes|hope|hopes|plan|plans|"
    r"planning|thinking|almost|nearly|never)\b|如果|要是|可能|也许|或许|想要|希望|打算|准备|计划|应该|差点|几乎",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"n['’]t\b|\b(?:no|not|never|none|cannot|quit|stopped|used|former|formerly|ex|without|hate|hates|hated)\b"
    r"|[不没别]|戒|曾|以前|从前|原来",
    re.IGNORECASE,
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_FIRST = re.compile(r"(?<![\w'])(?:i|we|my|our)(?![\w])", re.IGNORECASE)
_FILLING_ENGLISH = re.compile(
    r"\b(?:i|we|have|has|had|been|just|finally|actually|recently|already|now|so|and|then|well|yes|no|also)(?:['’]\w+)?\b",
    re.IGNORECASE,
)
_FIRST_CHINESE = re.compile(r"我|咱")
_OTHERS = re.compile(
    r"(?<![\w'])(?:he|she|they|it|you|his|her|their|your|this|that)(?![\w])|[他她它你您这那]", re.IGNORECASE
)
_FILLING = re.compile(r"(?:我们?|咱们?|自己|已经|现在|最近|后来|其实|终于|刚刚?|早就|就|也|都|的)")
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


def corrections(text: str) -> list[Correction]:
    """Return what the sentences of a text say to be gone.

    Args:
        text: any text, English or Chinese.

    >>> corrections("Last week I moved from Beijing to Shanghai.")[0].gone
    frozenset({'beij'})
    >>> corrections("I would no longer drink coffee.")
    []
    """
    found: list[Correction] = []
    for start, end in sentences(text):
        sentence = text[start:end]
        if not _UNREAL.search(sentence):
            found += _of_sentence(_undated(sentence))
    return found


def takes_back(correction: Correction, text: str) -> bool:
    """Tell whether a text says, as holding now, what a correction says to be gone.

    Args:
        correction: from `corrections`.
        text: of another memory.
    """
    if _ENDED.search(text) or outlook(text, 0, 0) is not None:
        return False
    stems = set(content_words([text])[0])
    if not correction.gone <= stems or not all(phrase in text for phrase in correction.phrases):
        return False
    beside = correction.beside
    return not beside or bool(beside & stems) or any(_HAN.match(one) and one in text for one in beside)


def _of_sentence(sentence: str) -> Iterator[Correction]:
    patterns, of_clause = (_CHINESE, _chinese) if _HAN.search(sentence) else (_ENGLISH, _english)
    parts = [sentence.strip(" .!。！"), *(part for part in _CLAUSE.split(sentence) if part)]
    for clause in dict.fromkeys(part.strip() for part in parts):
        for pattern, beside in patterns:
            match = pattern.search(clause)
            correction = of_clause(match["who"] or "", match["gone"]) if match else None
            if correction is not None:
                yield correction.evolve(beside=_stems(beside))
                break


def _english(who: str, gone: str) -> Correction | None:
    if _OTHERS.search(who):
        return None
    named, stems = _words(who), _words(gone)
    does = bool(re.match(r"\w+ing\b|be\b", gone, re.IGNORECASE))
    if not stems or (len(stems | named) < FEWEST_WORDS and not does and not gone[:1].isupper()):
        return None
    return Correction(gone=stems | named, own=bool(_FIRST.search(f"{who} {gone}")) or not who.strip())


def _words(text: str) -> frozenset[str]:
    filled = _FILLING_ENGLISH.sub(" ", text)
    return frozenset(content_words([filled])[0]) if filled.strip() else frozenset()


def _chinese(who: str, gone: str) -> Correction | None:
    if _OTHERS.search(who):
        return None
    named = _FILLING.sub("", who).strip()
    phrase = _FILLING.sub("", gone).strip("了过着呢啊 ")
    if not phrase:
        return None
    return Correction(
        phrases=tuple(one for one in (named, phrase) if one),
        own=bool(_FIRST_CHINESE.search(who + gone)) or not named,
    )


def _undated(sentence: str) -> str:
    """Return a sentence without the words that say when: they are no part of what is gone."""
    for found in reversed(resolve_dates(sentence, said_at=_EPOCH)):
        sentence = f"{sentence[: found.start]} {sentence[found.end :]}"
    return " ".join(sentence.split())


def _stems(forms: frozenset[str]) -> frozenset[str]:
    return frozenset(stem for form in forms for stem in (content_words([form])[0] or [form]))
