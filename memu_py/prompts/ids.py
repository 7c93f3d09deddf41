"""The short ids by which a model is shown turns and records, such as `[t3]`, and names them again."""


def bare_id(name: str) -> str:
    """Return an id as it was shown, from the way in which a model wrote it.

    >>> bare_id(" [I3] ")
    'i3'
    """
    return name.strip().strip("[]").casefold()
