"""Reading JSON that may be large: element by element, so that only one is in memory at a time."""

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from typing import IO, Any

from memu_py.errors import InvalidInput
from memu_py.modality.messages import finite
from memu_py.modality.raw import MB

CHUNK = MB
MARGIN = 256
"""Characters that are kept when a pattern is looked for, in case it began in them."""

LIST = (re.compile(r"\s*\["),)
_SPACE = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder(parse_constant=lambda _: None, parse_float=finite)


def loads(text: str) -> Any:
    """Return the value of a JSON text; NaN and infinities, which JSON does not have, are None.

    Raises:
        json.JSONDecodeError: it is no JSON.
        InvalidInput: it is too deep, or holds a number that nobody can read.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:
        raise _unusable(error) from error


def elements(stream: IO[bytes], what: str, *, within: Sequence[re.Pattern[str]] = LIST) -> Iterator[Any]:
    """Yield the elements of a list in JSON; or the one value that a text is, where it begins with no list.

    Args:
        stream: UTF-8.
        what: is read, for messages.
        within: patterns that lead to the opening bracket, one behind the other. Where one is not found there are none.

    Raises:
        InvalidInput: it is no JSON; those before the fault have been yielded.
    """
    window = _Window(stream, what)
    if within is LIST and window.peek() != "[":
        yield window.value()
        return
    if not all(map(window.skip, within)):
        return
    while (char := window.peek()) != "]":
        if not char:
            msg = f"{what} is cut off"
            raise InvalidInput(msg)
        yield window.value()


class _Window:
    """A part of a text that comes from a stream."""

    def __init__(self, stream: IO[bytes], what: str) -> None:
        self._stream = stream
        self._what = what
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._text = ""
        self._at = 0

    def _more(self) -> bool:
        """Read on, as much again as there is: an element is begun anew only a few times. False at the end."""
        data = self._stream.read(max(CHUNK, len(self._text)))
        self._text = self._text[self._at :] + self._decoder.decode(data, final=not data)
        self._at = 0
        return bool(data)

    def peek(self) -> str:
        """Return the next character that is no space or comma; nothing at the end."""
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def skip(self, pattern: re.Pattern[str]) -> bool:
        """Go on behind a pattern; False where it does not come."""
        while (found := pattern.search(self._text, self._at)) is None:
            self._at = max(self._at, len(self._text) - MARGIN)
            if not self._more():
                return False
        self._at = found.end()
        return True

    def value(self) -> Any:
        """Return the next value."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._more():
                    msg = f"{self._what} is no well-formed JSON: {error.msg}"
                    raise InvalidInput(msg, hint="was it saved whole?") from error
            except (RecursionError, ValueError) as error:
                raise _unusable(error) from error
            else:
                whole = end < len(self._text)
                # What ends with the text read so far may be the beginning of something longer.
                if whole or not self._more():
                    self._at = end if whole else len(self._text)
                    return value


def _unusable(error: Exception) -> InvalidInput:
    reason = "it is nested too deep" if isinstance(error, RecursionError) else error
    return InvalidInput(f"not usable JSON: {reason}")
