"""Questions that hold no statement."""

import re
from collections.abc import Iterator

from memu_py.language.courtesies import courtesy

FEW_WORDS = 3
"""A question of so few words states nothing."""

FEW_CHARACTERS = 4
"""A Chinese clause of fewer characters states nothing."""

_MARK = re.compile(r"[?？][\"'”’」』）)\s]*\Z|[吗呢][。.!！~～…\s]*\Z")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_CLAUSES = re.compile(
    r"\s*[,;:，；：、—]\s*|\s+[-–]+\s+"
    r"|\s+(?:but|and|so)\s+(?=(?:what|how|who|where|when|why|do|did|have|are|is)\b)"
)
_AUXILIARIES = (
    "do|did|can|could|should|shall|may|might|must|will|would|am|are|was|were|have|had|has|don't|didn't|can't|"
    "couldn't|shouldn't|won't|wouldn't|haven't|if|whether"
)
_ASKING = (
    "what|who|whom|whose|which|when|where|why|how|what's|who's|where's|when's|why's|how's|how'd|how're|how've|"
    "what've|what'd|what're|where'd|do|does|did|don't|doesn't|didn't|is|are|am|was|were|isn't|aren't|wasn't|"
    "weren't|can|could|will|would|should|shall|may|might|must|can't|couldn't|won't|wouldn't|shouldn't|have|has|"
    "had|haven't|hasn't"
)
_OPENING = (
    "any|anything|anyone|anybody|anywhere|got|ready|wanna|want|know|care|mind|if|ever|been|heard|seen|tried|still|"
    "you|ya|u|whatcha|like|think|need|up|everything|all|in what|at what|on what|for what|to what|by any chance"
)
_INTRODUCING = (
    "and|but|so|oh|ah|hey|hi|hello|well|wow|ok|okay|yeah|yes|no|now|then|also|anyway|btw|by the way|just curious|"
    "out of curiosity|speaking of which|speaking of that|tell me|please|sorry|excuse me|hmm|um|haha|really|cool|"
    "nice|great|awesome|thanks|man|dude|guys|actually|lol|aww|in your opinion|if you don't mind me asking|"
    "if i may ask|i wonder"
)
_INTRODUCTION = rf"(?:(?:{_INTRODUCING})[\s,!.:—-]*)"
_INTRODUCTIONS = re.compile(rf"{_INTRODUCTION}+", re.IGNORECASE)
_ASKS = re.compile(rf"{_INTRODUCTION}*\b(?:{_ASKING})(?![\w'])", re.IGNORECASE)
_OPENS = re.compile(rf"{_INTRODUCTION}*\b(?:{_ASKING}|{_OPENING})(?![\w'])", re.IGNORECASE)
_FIRST_PERSON = re.compile(
    r"(?<![\w'])(?P<before>[\w']+[\s,]+)?(?:i|we)(?P<short>'(?:m|ve|d|ll|re))?(?![\w'])"
    r"|(?<![\w'])(?P<own>my|our)(?![\w'])",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"\b(?:did you (?:know|hear)|guess (?:what|who|where)|can you believe|(?:do you )?remember (?:when|that|how)|"
    r"have you heard(?! (?:of|from|any))|did i (?:tell|mention)|have i (?:told|mentioned)|you know what|"
    r"don't you (?:think|know))\b(?P<what>.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_TAG = re.compile(
    r",\s*(?:right|no|yeah|eh|huh|innit|correct|okay|ok|(?:is|are|was|were|do|does|did|has|have|had|can|could|will|"
    r"would|should|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|hasn't|haven't|hadn't|can't|couldn't|won't|"
    r"wouldn't|shouldn't)\s+(?:i|you|he|she|it|we|they|there|this|that))\s*[?？]+\W*\Z",
    re.IGNORECASE,
)
_CHINESE_ASKING = re.compile(
    "什么|谁|哪|怎么|怎样|为什么|为何|几[个点时次天号岁]|多少|多[大长久远高]|是不是|有没有|能不能|可不可以|要不要|会不会|"
    "好不好|对不对|想不想|喜不喜欢|知不知道|吗|呢|如何|啥|咋"
)
_CHINESE_TELLING = re.compile(
    r"[你您](?:知道|听说|猜|敢信|记得|还记得|知不知道|有没有听说)(?:吗|了吗|过吗|没)?(?P<what>.*)\Z",
    re.DOTALL,
)
_CHINESE_TAG = re.compile(
    r"[,，\s]*(?:你知道吗|你知道吧|对吗|对吧|是吗|是吧|是不是|好吗|不是吗|对不对)[?？。!！\s]*\Z"
)
_PUNCTUATION = re.compile(r"[\s\W]+")


def is_question(sentence: str) -> bool:
    """Whether a sentence is put as a question."""
    return bool(_MARK.search(sentence))


def states_nothing(question: str) -> bool:
    """Whether a question holds no statement beside what it asks; in doubt it holds one.

    >>> states_nothing("How are you?"), states_nothing("Did you know I moved to Berlin?")
    (True, False)
    """
    text = re.sub("[’‘`]", "'", question).strip()
    return _chinese_states_nothing(text) if _HAN.search(text) else _english_states_nothing(text)


def _english_states_nothing(text: str) -> bool:
    if _tells_of_oneself(text) or _tells(text) or _is_tagged(text):
        return False
    return all(_asks(clause, last=last) for clause, last in _clauses(text))


def _clauses(text: str) -> Iterator[tuple[str, bool]]:
    clauses = [clause for clause in _CLAUSES.split(text) if _words(clause)]
    for index, clause in enumerate(clauses):
        yield clause, index == len(clauses) - 1


def _asks(clause: str, *, last: bool) -> bool:
    if len(_words(clause)) <= (FEW_WORDS if last else FEW_WORDS - 1) or (_OPENS if last else _ASKS).match(
        clause
    ):
        return True
    return bool(_INTRODUCTIONS.fullmatch(clause)) or courtesy(clause) is not None


def _words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text)


def _tells_of_oneself(text: str) -> bool:
    """Whether I or we do something in it: "have you seen the dog I bought?", but not "can I help you?"."""
    for match in _FIRST_PERSON.finditer(text):
        before = (match.group("before") or "").strip(" ,").casefold()
        if match.group("own") or match.group("short"):
            return True
        if not re.fullmatch(_AUXILIARIES, before):
            return True
    return False


def _tells(text: str) -> bool:
    found = _TELLING.search(text)
    return bool(found) and len(_words(found.group("what") if found else "")) > 1


def _is_tagged(text: str) -> bool:
    found = _TAG.search(text)
    if not found:
        return False
    stated = text[: found.start()]
    return len(_words(stated)) >= FEW_WORDS and courtesy(stated) is None and not _ASKS.match(stated)


def _chinese_states_nothing(text: str) -> bool:
    tag = _CHINESE_TAG.search(text)
    if (
        tag
        and len(_plain(text[: tag.start()])) >= FEW_CHARACTERS
        and not _CHINESE_ASKING.search(text[: tag.start()])
    ):
        return False
    telling = _CHINESE_TELLING.search(text)
    if telling:
        what = _plain(telling.group("what").rstrip("吗呢?？ "))
        return len(what) < FEW_CHARACTERS or bool(_CHINESE_ASKING.search(what))
    clauses = [clause for clause in _CLAUSES.split(text) if _plain(clause)]
    return all(_chinese_asks(clause, last=index == len(clauses) - 1) for index, clause in enumerate(clauses))


def _chinese_asks(clause: str, *, last: bool) -> bool:
    if _CHINESE_ASKING.search(clause) or len(_plain(clause)) < FEW_CHARACTERS or courtesy(clause):
        return True
    return last and not re.search(r"我|咱|俺", clause)


def _plain(text: str) -> str:
    return _PUNCTUATION.sub("", text)
