"""Numbers that name a person: of telephones, identity cards and bank cards."""

import itertools
import re
from collections.abc import Iterator, Sequence

import phonenumbers

Span = tuple[int, int]

_NOT_BEFORE, _NOT_BEHIND = r"(?<![0-9A-Za-z_-])(?<![\d\s]\.)", r"(?![0-9A-Za-z]|-\d)"
_GAP = r"[\s.-]{0,2}"
_YEAR, _MONTH, _DAY = "(?:18|19|20)\\d\\d", "(?:0[1-9]|1[0-2])", "(?:0[1-9]|[12]\\d|3[01])"
_PLAIN_ID = re.compile(rf"[1-9]\d{{5}}{_YEAR}{_MONTH}{_DAY}\d{{3}}[\dXx]", re.ASCII)
_ID_CARDS = tuple(
    re.compile(rf"{_NOT_BEFORE}{pattern}{_NOT_BEHIND}", re.ASCII)
    for pattern in (
        # By what the digits mean, and in fours.
        _GAP.join((r"[1-9]\d\d", r"\d{3}", _YEAR, _MONTH, _DAY, r"\d{3}[\dXx]")),
        _GAP.join((r"[1-9]\d{3}", r"\d{4}", r"\d{4}", r"\d{4}", r"\d[\dXx]")),
    )
)
_SOCIAL = re.compile(rf"{_NOT_BEFORE}(?!000|666|9)\d{{3}}-(?!00)\d\d-(?!0000)\d{{4}}{_NOT_BEHIND}", re.ASCII)
# The groups that cards have are looked for at each place: a year may stand before a card, and its code behind it.
_GROUPED = (
    r"\d{14,19}",
    r"\d{4}(?P<gap>[\s.-]{1,2})(?:\d{4}(?P=gap)){2}\d{2,4}",
    r"\d{4}(?P<gap>[\s.-]{1,2})(?:\d{4}(?P=gap)){3}\d{1,3}",
    r"\d{4}(?P<gap>[\s.-]{1,2})\d{6}(?P=gap)\d{4,5}",
    r"\d{6}[\s-]{1,2}\d{8,13}",
)
_ANYHOW = (r"\d(?: ?\d){13,18}", r"\d(?:-?\d){13,18}")
_CARDS = tuple(
    re.compile(rf"{_NOT_BEFORE}{pattern}", re.ASCII)
    for pattern in (
        *(rf"(?=(?P<card>{one}){_NOT_BEHIND})" for one in _GROUPED),
        *(rf"(?P<card>{one}){_NOT_BEHIND}" for one in _ANYHOW),
    )
)
_ISSUERS = re.compile(
    r"4\d{15}(?:\d{3})?|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}"
    r"|(?:6011|64[4-9]\d|65\d\d|35\d\d)\d{12}|62\d{14,17}|9558\d{15}",
    re.ASCII,
)
"""First digits and lengths by issuer (ISO/IEC 7812): Visa, Mastercard, American Express, Diners, Discover, JCB,
UnionPay.
"""

_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CHECKS = "10X98765432"
_RUN = re.compile(r"(?<![0-9A-Za-z])(?<![0-9A-Za-z]-)(?<!\d\.)[+(（]{0,2}\d(?:[\s().·/-]{0,3}\d){5,}")
"""What may be a telephone number, or several."""
_CHINESE_MOBILE = re.compile(r"(?<![0-9A-Za-z])1[3-9]\d([ -]?)\d{4}\1\d{4}(?![0-9A-Za-z])", re.ASCII)
CHINA = "CN"
_TOKEN = re.compile(r"\+?\d{7,15}")
LONGEST_RUN = 60
"""Characters; more digits in a row are a table, whose cells are looked at one by one."""
AROUND = 12
"""Characters around a run of digits that tell whether it is a number of a telephone."""


def id_cards(text: str) -> Iterator[Span]:
    """Yield where numbers of Chinese identity cards, with a check digit that fits, and of US social security stand."""
    for match in itertools.chain.from_iterable(pattern.finditer(text) for pattern in _ID_CARDS):
        card = _bare(match[0])
        if _PLAIN_ID.fullmatch(card) and id_check(card[:-1]) == card[-1].upper():
            yield match.span()
    for match in _SOCIAL.finditer(text):
        yield match.span()


def id_check(digits: str) -> str:
    """Return the check character of the 17 digits of an identity card (GB 11643-1999, ISO 7064 MOD 11-2).

    >>> id_check("11010519491231002")
    'X'
    """
    return _CHECKS[
        sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, digits, strict=True)) % len(_CHECKS)
    ]


def bank_cards(text: str) -> Iterator[Span]:
    """Yield where numbers of cards of a known issuer stand whose check digit fits."""
    longest: dict[int, int] = {}
    for match in itertools.chain.from_iterable(pattern.finditer(text) for pattern in _CARDS):
        digits = _bare(match["card"])
        if _ISSUERS.fullmatch(digits) and luhn(digits):
            start, end = match.span("card")
            longest[start] = max(end, longest.get(start, end))
    yield from longest.items()


def _bare(number: str) -> str:
    """Return a number without what parts its groups."""
    return re.sub(r"[\s.-]", "", number)


def luhn(digits: str) -> bool:
    """Tell whether the check digit of a card's number fits (ISO/IEC 7812-1).

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    doubled = (int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits)))
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def phones(text: str, regions: Sequence[str]) -> Iterator[Span]:
    """Yield where telephone numbers stand that exist by the plans of their countries, as `phonenumbers` knows them.

    Args:
        text: any text.
        regions: countries, such as `CN`, whose numbers may lack the country code.
    """
    if CHINA in regions:
        yield from (match.span() for match in _CHINESE_MOBILE.finditer(text))
    for run in _RUN.finditer(text):
        if len(run[0]) > LONGEST_RUN:
            yield from _cells(text, run.span(), regions)
            continue
        first = max(run.start() - AROUND, 0)
        window = text[first : run.end() + AROUND]
        for region in regions or (None,):
            for match in phonenumbers.PhoneNumberMatcher(window, region):
                span = first + match.start, first + match.end
                # The window may begin or end within another number.
                if run.start() <= span[0] and span[1] <= run.end():
                    yield span


def _cells(text: str, run: Span, regions: Sequence[str]) -> Iterator[Span]:
    for token in _TOKEN.finditer(text, *run):
        if any(_is_phone(token[0], region) for region in regions or (None,)):
            yield token.span()


def _is_phone(token: str, region: str | None) -> bool:
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(token, region))
    except phonenumbers.NumberParseException:
        return False
