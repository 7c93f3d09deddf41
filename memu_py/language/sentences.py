"""Where sentences begin and end, and how they are packed into groups.

Offsets are exact: `text[start:end]` is the sentence, without the white space around it. Between two spans
lies nothing but white space.
"""

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from operator import itemgetter

from memu_py.errors import InvalidInput
from memu_py.language.abbreviations import ALWAYS, BEFORE_CAPITAL, BEFORE_DIGIT

Span = tuple[int, int]

WRAPPED_LINE_CHARS = 50
"""A line at least this long that ends without a full stop was wrapped: its sentence goes on below it."""

_LOOK_BACK = 16
_SPACE = re.compile(r"\s+")
_LINE_BREAK = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
_FENCE = re.compile(r"^(```|~~~)(.*)$", re.MULTILINE)
_INLINE_CODE = re.compile(r"`[^`\n]+`")
_TERMINAL = re.compile(r"[.!?…。！？．｡]+[\"'”’»)\]}」』》】）*_]*")
_EMOTION = re.compile(r"(?:[ \t]*(?:[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F\u200D]+|[:;]-?[)(DP](?!\w)))*")
_WORD_BEFORE = re.compile(r"[^\W\d_](?:[^\W\d_]|\.)*\Z")
_LIST_MARK = re.compile(r"\s*(?:[-*>#]+[ \t]*)?\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})\Z")
_BLOCK_START = re.compile(
    r"[-*+•>#|=~`]|\(?\d{1,3}[.)、]|[（(]?[一二三四五六七八九十]{1,3}[）)、]|\S{1,30}[:：]\s"
)
_CLOSING_LINE = re.compile(r"[.!?…。！？．｡:：;；|\"'”’」』》】）)]\Z")
_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CLAUSE_END = re.compile(r"[,;:，；：、—]")
_QUOTES = frozenset("\"'”’»」』》】")


def sentences(text: str) -> list[Span]:
    """Return the sentences of a text, English or East Asian, in order.

    Abbreviations, decimals, initials, list numbers, addresses, quotes and code do not end a sentence. A blank
    line does; so does the end of a short line, while a long one that stops in mid-sentence was only wrapped.

    >>> text = "Dr. Lee paid 3.50 for it. Good!  我喜欢茶。你呢？"
    >>> [text[start:end] for start, end in sentences(text)]
    ['Dr. Lee paid 3.50 for it.', 'Good!', '我喜欢茶。', '你呢？']
    """
    code = _code(text)
    cuts = sorted({*_outside(_line_cuts(text), code), *_outside(_stops(text), code)})
    return list(_trimmed(text, [0, *cuts, len(text)]))


def groups(text: str, *, max_chars: int) -> list[Span]:
    """Return groups of neighbouring sentences, each as long as fits and never across a blank line.

    Args:
        text: the text.
        max_chars: the most characters in a group; a longer sentence is split, at a clause where there is one.

    Raises:
        InvalidInput: `max_chars` is below 1.

    >>> text = "One two. Three four. Five."
    >>> [text[start:end] for start, end in groups(text, max_chars=20)]
    ['One two. Three four.', 'Five.']
    """
    if max_chars < 1:
        msg = f"max_chars must be at least 1, not {max_chars}"
        raise InvalidInput(msg)
    found: list[Span] = []
    for start, end in _short_enough(text, max_chars):
        if found and end - found[-1][0] <= max_chars and not _blank_line(text[found[-1][1] : start]):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _code(text: str) -> list[Span]:
    """Fenced blocks and code in a line; a fence that is never closed is no fence."""
    spans: list[Span] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence.group(1) == opened.group(1) and not fence.group(2).strip():
            spans.append((opened.start(), fence.end()))
            opened = None
    inline = [match.span() for match in _INLINE_CODE.finditer(text)]
    return sorted([*spans, *(span for span in inline if _covering(spans, span[0]) is None)])


def _covering(spans: list[Span], place: int) -> Span | None:
    nearest = bisect_right(spans, place, key=itemgetter(0)) - 1
    return spans[nearest] if nearest >= 0 and place < spans[nearest][1] else None


def _outside(cuts: Iterable[int], spans: list[Span]) -> Iterator[int]:
    for cut in cuts:
        span = _covering(spans, cut)
        if span is None or span[0] == cut:
            yield cut


def _trimmed(text: str, cuts: list[int]) -> Iterator[Span]:
    for start, end in itertools.pairwise(cuts):
        piece = text[start:end]
        left = start + len(piece) - len(piece.lstrip())
        right = start + len(piece.rstrip())
        if left < right:
            yield left, right


def _blank_line(space: str) -> bool:
    return len(_LINE_BREAK.findall(space)) > 1


def _line_cuts(text: str) -> Iterator[int]:
    line_start = 0
    for match in _SPACE.finditer(text):
        breaks = len(_LINE_BREAK.findall(match.group()))
        if not breaks:
            continue
        if breaks > 1 or not _wrapped(text[line_start : match.start()], text, match.end()):
            yield match.end()
        line_start = match.end()


def _wrapped(line: str, text: str, following: int) -> bool:
    """Whether a line break lies within a sentence."""
    if _CLOSING_LINE.search(line) or line.startswith("#") or _BLOCK_START.match(text, following):
        return False
    return len(line) >= WRAPPED_LINE_CHARS


def _stops(text: str) -> Iterator[int]:
    for match in _TERMINAL.finditer(text):
        end = _with_emotion(text, match.end())
        if end == len(text) or _is_stop(text, match, end):
            yield end


def _with_emotion(text: str, end: int) -> int:
    match = _EMOTION.match(text, end)
    return match.end() if match else end


def _is_stop(text: str, match: re.Match[str], end: int) -> bool:
    mark = match.group().rstrip("\"'”’»)]}」』》】）*_")
    quoted = bool(_QUOTES.intersection(match.group()))
    after = text[end]
    if any(char in "。！？｡" for char in mark):
        return not quoted or not _EAST_ASIAN.match(after)
    if not after.isspace():
        return mark[-1] in "!?" and bool(_EAST_ASIAN.match(after))
    following = text[end : end + _LOOK_BACK].lstrip()[:1]
    if following.islower() and (quoted or mark[-1] == "…" or (len(mark) > 1 and mark[-1] == ".")):
        return False
    return mark != "." or not _abbreviated(text, match.start(), following)


def _abbreviated(text: str, stop: int, following: str) -> bool:
    """Whether a full stop belongs to an abbreviation, an initial or the number of a list."""
    before = text[max(0, stop - _LOOK_BACK) : stop]
    line_start = max(before.rfind("\n"), before.rfind("\r"))
    if (line_start >= 0 or stop <= _LOOK_BACK) and _LIST_MARK.match(before, line_start + 1):
        return True
    found = _WORD_BEFORE.search(before)
    if not found:
        return False
    word = found.group()
    if len(word) == 1:
        return word.isupper() and word.isascii() and word != "I"
    word = word.casefold()
    if word in BEFORE_DIGIT:
        return following.isdigit()
    return word in ALWAYS or (word in BEFORE_CAPITAL and not following.isupper())


def _short_enough(text: str, max_chars: int) -> Iterator[Span]:
    for start, end in sentences(text):
        rest = start
        while end - rest > max_chars:
            cut = _clause(text, rest, rest + max_chars)
            yield from _trimmed(text, [rest, cut])
            rest = cut + len(text[cut:end]) - len(text[cut:end].lstrip())
        if rest < end:
            yield rest, end


def _clause(text: str, start: int, limit: int) -> int:
    """The best place to split up to the limit: after a clause, else at white space, else at the limit."""
    half = start + (limit - start) // 2
    clauses = [match.end() for match in _CLAUSE_END.finditer(text, half, limit)]
    if clauses:
        return clauses[-1]
    spaces = [match.end() for match in _SPACE.finditer(text, start, limit + 1) if match.start() > start]
    return min(spaces[-1], limit) if spaces else limit
