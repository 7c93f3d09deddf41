"""How much a memory matters where nobody judged, from 1 to 8: 9 and 10 are left to who understands it.

4, and 1 more for each of: somebody speaks of himself; a name; a date or number; a strong feeling; a type that tells
of a person; 2 more for a turn of a life (married, moved, ill …) and for being told to remember; 1 less for a few words.
"""

import re

from memu_py.records.item import ItemDraft

USUAL = 4
LOWEST, HIGHEST = 1.0, 8.0
STRONG = 0.6
"""Valence from which a feeling is strong."""
FEW_WORDS, FEW_CHARACTERS = 5, 8
"""A text of fewer words, or of fewer Chinese characters, says little."""
PERSONAL = frozenset({"profile", "preference"})

_SELF = re.compile(r"\b(?:I|I'm|I’m|I've|my|mine|me|we|our|us)\b|我|咱", re.IGNORECASE)
_NUMBER = re.compile(r"\d")
_LIFE = re.compile(
    r"\b(?:marr(?:y|ied|iage)|wedding|engaged|divorc\w+|born|birth|birthday|pregnan\w+|died|dead|death|funeral"
    r"|passed away|moved?|moving|hired|fired|quit|resign\w*|retire\w*|promot(?:ed|ion)|new job|graduat\w+|diagnos\w+"
    r"|surgery|hospital|cancer|allerg\w+|accident|adopt(?:ed|ion)|broke up)\b"
    r"|结婚|婚礼|订婚|离婚|分手|出生|生日|怀孕|去世|过世|葬礼|搬家|搬到|入职|离职|辞职|失业|退休|升职|毕业|确诊|手术"
    r"|住院|癌|过敏|车祸|事故|收养",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\b(?:remember (?:that|this|my|to|me)|please remember|don['’]t forget|note that|important"
    r"|keep in mind|never forget)\b"
    r"|记住|记得|别忘|不要忘|重要|牢记",
    re.IGNORECASE,
)
_HAN = re.compile(r"[\u4e00-\u9fff]")


def importance(draft: ItemDraft) -> float:
    """Return how much a draft matters, by what stands in it.

    >>> importance(ItemDraft(type="fact", text="Remember that I am allergic to nuts!"))
    8.0
    >>> importance(ItemDraft(type="fact", text="It is nice out today."))
    4.0
    """
    text = draft.text
    spoken = (draft.speaker or "").casefold()
    points = USUAL
    points += bool(_SELF.search(text))
    points += any(name.casefold() != spoken for name in draft.entities)
    points += draft.happened is not None or bool(_NUMBER.search(text))
    points += draft.emotion is not None and abs(draft.emotion.valence) >= STRONG
    points += draft.type in PERSONAL
    points += 2 * bool(_LIFE.search(text)) + 2 * bool(_ASKED.search(text))
    points -= _says_little(text)
    return min(max(float(points), LOWEST), HIGHEST)


def _says_little(text: str) -> bool:
    han = len(_HAN.findall(text))
    return han < FEW_CHARACTERS if han else len(text.split()) < FEW_WORDS
