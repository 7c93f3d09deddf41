"""The words of a text with their places, English and Chinese."""

import re

from memu_py._core import tokenize

Span = tuple[int, int]

_WINDOW = 12

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_PIECE = re.compile(
    rf"(?P<han>[{_HAN}]+)"
    rf"|[^\W\d_{_HAN}](?:['’&.+#/_-]?[^\W_{_HAN}])*(?:\+\+|#)?"
    r"|\d+(?:[.,:/-]\d+)*"
)


def lexemes(text: str) -> list[Span]:
    """Return the words and numbers of a text in order, Chinese by its dictionary words, none within another.

    >>> text = "我在北京大学用GPT-4"
    >>> [text[start:end] for start, end in lexemes(text)]
    ['我', '在', '北京大学', '用', 'GPT-4']
    """
    pieces = list(_PIECE.finditer(text))
    runs = [piece for piece in pieces if piece.group("han")]
    tokens = iter(tokenize([run.group() for run in runs]))
    found: list[Span] = []
    for piece in pieces:
        if piece.group("han"):
            found.extend(_words_of(piece.group(), next(tokens), piece.start()))
        else:
            found.append(piece.span())
    return found


def _words_of(run: str, tokens: list[str], offset: int) -> list[Span]:
    """Where the words of a Chinese run stand; the tokeniser names the parts of a word beside the word."""
    found: list[Span] = []
    place = index = 0
    word = ""
    while place < len(run):
        index, word = _longest(run, place, tokens, index, word)
        found.append((offset + place, offset + place + len(word)))
        place += len(word)
    return found


def _longest(run: str, place: int, tokens: list[str], index: int, before: str) -> tuple[int, str]:
    """The longest word at a place and the index behind it; one character where no token fits.

    Tokens that are skipped must be parts of this word or of the one before.
    """
    best = (index, run[place])
    skipped: list[str] = []
    for ahead, token in enumerate(tokens[index : index + _WINDOW], start=index + 1):
        fits = run.startswith(token, place) and len(token) >= len(best[1])
        if fits and all(part in token or part in before for part in skipped):
            best = (ahead, token)
        skipped.append(token)
    return best
