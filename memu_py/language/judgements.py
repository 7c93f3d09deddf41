"""Judgements of a person that nobody made: what a model concludes of personality, values, faith, politics or health.

A memory keeps what was said. "I am shy" may be remembered; "the user is introverted", drawn from how somebody writes,
may not. So a judging word counts as said when it, or another word of its root, stands in the source.
"""

import re
from collections.abc import Iterable, Mapping

# Root of an English word -> how it goes on; the root is looked for in the source.
_PERSONALITY = (
    "introver", "extrover", "extraver", "neurotic", "conscientious", "agreeable", "narcissis", "perfectionis",
    "optimis", "pessimis", "impulsiv", "insecure", "empath", "manipulat", "assertive", "personality", "temperament",
    "character trait", "egois", "selfish", "stubborn", "open-minded", "narrow-minded", "workaholic", "idealis",
)  # fmt: skip
_BELIEFS = (
    "conservativ", "liberal", "republican", "democrat", "socialis", "communis", "libertarian", "left-wing",
    "right-wing", "feminis", "nationalis", "politically", "religious", "atheis", "agnostic", "christian",
    "catholic", "protestant", "muslim", "islam", "buddhis", "hindu", "jewish", "spiritual", "believes in",
    "value system", "moral values",
)  # fmt: skip
_HEALTH = (
    "depress", "bipolar", "autis", "adhd", "anxiety disorder", "eating disorder", "addict", "alcoholi", "schizo",
    "mentally ill", "traumati", "burnout", "homosexual", "heterosexual", "bisexual", "transgender",
    "sexual orientation",
)  # fmt: skip
_ENGLISH = re.compile(
    rf"\b(?P<root>{'|'.join(map(re.escape, (*_PERSONALITY, *_BELIEFS, *_HEALTH)))})", re.IGNORECASE
)
# "Ann values honesty" judges; "the values of x" does not.
_VALUES = re.compile(
    r"\b[A-Z一-鿿]\w*\s+(?:\w+ly\s+)?(?P<root>values|cherishes|prizes)\s+(?!of\b|are\b|from\b|in\b|for\b)[a-z]"
)
_CHINESE = re.compile(
    "(?P<root>内向|外向|神经质|责任心强|有责任心|自恋|完美主义|乐观主义|乐观|悲观|冲动型|没有安全感|缺乏安全感|控制欲|以自我为中心|自私"
    "|固执|性格|人格|气质|价值观|人生观|世界观|注重家庭|重视家庭|看重|崇尚|保守派|自由派|左派|右派|左翼|右翼|政治立场|政治倾向|民族主义"
    "|女权主义|宗教信仰|信仰|无神论|信教|基督徒|天主教徒|穆斯林|佛教徒|道教徒|抑郁|躁郁|双相|自闭|多动症|焦虑症|强迫症|进食障碍|成瘾"
    "|酗酒|精神分裂|心理创伤|同性恋|异性恋|双性恋|跨性别|性取向)"
)
_STEMS: Mapping[str, str] = {
    "values": "value",
    "cherishes": "cherish",
    "prizes": "prize",
    "有责任心": "责任心",
    "责任心强": "责任心",
}


def judgements(text: str) -> set[str]:
    """Return the roots of the judging words of a text.

    >>> sorted(judgements("Ann is introverted and politically conservative."))
    ['conservativ', 'introver', 'politically']
    """
    found = (match["root"].lower() for one in (_ENGLISH, _VALUES, _CHINESE) for match in one.finditer(text))
    return {_STEMS.get(root, root) for root in found}


def inferred(text: str, said: Iterable[str]) -> bool:
    """Tell whether a text judges a person in a word that its sources do not say.

    Args:
        text: a memory as a model wrote it.
        said: what it rests on.

    >>> inferred("Ann is introverted.", ["I stayed at home again."]), inferred("Ann is shy.", ["I'm shy."])
    (True, False)
    """
    roots = judgements(text)
    if not roots:
        return False
    whole = "\n".join(said).lower()
    return any(root not in whole for root in roots)
