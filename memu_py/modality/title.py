"""A line to show for a resource."""

import re
from urllib.parse import unquote

MAX_TITLE_CHARS = 80
ELLIPSIS = "…"

_CONVERSATION = "conversation://"


def title(
    *, heading: str | None = None, name: str | None = None, url: str | None = None, text: str = ""
) -> str:
    r"""Return a line of at most 80 characters: the first of these that says anything.

    Args:
        heading: what the resource calls itself.
        name: its file name.
        url: its address, of which a conversation's id is shown.
        text: its first words will do.

    >>> title(heading=" Garden\n notebook ", name="notes.md")
    'Garden notebook'
    >>> title(url="conversation://chat-123", text="Hello there")
    'chat-123'
    """
    for candidate in (heading, name, _conversation(url), text):
        if candidate and (line := one_line(candidate)):
            return line
    return ""


def one_line(text: str, *, max_chars: int = MAX_TITLE_CHARS) -> str:
    """Return the beginning of a text as one line, cut between words where there are any.

    >>> one_line("one  two three", max_chars=9)
    'one two…'
    """
    line = " ".join(text[: max_chars * 8].split())
    if len(line) <= max_chars:
        return line
    cut = line[: max_chars - len(ELLIPSIS)]
    if not line[len(cut)].isspace():
        cut = re.sub(r"\s\S{1,20}$", "", cut)
    return cut.rstrip(" ,;:，；：、.-") + ELLIPSIS


def _conversation(url: str | None) -> str | None:
    if url and url.startswith(_CONVERSATION):
        return unquote(url.removeprefix(_CONVERSATION))
    return None
