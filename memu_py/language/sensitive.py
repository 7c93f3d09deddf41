"""Sensitive data in a text, by rules: no model, nothing leaves the machine."""

import bisect
import functools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from memu_py.language.sensitive_addresses import addresses
from memu_py.language.sensitive_keys import keys
from memu_py.language.sensitive_numbers import bank_cards, id_cards, phones
from memu_py.records.sensitive import KINDS, Finding, Kind

Span = tuple[int, int]

_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9_%+-][A-Za-z0-9._%+-]{0,63}@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,6}[A-Za-z]{2,24}(?![A-Za-z0-9-])"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_WIDE = {
    code: code - 0xFEE0
    for first, last in ("０９", "ＡＺ", "ａｚ")
    for code in range(ord(first), ord(last) + 1)
}
_WIDE |= dict(zip(map(ord, "＠．－＿＋％（）"), map(ord, "@.-_+%()"), strict=True))
_WIDE |= dict.fromkeys(map(ord, "\u3000\u00a0\u2007\u2009\u202f"), ord(" "))
_ANY_WIDE = re.compile(f"[{''.join(map(chr, _WIDE))}]")


def narrow(text: str) -> str:
    """Return a text with full-width letters, digits and signs as ASCII has them, each character in its place.

    >>> narrow("ａｎｎ＠１２")
    'ann@12'
    """
    return text.translate(_WIDE) if _ANY_WIDE.search(text) else text


def emails(text: str) -> Iterator[Span]:
    """Yield where e-mail addresses stand."""
    return (match.span() for match in _EMAIL.finditer(text)) if "@" in text else iter(())


def find_sensitive(text: str, kinds: Collection[Kind], *, regions: Sequence[str] = ()) -> list[Finding]:
    """Return the sensitive data of a text in order; none overlaps another.

    Args:
        text: any text.
        kinds: what to look for.
        regions: countries whose telephone numbers may lack the country code.

    >>> [one.kind for one in find_sensitive("Write to ann@example.com", ["email"])]
    ['email']
    """
    finders: Mapping[Kind, Callable[[str], Iterable[Span]]] = {
        "key": keys,
        "id_card": id_cards,
        "bank_card": bank_cards,
        "email": emails,
        "phone": functools.partial(phones, regions=regions),
        "address": addresses,
    }
    found: list[Finding] = []
    plain = narrow(text)
    for kind in KINDS:
        for start, end in sorted(finders[kind](text if kind == "key" else plain)) if kind in kinds else ():
            place = bisect.bisect(found, start, key=_start)
            after = found[place].start if place < len(found) else end
            before = found[place - 1].end if place else start
            if before <= start < end <= after:
                found.insert(place, Finding(kind=kind, start=start, end=end))
    return found


def _start(one: Finding) -> int:
    return one.start


_NAMES: Mapping[Kind, tuple[str, str]] = {
    "key": ("key", "密钥"),
    "id_card": ("id card", "身份证"),
    "bank_card": ("bank card", "银行卡"),
    "email": ("email", "邮箱"),
    "phone": ("phone", "电话"),
    "address": ("address", "地址"),
}
HIDDEN = "••"


def masked(kind: Kind, value: str, *, chinese: bool) -> str:
    """Return what stands in the place of a value: its kind, and as much of it as lets its owner know which it is.

    The same value gives the same text, so that what is said twice is still known to be the same.

    >>> masked("phone", "+49 170 1234534", chinese=False), masked("email", "ann@example.com", chinese=True)
    ('[phone ••34]', '[邮箱 a••]')
    """
    name = _NAMES[kind][chinese]
    value = narrow(value)
    digits = "".join(char for char in value if char.isalnum())
    shown = {
        "phone": HIDDEN + digits[-2:],
        "id_card": HIDDEN + digits[-2:].upper(),
        "bank_card": HIDDEN + digits[-4:],
        "email": value[0] + HIDDEN,
    }.get(kind)
    return f"[{name} {shown}]" if shown else f"[{name}]"


def has_han(text: str) -> bool:
    """Tell whether a text has Chinese characters: its masks are Chinese then."""
    return _HAN.search(text) is not None
