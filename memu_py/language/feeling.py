"""The feeling in what somebody says, by rules: VADER for English; nothing for other languages.

Valence is VADER's compound score (Hutto & Gilbert, ICWSM 2014). VADER tells nothing of arousal, so that is reckoned
from how strong the valence is, with which it grows on average (Kuppens et al., Psychological Bulletin 139, 2013), and
from exclamation marks and words in capitals. A label is the word by which the text itself names a feeling, else the
quadrant of the circumplex (Russell, J. Personality and Social Psychology 39, 1980).
"""

import functools
import re

from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from memu_py.language.tongue import language_of
from memu_py.language.wordlist import words
from memu_py.records.item import Emotion

LEAST_VALENCE = 0.3
"""What is weaker is no feeling: a polite word is as strong."""
CALM, BY_VALENCE, BY_MARK, MOST_MARKS = 0.2, 0.5, 0.1, 3
"""Arousal: what is always there, what a valence of 1 adds, what each mark of emphasis adds, and how many count."""
STIRRED = 0.6
"""Arousal from which a feeling has the name of its stirred quadrant."""
DIGITS = 4

_GOOD = {
    **dict.fromkeys(words("happy glad delighted cheerful joyful"), "happy"),
    **dict.fromkeys(words("excited thrilled ecstatic"), "excited"),
    **dict.fromkeys(words("grateful thankful"), "grateful"),
    **dict.fromkeys(words("proud relieved hopeful amused calm"), ""),
}
_BAD = {
    **dict.fromkeys(words("sad unhappy heartbroken depressed miserable"), "sad"),
    **dict.fromkeys(words("angry furious outraged livid"), "angry"),
    **dict.fromkeys(words("annoyed irritated frustrated"), "annoyed"),
    **dict.fromkeys(words("afraid scared frightened terrified"), "afraid"),
    **dict.fromkeys(words("anxious worried nervous stressed overwhelmed"), "anxious"),
    **dict.fromkeys(words("ashamed embarrassed"), "ashamed"),
    **dict.fromkeys(words("lonely disappointed jealous guilty bored disgusted"), ""),
}
"""Words by which a feeling is named, and what it is then called; empty for the word itself."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# Words of one language each: `die` and `war` are German more often than VADER thinks.
_ENGLISH = words("""
the of and to is are were my your his her their our it it's i i'm i've you we they this that with for not have has had
been be but so what when who she he at from by do don't did can will would
""")
_OTHERS = words("""
der die das und ist ich nicht ein eine mit auf für wir sie war den dem le la les et est je que une des dans pas pour
el los las una por con muy es il che di per non een het de ik niet og det er på och att som ja nie
""")


@functools.cache
def _vader() -> SentimentIntensityAnalyzer:
    return SentimentIntensityAnalyzer()


def feeling(text: str) -> Emotion | None:
    """Return the feeling in a text; None where there is none to speak of, or no rules for its language.

    >>> feeling("I'm so happy that I got the job!").label, feeling("What a wonderful evening that was!").label
    ('happy', 'excited')
    >>> feeling("The meeting is at three.") is None, feeling("我很高兴") is None
    (True, True)
    """
    if language_of(text) != "en" or not _is_english(text):
        return None
    valence = float(_vader().polarity_scores(text)["compound"])
    if abs(valence) < LEAST_VALENCE:
        return None
    arousal = min(1.0, CALM + BY_VALENCE * abs(valence) + BY_MARK * min(_marks(text), MOST_MARKS))
    return Emotion(
        valence=round(valence, DIGITS),
        arousal=round(arousal, DIGITS),
        label=_named(text, valence) or label_of(valence, arousal),
    )


def _named(text: str, valence: float) -> str | None:
    """Return the name of the feeling that a text names first, if it points where the whole text does.

    >>> _named("I was so furious!", -0.6), _named("I am not angry, I am happy", 0.5), _named("It was awful", -0.5)
    ('angry', 'happy', None)
    """
    names = _GOOD if valence >= 0 else _BAD
    said = [word.lower() for word in _WORD.findall(text)]
    return next((names[word] or word for word in said if word in names), None)


def label_of(valence: float, arousal: float) -> str:
    """Return the name of a feeling that has none: that of its quadrant.

    >>> label_of(0.8, 0.9), label_of(0.5, 0.3), label_of(-0.8, 0.9), label_of(-0.5, 0.3)
    ('excited', 'content', 'distressed', 'sad')
    """
    if valence >= 0:
        return "excited" if arousal >= STIRRED else "content"
    return "distressed" if arousal >= STIRRED else "sad"


def _is_english(text: str) -> bool:
    told = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    english = sum(word in _ENGLISH for word in told)
    others = sum(word in _OTHERS for word in told)
    return english > others or (not english and not others and text.isascii())


def _marks(text: str) -> int:
    told = _WORD.findall(text)
    loud = [word for word in told if len(word) > 2 and word.isupper()]
    return text.count("!") + (len(loud) if len(loud) < len(told) else 0)
