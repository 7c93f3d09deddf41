"""Finding JSON in what a model wrote: inside thoughts' end, fences and prose.

Everything here takes time in proportion to the text, whatever the text is.
"""

import dataclasses
import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

import json_repair

LONGEST_LOOSE = 200_000
"""Characters up to which a text is read loosely."""

WORK_PER_CHAR = 32
"""Characters that may be looked at for each one of the text, before the search is given up."""

DEEP_COST = 10_000
"""What brackets that are nested too deeply cost, in characters."""

_THOUGHT = re.compile(
    r"\s*<(think|thinking|thought|reasoning|reflection)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning|reflection)>", re.IGNORECASE)
_QUOTE = re.compile(r"(?:[^\\\"]|\\.)*+\"")
_FENCE = re.compile(r"```[\w+-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_START = re.compile(r"[{\[]")
_LONE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\ud[89a-f]", re.IGNORECASE)


def _refuse(word: str) -> NoReturn:
    msg = f"{word} is no JSON"
    raise ValueError(msg)


# Raw line breaks in strings are a common slip, and cannot be misread.
_DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse)


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """A value in a text.

    Attributes:
        data: the value.
        whole: whether nothing before it looked like the beginning of another value, which it might be a part of.
    """

    data: Any
    whole: bool


class Effort:
    """How much looking is left.

    Args:
        text: what is searched.
    """

    def __init__(self, text: str) -> None:
        self._left = WORK_PER_CHAR * len(text) + 1

    def spend(self, chars: int) -> bool:
        """Take note of some work; return whether there may be more."""
        self._left -= chars + 1
        return self._left > 0


def answer_of(text: str) -> str:
    """Return a text without the thoughts before the answer."""
    shown = text
    while (found := _THOUGHT.match(shown)) is not None:
        shown = shown[found.end() :]
    # Some servers swallow the tag that opens.
    ends = [end.end() for end in _THOUGHT_END.finditer(shown) if not _is_quoted(shown, end.start())]
    last = shown[ends[-1] :] if ends else shown
    return last if _START.search(last) else shown


def _is_quoted(text: str, position: int) -> bool:
    """Return whether a place lies inside a string of JSON, which never goes over the end of a line."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return len(_QUOTE.findall(line)) % 2 == 1


def values(text: str) -> Iterator[Found]:
    """Yield what is valid JSON in a text, the likeliest to be the answer first: all, fences from the last, objects."""
    whole = text.strip()
    if (found := _loads(whole)) is not None:
        yield Found(found, whole=True)
        return
    for body in reversed(_FENCE.findall(text)):
        if (found := _loads(body.strip())) is not None:
            yield Found(found, whole=True)
    for _, found in sorted(_spans(text), key=_length, reverse=True):
        yield found


def _length(span: tuple[int, Found]) -> int:
    return span[0]


def _loads(text: str) -> Any:
    """Return what a text is as JSON; None when it is none."""
    if not text.startswith(("{", "[")):
        return None
    try:
        data, end = decode(text, 0)
    except json.JSONDecodeError:
        return None
    return None if text[end:].strip() else data


def _spans(text: str) -> Iterator[tuple[int, Found]]:
    effort, position, whole = Effort(text), 0, True
    while (start := _START.search(text, position)) is not None:
        try:
            data, position = decode(text, start.start())
        except json.JSONDecodeError as error:
            position, whole = start.end(), False
            if not effort.spend(error.pos - start.start()):
                return
        else:
            yield position - start.start(), Found(data, whole=whole)


def outermost(text: str) -> str:
    """Return a text from its first opening bracket to its last closing one; empty when there are none."""
    start = _START.search(text)
    return text[start.start() : max(text.rfind("}"), text.rfind("]")) + 1] if start else ""


def decode(text: str, start: int) -> tuple[Any, int]:
    """Read one value.

    Args:
        text: around it.
        start: where it begins.

    Returns:
        The value, and where it ends.

    Raises:
        json.JSONDecodeError: it is no valid JSON; with the position.
    """
    try:
        data, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError:
        raise
    except RecursionError as error:
        raise json.JSONDecodeError("nested too deeply", text, min(start + DEEP_COST, len(text))) from error
    except ValueError as error:
        # A number too long, or a word such as NaN.
        raise json.JSONDecodeError(str(error), text, min(start + 1, len(text))) from error
    return _clean(data, text[start:end]), end


def loose(text: str) -> Any:
    """Read JSON with faults: quotes, commas or brackets too many or too few.

    Returns:
        None when nothing can be made of it.
    """
    if len(text) > LONGEST_LOOSE:
        return None
    try:
        data = json_repair.loads(text, skip_json_loads=True)
        return _clean(data, text) if isinstance(data, dict | list) else None
    except (ValueError, RecursionError, LookupError, TypeError):
        return None


def _clean(data: Any, source: str) -> Any:
    """Return data without halves of surrogate pairs, which are no text."""
    if not _ESCAPED_SURROGATE.search(source) and not _LONE.search(source):
        return data
    if isinstance(data, str):
        return _LONE.sub("\ufffd", data)
    if isinstance(data, list):
        return [_clean(one, source) for one in data]
    if isinstance(data, dict):
        return {_clean(key, source): _clean(one, source) for key, one in data.items()}
    return data
