"""What a question asks for."""

import re
from collections.abc import Iterable

_HAN = re.compile(r"[\u3400-\u9fff]")
_WHEN = re.compile(
    r"\b(?:when|how long|(?:what|which) (?:date|day|month|year|time|weekend|week|season))\b", re.IGNORECASE
)
_CHINESE_WHEN = re.compile(
    r"什么时候|什么时间|何时|几时|啥时候|多久|多长时间|(?:哪|几)(?:一)?(?:天|日|号|月|年|周|点)|星期几|周几|什么日期"
)

_FEELING = re.compile(r"\bhow\b.*\b(?:feel|feels|feeling|felt)\b", re.IGNORECASE)
_CHINESE_FEELING = re.compile(
    r"(?:感觉|觉得|感受|心情|情绪).*(?:怎么样|怎样|如何|什么)|(?:怎么样|怎样|什么|如何)的?(?:感觉|感受|心情)"
)
FEELING_WORDS = ("feel", "feels", "feeling", "felt", "感觉", "觉得", "感受", "心情", "情绪")
"""Words that ask for a feeling, and name none: whoever tells of one names it."""

_NOW = re.compile(r"\b(?:now|nowadays|these days|currently|meanwhile|by now)\b|现在|如今|目前", re.IGNORECASE)


def asks_when(question: str) -> bool:
    """Whether a question asks for a time.

    >>> asks_when("When did Ann move?"), asks_when("Where did Ann move?"), asks_when("小李什么时候搬家的？")
    (True, False, True)
    """
    return bool(_WHEN.search(question) or _CHINESE_WHEN.search(question))


def asks_feeling(question: str) -> bool:
    """Whether a question asks how something felt.

    >>> asks_feeling("How did Ann feel about the interview?"), asks_feeling("小李对面试感觉怎么样？")
    (True, True)
    >>> asks_feeling("How did Ann get there?")
    False
    """
    return bool(_FEELING.search(question) or _CHINESE_FEELING.search(question))


def says_now(text: str) -> bool:
    """Whether a text says that something is so now, as who speaks of a change does.

    >>> says_now("My favourite tea is oolong now."), says_now("我现在最喜欢普洱茶。"), says_now("I know it.")
    (True, True, False)
    """
    return bool(_NOW.search(text))


def without_now(text: str) -> str:
    """Return a text without the words by which it says that something is so now.

    >>> without_now("Now I live in Porto.")
    ' I live in Porto.'
    """
    return _NOW.sub("", text)


def without_names(question: str, names: Iterable[str]) -> str:
    """Return a question without the names of people; the question itself when nothing else is in it.

    >>> without_names("What does Ann's sister play?", ["Ann"])
    'What does sister play?'
    """
    rest = question
    for word in {word for name in names for word in name.split()}:
        named = re.escape(word)
        if not _HAN.search(word):
            named = rf"\b{named}(?:['’]s?)?(?!\w)"
        rest = re.sub(named, " ", rest, flags=re.IGNORECASE)
    rest = " ".join(rest.split())
    return rest if any(char.isalnum() for char in rest) else question
