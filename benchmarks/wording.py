"""How near the words of an answer are to those of the right one, as LoCoMo measures it (Maharana et al., ACL 2024).

Words are lower-cased, without punctuation and `a`, `an`, `the`, `and`, and stemmed: by our Snowball stemmer, where the
published script has Porter's.
"""

import string
from collections import Counter

from benchmarks.dialogues import ADVERSARIAL
from memu_py import _core

MULTI_HOP, OPEN_DOMAIN = "1", "3"
LEFT_OUT = frozenset(("a", "an", "the", "and"))
UNKNOWN = ("no information available", "not mentioned")
"""What an answer to an adversarial question must say, one of these."""


def f1(answer: str, expected: str, category: str) -> float:
    """Return the F1 of an answer's words by the rule of its category, from 0 to 1.

    Several expected answers of a multi-hop question, parted by commas, are each compared with the best part of the
    answer; of an open-domain question the first one, before a semicolon, counts; an adversarial one is right or not.

    >>> f1("Lisbon, the Porto", "Porto, Lisbon", "1"), f1("in May 2023", "May 2023", "2")
    (1.0, 0.8)
    """
    if category == ADVERSARIAL:
        return float(says_unknown(answer))
    if category == OPEN_DOMAIN:
        return _overlap(answer, expected.split(";")[0])
    if category == MULTI_HOP:
        parts = answer.split(",")
        wanted = expected.split(",")
        return sum(max(_overlap(part, one) for part in parts) for one in wanted) / len(wanted)
    return _overlap(answer, expected)


def says_unknown(answer: str) -> bool:
    """Tell whether an answer says that nothing is known."""
    return any(words in answer.casefold() for words in UNKNOWN)


def _overlap(answer: str, expected: str) -> float:
    said, wanted = _stems(answer), _stems(expected)
    shared = (said & wanted).total()
    if not shared:
        return 0.0
    precision, recall = shared / said.total(), shared / wanted.total()
    return 2 * precision * recall / (precision + recall)


def _stems(text: str) -> Counter[str]:
    plain = text.casefold().translate(str.maketrans("", "", string.punctuation))
    words = [word for word in plain.split() if word not in LEFT_OUT]
    return Counter(tokens[0] for tokens in _core.tokenize(words) if tokens)
