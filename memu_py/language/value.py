"""Whether a text holds anything to remember."""

from typing import Literal

from memu_py.language.courtesies import courtesy
from memu_py.language.questions import is_question, states_nothing
from memu_py.language.sentences import sentences

NoValue = Literal["empty", "greeting", "farewell", "acknowledgement", "question"]
"""Why a text holds no memory."""

_ORDER: tuple[NoValue, ...] = ("question", "greeting", "farewell", "acknowledgement")


def assess(text: str) -> NoValue | None:
    """Return why a text holds no memory, None when it is worth keeping.

    It holds none only if each of its sentences is a greeting, a farewell, a bare acknowledgement or a question
    that states nothing. What the rules do not know is kept.

    >>> assess("Thanks! That's so sweet."), assess("How are you?"), assess("I went to Paris, have you been?")
    ('acknowledgement', 'question', None)
    """
    found: set[NoValue] = set()
    for start, end in sentences(text):
        kind = _kind(text[start:end])
        if kind is None:
            return None
        found.add(kind)
    return next((kind for kind in _ORDER if kind in found), "empty")


def _kind(sentence: str) -> NoValue | None:
    if not any(char.isalnum() for char in sentence):
        return "empty"
    kind = courtesy(sentence)
    if kind is not None:
        return "acknowledgement" if kind == "answer" else kind
    return "question" if is_question(sentence) and states_nothing(sentence) else None
