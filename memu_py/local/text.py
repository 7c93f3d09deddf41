"""Texts as tokenisers can take them."""


def valid(text: str) -> str:
    r"""Return a text with U+FFFD in the place of what is no valid Unicode, and of NUL.

    >>> valid("a\ud800b")
    'a\ufffdb'
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
