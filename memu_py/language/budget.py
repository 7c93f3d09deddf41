"""How many tokens a text is likely to cost in a prompt."""

import re

CHARACTERS_PER_TOKEN = 4.0
"""Of alphabetic text; common byte-pair vocabularies lie between 3.5 and 4.5 for English."""

FIRST_WIDE = "\u2e80"
"""From here on (CJK, kana, hangul) a character is counted as a token of its own."""

_WIDE = re.compile(rf"[{FIRST_WIDE}-\U0010ffff]")


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text, rather too many than too few.

    >>> count_tokens("likes tea")
    3
    >>> count_tokens("喜欢喝茶")
    4
    """
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    return wide + -int(-(len(text) - wide) // CHARACTERS_PER_TOKEN)


def chars_within(text: str, tokens: int) -> int:
    """Estimate how many characters of such a text cost so many tokens.

    >>> chars_within("likes tea with milk", 100), chars_within("喜欢喝茶", 100)
    (380, 100)
    """
    return max(1, tokens * len(text) // max(1, count_tokens(text)))
