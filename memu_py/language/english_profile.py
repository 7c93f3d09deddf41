"""What English sentences in the first person say of the speaker: "I'm a nurse", "I no longer like coffee".

Cautious rules: a clause counts only if it begins with the speaker and says, of now, one of the forms below.
"""

import re
from collections.abc import Iterator, Mapping

from memu_py.language.claim import FAIR, Claim, ClaimRule, Reading, ending, one
from memu_py.language.profile_words import (
    ANIMALS,
    INSTRUMENTS,
    LANGUAGES,
    NO_TRADE,
    ONLY_ONE,
    SEVERAL,
    TRADES,
)
from memu_py.language.wordlist import alternatives, words

UNREAL = re.compile(
    r"\?|[\"“”]|\b(?:if|unless|would|might|maybe|perhaps|could|should|wish|wishes|hope|hopes|want|wants|"
    r"plan|plans|planning|almost|nearly|pretend|imagine|suppose|supposing|assume|assuming|hypothetically|kidding|"
    r"joking|dreamt|dreamed|as though|say|says|said|tell|tells|told|asked|asks|claim|claims|claimed|wrote|heard|"
    r"according|thinks|thought|believes|used to|until recently|role-?play|for example|e\.g)\b",
    re.IGNORECASE,
)
"""What a sentence must not have: it asks, wishes, supposes, or says what others say."""
_MAY = re.compile(r"\bmay\b")
"""The verb; the month has a capital letter."""

_SHORT = (
    (re.compile(r"[’ʼ`]"), "'"),
    (re.compile(r"\bI'm\b", re.IGNORECASE), "I am"),
    (re.compile(r"\bI've\b", re.IGNORECASE), "I have"),
    (re.compile(r"\b(?:can't|cannot)\b", re.IGNORECASE), "can not"),
    (re.compile(r"\b(do|does|is|have|has)n't\b", re.IGNORECASE), r"\1 not"),
)
_CLAUSES = re.compile(
    r"\s*[,;:()]+\s*|\s+[-–—]+\s+|\s+(?:and|but|so|because|while|though|although|since)\s+(?=(?:I|my)\b)",
    re.IGNORECASE,
)
_FILLING = re.compile(
    r"^(?:(?:well|yes|yeah|yep|oh|hi|hello|hey|so|and|but|actually|also|honestly|btw|by the way|fyi|now|currently|"
    r"nowadays|these days|to be honest|anyway|finally|recently|plus|then|no|right now|at the moment)\s+)+",
    re.IGNORECASE,
)
_ADVERB = (
    r"(?:(?:currently|now|still|actually|also|really|absolutely|truly|just|recently|finally|already|always|both|"
    r"mostly|mainly|very|fluently|do|even|particularly|especially|generally|officially|severely|mildly|highly)\s+)*"
)
_STOP = (
    r"(?=\s+(?:and|but|so|because|since|as|with|for|at|in|from|during|after|before|when|while|although|though|who|which|"
    r"that|more|most|these|nowadays|now|too|lately|right|every|on|by|very|a lot|so much)\b|\s*[.!…]*$)"
)
_END = r"(?:\s+(?:now|too|again|here|these days|at the moment|today|as well|already))*\s*[.!…]*$"
_NAME = r"[A-Z][\w'.-]*(?:\s+(?:de|da|van|von|bin|al|of|the|&|[A-Z][\w'.&-]*))*(?<![.])"
_ONE_NAME = r"[A-Z][\w'-]*(?:\s+[A-Z][\w'-]*){0,2}"
_PLACE = rf"(?:the\s+)?(?P<v>{_NAME})"
_I = rf"(?i:I)\s+{_ADVERB}"
_AM = rf"{_I}am\s+{_ADVERB}"
_THING = rf"(?P<v>\S+(?:\s+\S+){{0,5}}?){_STOP}"
_THINGS = _THING.replace("(?:and|", "(?:")
MORE_WORDS = 2
"""Words at most of a thing that stands behind "and"."""
_NO_THING = words(
    """
    it this that you your him his her them they we their these those how when what why where who she he my our me us
    the being having seeing some all a an one not doing each any everything nothing something anything
    """
)
_NO_DOING = words("think know say believe be have see hear tell do go get make point add start ask")
_SHIFTED = re.compile(
    r"\b(?:team|department|role|position|project|branch|version|python|java)\b", re.IGNORECASE
)


def _things(facet: str, *, against: str = "", begin: str = "") -> Reading:
    """Return a reading by which the things in `v`, parted by "and", are values of a facet."""

    def read(found: Mapping[str, str]) -> Iterator[Claim]:
        for place, part in enumerate(re.split(r"\s+(?:and|or|&)\s+", found["v"])):
            thing = re.sub(r"^to\s+", "", part.strip(" .!…'"))
            first = thing.split(" ", 1)[0].casefold()
            if not thing or first in _NO_THING or (thing != part and first in _NO_DOING):
                continue
            # "I love tea and drink it daily": only what is short goes on with things.
            if place and len(thing.split()) > MORE_WORDS:
                break
            yield Claim(facet=facet, value=f"{begin}{thing}")
            if against:
                yield Claim(facet=against, value=thing, ends=True)

    return read


def _trade(*, dated: bool = False) -> Reading:
    def read(found: Mapping[str, str]) -> Iterator[Claim]:
        said = found["v"].split()
        if said[-1].casefold() in TRADES and not NO_TRADE & {word.casefold() for word in said}:
            yield Claim(facet="occupation", value=" ".join(said), dated=dated)
            if found.get("o"):
                yield Claim(facet="employer", value=found["o"].rstrip("."), dated=dated)

    return read


def _job(found: Mapping[str, str]) -> Iterator[Claim]:
    yield Claim(facet="occupation", value=found["v"], confidence=FAIR)
    if found.get("o"):
        yield Claim(facet="employer", value=found["o"].rstrip("."))


def _moved(found: Mapping[str, str]) -> Iterator[Claim]:
    if not _SHIFTED.search(found["rest"]) and not _SHIFTED.search(found["v"]):
        yield Claim(facet="home", value=found["v"], dated=True, confidence=FAIR)


def _age(found: Mapping[str, str]) -> Iterator[Claim]:
    if 3 <= int(found["v"]) <= 119:
        yield Claim(facet="age", value=found["v"], confidence=FAIR)


def _spoken(found: Mapping[str, str]) -> Iterator[Claim]:
    for word in re.findall(r"[A-Za-z]+", found["v"]):
        if word.casefold() in LANGUAGES:
            yield Claim(facet="languages", value=word.capitalize())


def _relative(found: Mapping[str, str]) -> Iterator[Claim]:
    who = found["t"].casefold()
    if who in ONLY_ONE:
        yield Claim(facet="family", value=found["v"], topic=who)
    else:
        yield Claim(facet="family", value=f"{who} {found['v']}")


def _pet(found: Mapping[str, str]) -> Iterator[Claim]:
    yield Claim(facet="pets", value=" ".join(part for part in (found["t"].casefold(), found["n"]) if part))


def _pets_end(found: Mapping[str, str]) -> Iterator[Claim]:
    value = " ".join(part for part in (found["t"].casefold(), found["n"]) if part)
    yield Claim(facet="pets", value=value, ends=True, dated=True)


def _status(found: Mapping[str, str]) -> Iterator[Claim]:
    yield Claim(facet="family", value=found["v"].casefold(), topic="marital status", dated=True)


def _rule(pattern: str, read: Reading) -> ClaimRule:
    return ClaimRule(pattern=re.compile(pattern), read=read)


_TRADE = (
    rf"(?i:an?|the)\s+(?P<v>[\w-]+(?:\s+[\w-]+){{0,3}}?)(?:\s+(?:at|for)\s+(?:the\s+)?(?P<o>{_NAME}))?{_STOP}"
)
_RELATIVES = alternatives(ONLY_ONE | SEVERAL)
_PETS = alternatives(ANIMALS).replace("guinea-pig", "guinea pig")
_LOVE = r"(?:love|like|enjoy|adore|am\s+(?:fond\s+of|crazy\s+about|passionate\s+about|an?\s+(?:big|huge)\s+fan\s+of))"
_HATE = (
    r"(?:hate|dislike|detest|loathe|can\s+not\s+stand|"
    r"do\s+not\s+(?:really\s+|particularly\s+)?(?:like|enjoy)(?!\s+to\b))"
)

RULES = (
    # Ends first: the first rule that fits a clause is the only one.
    _rule(
        rf"{_I}(?:quit|left|lost)\s+my\s+job\b(?:\s+(?:at|with)\s+{_PLACE})?",
        lambda found: [Claim(facet=one, ends=True, dated=True) for one in ("employer", "occupation")],
    ),
    _rule(rf"{_I}(?:retired|am\s+retired)\b", ending("employer", "occupation")),
    _rule(rf"{_I}(?:quit|left|resigned\s+from)\s+{_PLACE}{_STOP}", ending("employer", "home")),
    _rule(rf"{_I}(?:moved\s+(?:out\s+of|away\s+from))\s+{_PLACE}{_STOP}", ending("home")),
    _rule(
        rf"(?i:my)\s+(?P<t>{_PETS})(?:\s+(?P<n>{_ONE_NAME}))?\s+(?:has\s+)?(?:died|passed\s+away)\b",
        _pets_end,
    ),
    _rule(rf"(?i:my)\s+(?:(?:full|first|real)\s+)?name\s+is\s+(?P<v>{_ONE_NAME}){_END}", one("name")),
    _rule(rf"{_I}(?:have\s+)?changed\s+my\s+name\s+to\s+(?P<v>{_ONE_NAME}){_END}", one("name", dated=True)),
    _rule(rf"{_AM}(?:called|named)\s+(?P<v>{_ONE_NAME}){_END}", one("name")),
    _rule(rf"(?i:(?:please\s+|just\s+|you\s+can\s+)?call\s+me)\s+(?P<v>{_ONE_NAME}){_END}", one("nickname")),
    _rule(rf"{_I}(?:am|(?:just\s+)?turned)\s+(?P<v>\d{{1,3}})(?:\s+years?\s+old|{_END})", _age),
    _rule(rf"(?i:my)\s+birthday\s+is\s+(?:on\s+)?(?P<v>[^,]*\d[^,]*?|[A-Z]\w+){_END}", one("birthday")),
    _rule(rf"{_I}was\s+born\s+(?:on|in)\s+(?P<v>[^,]*\d[^,]*?){_END}", one("birthday")),
    _rule(rf"{_I}was\s+born\s+(?:and\s+raised\s+)?in\s+{_PLACE}{_STOP}", one("origin")),
    _rule(
        rf"{_I}(?:come|am(?:\s+originally)?|grew\s+up)\s+(?:originally\s+)?(?:from|in)\s+{_PLACE}{_STOP}",
        one("origin"),
    ),
    _rule(rf"{_AM}{_TRADE}", _trade()),
    _rule(rf"{_I}became\s+{_TRADE}", _trade(dated=True)),
    _rule(
        rf"{_I}(?:have\s+)?(?:started\s+)?(?:am\s+)?work(?:ed|ing)?(?<!worked)\s+as\s+(?:an?|the)\s+"
        rf"(?P<v>[\w-]+(?:\s+[\w-]+){{0,3}}?)(?:\s+(?:at|for)\s+(?:the\s+)?(?P<o>{_NAME}))?{_STOP}",
        _job,
    ),
    _rule(
        rf"(?i:my)\s+(?:job|profession|occupation)\s+is\s+(?:an?\s+|the\s+)?(?P<v>[\w-]+(?:\s+[\w-]+){{0,3}}?){_END}",
        one("occupation", confidence=FAIR),
    ),
    _rule(rf"{_I}(?:am\s+working|work)\s+(?:\S+ly\s+)?(?:at|for)\s+{_PLACE}", one("employer")),
    _rule(
        rf"{_I}(?:have\s+)?worked\s+(?:at|for)\s+{_PLACE}\s+(?:since|for)\b(?=.*\bsince\b)",
        one("employer", dated=True),
    ),
    _rule(
        rf"{_I}(?:have\s+)?(?:started|began)\s+(?:(?:working|work|a\s+new\s+job|my\s+new\s+job)\s+)(?:at|for|with)\s+{_PLACE}",
        one("employer", dated=True),
    ),
    _rule(rf"{_I}(?:have\s+)?joined\s+{_PLACE}\s+as\b", one("employer", dated=True)),
    _rule(
        rf"{_I}(?:have\s+)?{_ADVERB}(?:am\s+based|reside|live|am\s+living)\s+in\s+{_PLACE}",
        one("home", dated=True),
    ),
    _rule(
        rf"{_I}(?:have\s+)?(?:lived|been\s+living)\s+in\s+{_PLACE}\s+(?=since\b|for\b)",
        one("home", dated=True),
    ),
    _rule(rf"(?i:my)\s+home\s+is\s+in\s+{_PLACE}", one("home")),
    _rule(
        rf"{_I}(?:have\s+)?{_ADVERB}(?:moved|relocated)\s+(?:back\s+|over\s+|away\s+)?(?:from\s+(?:the\s+)?{_NAME}\s+)?"
        rf"to\s+{_PLACE}(?P<rest>.*)",
        _moved,
    ),
    _rule(
        rf"(?i:.*?\bmy)\s+(?P<t>{_RELATIVES})(?:'s\s+name\s+is|\s+is\s+(?:called|named)|\s+is|)\s+(?P<v>[A-Z][a-z]+)\b(?!'s)",
        _relative,
    ),
    _rule(
        rf"{_I}have\s+(?P<v>(?:an?|one|two|three|four|five|\d)\s+(?:younger\s+|older\s+|little\s+|big\s+)?"
        rf"(?:son|daughter|kid|child|children|brother|sister|grandchild|grandchildren|twin)s?)\b(?!\s+in)",
        one("family"),
    ),
    _rule(
        rf"{_I}(?:am|got)\s+(?P<v>married|divorced|widowed|engaged|single)\b(?!\s+(?:in|by|with))", _status
    ),
    _rule(rf"{_I}(?:have\s+)?(?P<v>divorced)\s+(?:my\b|[A-Z])", _status),
    _rule(rf"{_I}(?:can\s+)?{_ADVERB}speak\s+(?P<v>.+)", _spoken),
    _rule(r"(?i:my)\s+(?:native|first|mother)\s+(?:language|tongue)\s+is\s+(?P<v>\w+)", _spoken),
    _rule(rf"{_AM}(?:fluent|a\s+native\s+speaker)\s+(?:in|of)\s+(?P<v>.+)", _spoken),
    _rule(
        rf"{_AM}allergic\s+to\s+(?P<v>\S+(?:\s+\S+){{0,6}}?)(?=\s+(?:but|so|since|because|which)\b|\s*[.!…]*$)",
        _things("allergies"),
    ),
    _rule(rf"{_I}have\s+an?\s+(?:\w+\s+)?(?P<v>\w+)\s+allergy\b", one("allergies")),
    _rule(
        rf"{_AM}(?:an?\s+)?(?:strict\s+)?(?P<v>vegetarian|vegan|pescatarian|lactose[- ]intolerant|gluten[- ]intolerant|"
        rf"coeliac|celiac|diabetic)\b",
        one("diet"),
    ),
    _rule(
        rf"{_I}(?:(?:do|can)\s+not|never)\s+(?:eat|drink)\s+(?!any\s?more)(?P<v>\w+(?:\s+(?:and|or)\s+\w+)?){_END}",
        _things("diet", begin="no "),
    ),
    _rule(
        r"(?i:my)\s+(?:all[- ]time\s+)?(?P<t>favou?rite\s+\w+(?:\s+\w+)?)\s+(?:is|are)\s+(?:the\s+)?"
        rf"(?P<v>\S+(?:\s+\S+){{0,4}}?){_END}",
        one("likes"),
    ),
    _rule(rf"{_I}{_HATE}\s+{_THINGS}", _things("dislikes", against="likes")),
    _rule(rf"{_I}{_LOVE}\s+{_THINGS}", _things("likes", against="dislikes")),
    _rule(rf"{_AM}(?:into|interested\s+in)\s+{_THINGS}", _things("interests")),
    _rule(
        rf"(?i:my)\s+(?:main\s+)?(?:hobby|hobbies|interests?)\s+(?:is|are|include)\s+{_THINGS}",
        _things("interests"),
    ),
    _rule(
        rf"(?i:my)\s+(?:\w+\s+)?(?:goal|dream|aim|resolution)(?:\s+this\s+year|\s+for\s+\d+)?\s+is\s+to\s+"
        rf"(?P<v>\S+(?:\s+\S+){{0,9}}?){_END}",
        one("goals", confidence=FAIR),
    ),
    _rule(
        rf"{_AM}training\s+for\s+(?:an?\s+|the\s+)?(?P<v>\S+(?:\s+\S+){{0,3}}?){_STOP}",
        one("goals", confidence=FAIR),
    ),
    _rule(rf"{_I}(?:can\s+)?play\s+(?:the\s+)?(?P<v>{alternatives(INSTRUMENTS)})\b", one("skills")),
    _rule(rf"{_I}know\s+how\s+to\s+{_THING}", _things("skills")),
    _rule(rf"{_AM}good\s+at\s+{_THING}", _things("skills")),
    _rule(
        rf"{_I}(?:have|own)\s+(?:got\s+)?(?:an?|two|three|\d)\s+(?:\w+\s+){{0,2}}?(?P<t>{_PETS})s?\b"
        rf"(?:\s+(?:called|named)\s+(?P<n>{_ONE_NAME}))?(?!\s+(?:allergy|phobia|sitter|walker))",
        _pet,
    ),
    _rule(
        rf"(?i:.*?\bmy)\s+(?P<t>{_PETS})(?:'s\s+name\s+is|\s+is\s+(?:called|named)|)\s+(?P<n>[A-Z][a-z]+)\b(?!'s)",
        _pet,
    ),
    _rule(rf"(?i:my)\s+time\s?zone\s+is\s+(?P<v>[\w/+:-]+(?:\s+[A-Z]\w+)?){_END}", one("timezone")),
    _rule(
        rf"{_AM}(?:in|on)\s+(?:the\s+)?(?P<v>[\w/+:-]+(?:\s+[A-Z]\w+)?)\s+time(?:\s?zone)?\b", one("timezone")
    ),
)
"""The rules, in this order; one clause is read by the first that fits."""

_NO_LONGER = (
    (
        re.compile(
            r"^I\s+am\s+(?:no\s+longer|not)\s+(.+?)(?:\s+any\s?(?:more|longer))?[.!]*$", re.IGNORECASE
        ),
        "I am ",
    ),
    (re.compile(r"^I\s+no\s+longer\s+(.+?)[.!]*$", re.IGNORECASE), "I "),
    (re.compile(r"^I\s+do\s+not\s+(.+?)\s+any\s?(?:more|longer)\b.*$", re.IGNORECASE), "I "),
    (re.compile(r"^I\s+(?:have\s+)?stopped\s+(?:work|speak)ing\s+(.+?)[.!]*$", re.IGNORECASE), "I work "),
    (re.compile(r"^I\s+(?:have\s+)?stopped\s+living\s+(.+?)[.!]*$", re.IGNORECASE), "I live "),
)
_ENDS_SAID = re.compile(r"no\s+longer|any\s?more\b|any\s+longer|stopped", re.IGNORECASE)


def claims(sentence: str, names: re.Pattern[str] | None = None) -> list[Claim]:
    """Return what one sentence says of its speaker.

    Args:
        sentence: English.
        names: matches the speaker's own name at the beginning of a clause, where others write of him by it.
    """
    for pattern, form in _SHORT:
        sentence = pattern.sub(form, sentence)
    if UNREAL.search(sentence) or _MAY.search(sentence):
        return []
    found: list[Claim] = []
    for part in _CLAUSES.split(sentence):
        clause = _of_self(_FILLING.sub("", part.strip()), names)
        found += _of_clause(clause)
    return found


def _of_clause(clause: str) -> list[Claim]:
    if _ENDS_SAID.search(clause):
        for pattern, begin in _NO_LONGER:
            match = pattern.match(clause)
            if match:
                held = _read(f"{begin}{match[1]}")
                return [claim.evolve(ends=True, dated=True) for claim in held if not claim.ends]
        return []
    return _read(clause)


_BEGINS = re.compile(r"(?:I|my|call me|please|just call|you can call)\b|.*\bmy\b", re.IGNORECASE)
"""How every clause begins that a rule can fit."""


def _read(clause: str) -> list[Claim]:
    if not _BEGINS.match(clause):
        return []
    for rule in RULES:
        found = list(rule.claims(clause))
        if found:
            return found
    return []


_THIRD = re.compile(r"^I\s+((?:\w+ly|also|now|still|just)\s+)?(is|has|does|\w+?(?<!s)(?:es(?=\b)|s))\b(?!')")
_FORMS = {"is": "am", "has": "have", "does": "do", "goes": "go"}


def _of_self(clause: str, names: re.Pattern[str] | None) -> str:
    """Return a clause about the speaker in the third person as one in the first."""
    if names is None:
        return clause
    match = names.match(clause)
    if match is None:
        return clause
    if match["of"]:
        return f"My{clause[match.end() :]}"

    def first(found: re.Match[str]) -> str:
        verb = found[2]
        return f"I {found[1] or ''}{_FORMS.get(verb) or verb.removesuffix('s')}"

    return _THIRD.sub(first, f"I{clause[match.end() :]}")
