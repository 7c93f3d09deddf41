"""The nearest known name, for error messages that help."""

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like this one, or None when nothing is near.

    >>> nearest("backnd", ["backend", "path"])
    'backend'
    """
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return found[0] if found else None


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Return a message for an unknown name: what it is, what exists, and what was perhaps meant.

    >>> unknown("step", "fues", ["fuse", "rank"])
    'no step `fues`; did you mean `fuse`? there are fuse, rank'
    """
    names = sorted(known)
    guess = nearest(name, names)
    hint = f"did you mean `{guess}`? " if guess else ""
    return f"no {what} `{name}`; {hint}there are {', '.join(names) or 'none'}"
