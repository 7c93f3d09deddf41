"""Secrets in a text: keys and tokens by the form that their makers gave them, passwords by the words before them."""

import math
import re
from collections import Counter
from collections.abc import Iterator

Span = tuple[int, int]

LEAST_CHARS = 6
"""A shorter value is no secret, or no good one."""
LEAST_ENTROPY = 3.0
"""Bits a character, from which a long value of letters alone is taken for random."""
LONG = 16

# Prefixes that providers publish so that scanners find their keys.
_FORMS = (
    r"sk-[\w-]{20,}",
    r"gh[pousr]_\w{30,}",
    r"github_pat_\w{22,}",
    r"glpat-[\w-]{20,}",
    r"(?:AKIA|ASIA)[0-9A-Z]{16}",
    r"LTAI[0-9A-Za-z]{12,26}",
    r"AKID[0-9A-Za-z]{32}",
    r"AIza[\w-]{35}",
    r"ya29\.[\w-]{20,}",
    r"GOCSPX-[\w-]{20,}",
    r"xox[abeoprs]-[\w-]{10,}",
    r"[srp]k_(?:live|test)_[0-9A-Za-z]{16,}",
    r"whsec_[0-9A-Za-z+/=]{20,}",
    r"hf_[0-9A-Za-z]{30,}",
    r"npm_[0-9A-Za-z]{36}",
    r"pypi-[\w-]{50,}",
    r"SG\.[\w-]{16,}\.[\w-]{16,}",
    r"\d{8,10}:[\w-]{35}",
    r"eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}",
)
_KNOWN = re.compile(rf"(?<![\w-])(?:{'|'.join(_FORMS)})(?![\w-])", re.ASCII)
_BLOCK = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:.*?-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|.*)",
    re.DOTALL,
)
_IN_ADDRESS = re.compile(r"(?<=://)[^\s/:@]{0,64}:(?P<value>[^\s/@]{1,128})(?=@)")
_VALUE = r"[\"'“‘`]?(?P<value>[^\s\"'“”‘’`，。；、！？,;<>()（）\[\]{}一-鿿]{4,200})"
_SAYS = r"[\"'”]?\s{0,3}(?:is now|is|was|:=|=|:|：|是|为|改成|改为)\s{0,3}"
_NAMED = re.compile(
    r"(?:(?<![A-Za-z])(?:(?:api|access|secret|private|auth|client|master)[ _-]?(?:key|token|secret)s?"
    rf"|secret|token|pin)|密钥|秘钥|令牌|授权码|口令){_SAYS}{_VALUE}",
    re.IGNORECASE,
)
_PASSWORD = re.compile(
    r"(?:(?<![A-Za-z])(?:password|passwd|pwd|passphrase|passcode|bearer|pin code)|密码|支付码)"
    rf"(?:{_SAYS}|\s{{1,3}}|)(?!reset|manager){_VALUE}",
    re.IGNORECASE,
)
_TAIL = ".!?:"
_KNOWN_HINTS = (
    "sk-", "k_live_", "k_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "AKIA", "ASIA",
    "LTAI", "AKID", "AIza", "ya29.", "GOCSPX-", "xox", "whsec_", "hf_", "npm_", "pypi-", "SG.", "eyJ", ":",
)  # fmt: skip
_NAMED_HINTS = ("key", "token", "secret", "pin", "密钥", "秘钥", "令牌", "授权码", "口令")
_PASSWORD_HINTS = ("pass", "pwd", "bearer", "pin code", "密码", "支付码")


def keys(text: str) -> Iterator[Span]:
    """Yield where secrets stand, as (first character, character after the last).

    A key or token is known by its form. A value that is called a password, a token or the like counts when it looks
    like one: digits or signs among letters, digits alone, or long and random. A password that is a plain word is not
    found.
    """
    if "-----BEGIN " in text:
        yield from (match.span() for match in _BLOCK.finditer(text))
    if any(hint in text for hint in _KNOWN_HINTS):
        yield from (match.span() for match in _KNOWN.finditer(text))
    if "://" in text:
        yield from (match.span("value") for match in _IN_ADDRESS.finditer(text))
    lowered = text.lower()
    for pattern, hints in ((_NAMED, _NAMED_HINTS), (_PASSWORD, _PASSWORD_HINTS)):
        if any(hint in lowered for hint in hints):
            yield from _named(pattern, text)


def _named(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    for match in pattern.finditer(text):
        value = match["value"].rstrip(_TAIL)
        if looks_secret(value):
            yield match.start("value"), match.start("value") + len(value)


def looks_secret(value: str) -> bool:
    """Tell whether a value is more likely a secret than a word.

    >>> looks_secret("hunter2"), looks_secret("important"), looks_secret("482913")
    (True, False, True)
    """
    if len(value) < LEAST_CHARS and not (value.isdigit() and len(value) >= 4):
        return False
    if any(map(str.isdigit, value)):
        return True
    inside = value.strip("-_.:/\\=")
    signs = sum(not char.isalnum() and char not in "-_./'" for char in inside)
    return signs > 0 or (len(value) >= LONG and entropy(value) >= LEAST_ENTROPY and not value.isalpha())


def entropy(value: str) -> float:
    """Return how random the characters of a text are, in bits a character (Shannon, 1948).

    >>> entropy("aaaa"), entropy("abcd")
    (0.0, 2.0)
    """
    counts = Counter(value).values()
    return sum(count / len(value) * math.log2(len(value) / count) for count in counts) if value else 0.0
