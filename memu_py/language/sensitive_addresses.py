"""Where somebody lives: streets with a house number, and post boxes, in English and Chinese.

Only what has the form of an address is one: the name of a town, or "the house on Elm Street", is not.
"""

import re
from collections.abc import Iterator

Span = tuple[int, int]

MOST_BEFORE = 24
"""So many characters of a Chinese address at most stand before the word for its street."""

_STREETS = (
    "Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Way|Close"
    "|Crescent|Highway|Hwy|Parkway|Pkwy|Circle|Cir|Row|Mews|Walk"
)
_WORD = r"(?:[A-Z][A-Za-z'’.-]*|\d{1,3}(?:st|nd|rd|th))"
_UNIT = r"(?:,?\s+(?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Room|Rm|#)\.?\s?#?\s?[0-9A-Za-z-]{1,6})?"
_QUARTER = r"(?:\s(?:NW|NE|SW|SE|N|S|E|W)\b)?"
_CITY = r"(?:,\s*[A-Z][A-Za-z'’.-]*(?:\s[A-Z][A-Za-z'’.-]+){0,2})"
_CODE = r"(?:,?\s+(?:[A-Z]{2}\s+\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2})(?![0-9A-Za-z]))"
_ENGLISH = re.compile(
    rf"(?<![\w.,/-])(?!4\s+Wheel)\d{{1,5}}[A-Za-z]?(?:-\d{{1,4}})?\s+(?:{_WORD}\s+){{1,4}}(?:{_STREETS})(?![A-Za-z])\.?"
    rf"{_QUARTER}{_UNIT}(?:{_CITY}{{0,2}}?{_CODE})?"
)
_BOX = re.compile(r"(?<!\w)P\.?\s?O\.?\s?Box\s+\d{1,8}(?!\w)", re.IGNORECASE)

_HAN = r"[\u4e00-\u9fff]"
_ROAD = r"(?:大道|大街|胡同|公路|路|街|道|巷|弄|里|村)"
_HOUSE = r"\s?[0-9一二三四五六七八九十百]{1,6}\s?(?:号院|号楼|号|弄|栋|幢|座)"
_REST = r"(?:\s?(?:[0-9A-Za-z]{1,5}|[一二三四五六七八九十]{1,3})\s?(?:号楼|号院|号|栋|幢|座|单元|楼|层|室|房|户)){0,5}"
# Found by its end, which is rare, and followed back to its beginning, which may be anything.
_CHINESE = re.compile(rf"(?<={_HAN}){_ROAD}(?:[东西南北中]段?|[一二三四五六七八九十]段)?{_HOUSE}{_REST}")
_BEFORE = re.compile(rf"{_HAN}{{1,{MOST_BEFORE}}}$")
_LEAD = re.compile(
    rf"^{_HAN}{{0,16}}(?:地址是|住址是|地址为|住在|住址|地址|搬到了|搬到|搬去|搬家到|家在|位于|寄到|寄往|送到|送往|来到|在|住|到|去|是|为)了?(?={_HAN})"
)


def addresses(text: str) -> Iterator[Span]:
    """Yield where addresses stand, as (first character, character after the last)."""
    for pattern in (_ENGLISH, _BOX):
        for match in pattern.finditer(text):
            yield match.start(), match.start() + len(match[0].rstrip(" ,"))
    for match in _CHINESE.finditer(text):
        yield match.start() - _before(text[: match.start()][-MOST_BEFORE:]), match.end()


def _before(text: str) -> int:
    """Return how many of the last characters of a text belong to the address that follows."""
    name = _BEFORE.search(text)
    if name is None:
        return 0
    lead = _LEAD.match(name[0])
    return len(name[0]) - (lead.end() if lead else 0)
