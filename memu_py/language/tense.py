"""Whether a part of a sentence looks back or ahead: it decides which Friday "on Friday" is."""

import re
from typing import Literal

Outlook = Literal["past", "future"]

NEAR_CHARS = 200
"""A marker farther away than this says nothing about a date."""

_SENTENCE_END = re.compile(r"[.!?。！？；;\n]+(?:\s|$)|[。！？；\n]")
_CLOSING = " .!?。！？；;\n\t"
_IRREGULAR = (
    "was|were|wasn't|weren't|had|hadn't|did|didn't|went|got|saw|met|took|came|made|bought|ate|found|gave|told|said|"
    "began|started|ran|left|felt|heard|held|kept|knew|led|lost|paid|read|rode|sang|sat|sent|slept|spent|spoke|"
    "stood|swam|taught|thought|threw|understood|won|wrote|broke|brought|built|caught|chose|drank|drove|fell|"
    "flew|forgot|grew|hung|hurt|put|sold|stuck|wore|became|been|done|gone|hasn't|haven't|could|couldn't"
)
_REGULAR = r"(?<!getting\s)(?<!\bget\s)(?<!\bbe\s)[a-z]{2,}(?<!ne)ed"
"""A form in -ed; after "getting" or "be" it is a participle, which says nothing of time."""
_WORD = r"\b(?=[a-z'])"
"""Where a marker may begin; to ask first is twice as quick as to try them all at every place."""
_PAST_ENGLISH = (
    rf"{_WORD}(?:{_IRREGULAR}|{_REGULAR}|i've|we've|you've|they've|(?:has|have)\b(?!\s+(?:an?|to)\b))\b"
)
_FUTURE_ENGLISH = (
    rf"{_WORD}(?:will|won't|shall|[a-z]+'ll|gonna|going\s+to|plan(?:s|ning)?\s+(?:to|on|a|for|the)|about\s+to|wanna|"
    r"want(?:s)?\s+to|hop(?:e|es|ing)\s+to|would\s+(?:like|love)|'d\s+(?:like|love)|looking\s+forward|"
    r"can't\s+wait|cannot\s+wait|upcoming|coming\s+up|let[`']s|see\s+you|(?:have|has|need|needs|got)\s+to|must|should|"
    r"due|deadline|appointment|(?:have|has|there's)\s+an?|starts|begins|opens|leaves|arrives|launches|"
    r"intend(?:s|ing)?\s+to|sign(?:ed|ing)\s+up\s+for|scheduled|tomorrow|soon|remind\s+me|"
    r"(?:i'm|am|is|are|'s|we're|you're|they're|he's|she's|it's)\s+(?:[a-z]+\s+)?(?!being)[a-z]+ing)\b"
)
_PAST_CHINESE = r"[了过]|曾|已经|当时|那时"
_FUTURE_CHINESE = (
    r"会(?!议)|将|要(?!求)|打算|准备|计划|想|即将|快|预计|安排|约好|记得|提醒|截止"
    r"|之前(?=完成|交|做)|去(?=.{0,8}[吧？])"
)
_MARKERS = re.compile(
    rf"(?P<future>{_FUTURE_ENGLISH}|{_FUTURE_CHINESE})|(?P<past>{_PAST_ENGLISH}|{_PAST_CHINESE})",
    re.IGNORECASE,
)


def outlook(text: str, start: int, end: int) -> Outlook | None:
    """Return whether the sentence around `text[start:end]` speaks of the past or the future.

    The marker nearest to the span decides; a sentence without any ("On the 14th of June, in Porto.") goes on from the
    one before it. None where there is none in either.

    >>> text = "I met Ann, and we will go hiking on Friday."
    >>> outlook(text, text.index("on"), len(text) - 1)
    'future'
    """
    left, right = _sentence(text, start, end)
    best: tuple[int, Outlook] | None = None
    for match in _MARKERS.finditer(text, left, right):
        if match.start() < end and match.end() > start:
            continue
        distance = start - match.end() if match.end() <= start else match.start() - end
        if best is None or distance < best[0]:
            best = (distance, _points(match))
    return best[1] if best else _last(text, left)


def _points(match: re.Match[str]) -> Outlook:
    return "future" if match.group("future") else "past"


def _last(text: str, end: int) -> Outlook | None:
    """Where the sentence that ends here leaves off; its last marker says it."""
    stop = len(text[:end].rstrip(_CLOSING))
    if stop == 0:
        return None
    left, _ = _sentence(text, stop, stop)
    found = list(_MARKERS.finditer(text, left, stop))
    return _points(found[-1]) if found else None


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    left, right = max(0, start - NEAR_CHARS), min(len(text), end + NEAR_CHARS)
    ends = [match.end() for match in _SENTENCE_END.finditer(text, left, start)]
    following = _SENTENCE_END.search(text, end, right)
    return (ends[-1] if ends else left), (following.start() if following else right)
