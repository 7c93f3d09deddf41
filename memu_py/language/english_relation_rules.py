"""The patterns of relations in English, over sentences in which each name is a number between two marks.

Words in capitals and angle brackets stand for parts of patterns, and a space for any white space.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from memu_py.language.relation_words import KIN, SPOUSES, SWEETHEARTS
from memu_py.language.wordlist import alternatives

OPEN, CLOSE = "\ue000", "\ue001"
"""Around the number of a name."""

_NAME = rf"{OPEN}\d+{CLOSE}"
_NOW = (
    "(?:(?:now|currently|also|still|just|both|really|truly|actually|recently|happily|finally|officially|even|"
    "mostly|absolutely) )*"
)
_HAVE = "(?:(?:have|has|['’]ve|['’]s) )?"
_BE = "(?:am|is|are|['’]m|['’]s|['’]re)"
_WHO = rf"(?P<s>(?<![\w'’])I|{_NAME})"
_THING = rf"(?:[Tt]he )?(?P<s>{_NAME}(?: (?:project|team|app|platform|system|service)\b)?)"
_AGES = (
    "(?:(?:best|older|younger|big|little|elder|twin|new|good|close|old|favorite|favourite|main|current) )*"
)

_PARTS = {
    "NAME": _NAME,
    "NOW": _NOW,
    "HAVE": _HAVE,
    "BE": _BE,
    "WHO": _WHO,
    "DOES": f"{_WHO} {_NOW}",
    "DID": rf"{_WHO}\s*{_HAVE}{_NOW}",
    "IS": rf"{_WHO}\s*{_BE} {_NOW}",
    "NOT": f"{_WHO} (?:do|does)(?: not|n['’]t) ",
    "ANYMORE": r" any\s?(?:more|longer)",
    "ALONE": rf"(?<![Aa]nd\s){_WHO}",
    "THING": _THING,
    "OWN": rf"(?:(?P<my>(?<![\w'’])[Mm]y)|(?P<s>{_NAME})['’]s) {_AGES}",
    "AGES": _AGES,
    "KIN": rf"(?P<kin>{'|'.join(sorted(KIN, key=len, reverse=True))})",
    "O": (
        rf"(?P<o>(?:the )?{_NAME}(?: (?:project|team|company|university|group|app|platform|system|service)\b)?"
        r"(?!['’]s))"
    ),
    "PROJECT": rf"(?P<o>(?:the )?{_NAME}(?: project\b)?)",
    "LIST": rf"(?P<o>(?:the )?{_NAME}(?:(?:,\s*|,? and ){_NAME})*(?!['’]s))",
    "AS": "(?: (?:as|in) (?:an? |the )?[a-z][a-z -]{1,40}?)?",
    "END": (
        r"(?=\s*(?:[.,;:!)—–-]|$|\s(?:and|but|who|which|because|with|since|as|for|in|now|so|she|he|they|it|we|last|"
        r"yesterday|today|this|after|during|on|too|again|two|three|a|where|near)\b)|\s+I\b)"
    ),
    "SPOUSE": f"(?:{alternatives(SPOUSES)})",
    "SWEETHEART": f"(?:{alternatives(SWEETHEARTS)})",
    "GONE": r"(?=\s*(?:[.,;:!)—–-]|$|\s(?:and|but|so|because|in|on|today|yesterday|last|this|recently)\b))",
    "STOP": r"(?=\s*(?:[.,;!]|$|\s(?:and|but|in|on|at|with|because|every|after|before|when)\b))",
    "FOLLOWED": (
        "(?=[,.;!]|$| (?:is|was|has|and|works?|lives?|loves?|likes?|plays?|came|got|just|also|moved|who)\\b)"
    ),
    "POST": (
        "(?:lead|leader|head|manager|director|ceo|CEO|CTO|president|team lead|tech lead|project manager|"
        "project lead)"
    ),
}
_TRIGGERS: Mapping[str, tuple[str, ...]] = {
    "works_at": (
        "work", "employ", "job", "hired", "joined", "quit", "left", "resigned", "retired", "laid off", "fired",
        "let go", "redundant", "unemployed",
    ),
    "lives_in": ("live", "living", "reside", "based", "moved", "relocated"),
    "married_to": ("married", "divorced", "separated"),
    "partner_of": ("broke", "split"),
    "born_in": ("born",),
    "speaks": ("speak",),
    "studied_at": ("stud", "graduated"),
    "uses": ("use", "runs on", "written", "built", "implemented"),
    "leads": ("lead", "led by", "head", "manage", "director", "ceo", "cto", "president", "charge"),
    "works_on": ("work",),
    "founded": ("founded",),
    "part_of": ("part of",),
    "located_in": ("located", "headquartered"),
    "hobby": ("love", "like", "enjoy", "hobb"),
    "likes": ("love", "like", "enjoy"),
}  # fmt: skip
TRIGGERS: Mapping[str, re.Pattern[str]] = {
    predicate: re.compile("|".join(given)) for predicate, given in {**_TRIGGERS, "kin": tuple(KIN)}.items()
}
"""What no sentence lacks that tells a relation, case folded, by predicate."""
ANY_TRIGGER = re.compile("|".join(pattern.pattern for pattern in TRIGGERS.values()))
_TOKEN = re.compile(r"<([A-Z]+)>")


class Rule(NamedTuple):
    """One way to tell a relation.

    Attributes:
        predicate: what it tells; `kin` where the group of that name does.
        pattern: with the groups `s` or `my`, `o`, and perhaps `kin` and `apposed`; without `o`, of whatever it was.
        denied: it tells that something ended.
    """

    predicate: str
    pattern: re.Pattern[str]
    denied: bool = False


def _rule(predicate: str, pattern: str) -> Rule:
    denied = predicate.startswith("-")
    whole = _TOKEN.sub(lambda token: _PARTS[token.group(1)], pattern).replace(" ", r"\s+")
    return Rule(predicate.removeprefix("-"), re.compile(whole), denied)


RULES = tuple(
    _rule(predicate, pattern)
    for predicate, pattern in (
        ("works_at", "<DOES>works?<AS> (?:at|for) <O><END>"),
        ("works_at", "<IS>(?:working|employed)<AS> (?:at|for|by) <O><END>"),
        ("works_at", "<DID>(?:been )?(?:working|worked)<AS> (?:at|for) <O> since\\b"),
        ("works_at", "<DID>(?:started|began) (?:working|work|(?:a|my) (?:new )?job)<AS> (?:at|for) <O><END>"),
        ("works_at", "<DID>(?:got|accepted|took|landed) a (?:new )?job(?: offer)?<AS> (?:at|with) <O><END>"),
        ("works_at", "<DID>joined <O> as an?\\b"),
        ("works_at", "<WHO> (?:got|was) hired (?:by|at) <O><END>"),
        ("works_at", "(?P<my>[Mm]y) (?:new )?employer is <O><END>"),
        ("-works_at", "<WHO> no longer works?<AS> (?:at|for) <O>"),
        ("-works_at", "<NOT>work<AS> (?:at|for) <O><ANYMORE>"),
        ("-works_at", "<WHO> used to work<AS> (?:at|for) <O>"),
        ("-works_at", "<DID>(?:quit|left) (?:(?:my|his|her|the|their) job (?:at|with) )?<O><END>"),
        ("-works_at", "<DID>(?:resigned|retired) from <O><END>"),
        ("-works_at", "<DID>stopped working (?:at|for) <O><END>"),
        ("-works_at", "<WHO> (?:was|were|got) (?:laid off|fired|let go) (?:from|by) <O><END>"),
        (
            "-works_at",
            "<WHO>\\s*(?:was|were|got|<BE>|<HAVE>been) <NOW>(?:laid off|fired|let go|made redundant)<GONE>",
        ),
        ("-works_at", "<DID>(?:quit|left|lost|resigned from) (?:my|his|her|their) job<GONE>"),
        ("-works_at", "<DID>retired<GONE>"),
        ("-works_at", "<IS>(?:retired|unemployed)<GONE>"),
        ("lives_in", "<DOES>(?:lives?|resides?) in <O><END>"),
        ("lives_in", "<IS>(?:living|based) in <O><END>"),
        ("lives_in", "<DID>(?:moved|relocated)(?: from <NAME>)? to <O><END>"),
        ("-lives_in", "<WHO> no longer lives? in <O>"),
        ("-lives_in", "<NOT>live in <O><ANYMORE>"),
        ("-lives_in", "<WHO> used to live in <O>"),
        ("-lives_in", "<DID>moved (?:away from|out of) <O>"),
        ("married_to", "<DID>married <O><END>"),
        ("married_to", "<WHO>\\s*(?:<BE>|was|were|got|have been|has been) <NOW>married to <O><END>"),
        ("married_to", "<WHO> and <O> <HAVE><NOW>(?:got |are |gotten )married\\b"),
        ("married_to", "(?P<o><NAME>) and (?P<s>I) <HAVE><NOW>(?:got |are )married\\b"),
        ("-married_to", "<DID>(?:divorced|separated from) <O><END>"),
        ("-married_to", "(?P<o><NAME>) and (?P<s>I|<NAME>) (?:got |are |have )?(?:divorced|separated)\\b"),
        ("-partner_of", "(?P<o><NAME>) and (?P<s>I|<NAME>) (?:have )?(?:broke up|broken up|split up)\\b"),
        ("-partner_of", "<DID>(?:broke up|broken up|split up) with <O><END>"),
        ("-married_to", "<DID>(?:divorced|separated from|(?:broke|broken|split) up with) my <SPOUSE><GONE>"),
        ("-married_to", "<ALONE>(?:\\s*<BE> |(?: have| has)? (?:got|gotten) )<NOW>divorced<GONE>"),
        ("-partner_of", "<DID>(?:broke|broken|split) up with my <SWEETHEART> <O><END>"),
        ("-partner_of", "<DID>(?:broke|broken|split) up with my <SWEETHEART><GONE>"),
        ("-partner_of", "<ALONE>(?: have| has)? <NOW>(?:broke|broken|split) up<GONE>"),
        ("born_in", "<WHO> (?:was|were) born(?: and raised)? in <O><END>"),
        ("speaks", "<DOES>speaks? (?:fluent )?<LIST><END>"),
        ("studied_at", "<DID>(?:studied|studies|study)(?: [a-z ]{2,30}?)? at <O><END>"),
        ("studied_at", "<DID>graduated from <O><END>"),
        ("uses", "(?P<s>(?<![\\w'’])I) <NOW>use <LIST><END>"),
        ("uses", "<THING> <NOW>(?:uses?|runs on) <LIST><END>"),
        ("uses", "<THING> (?:is|was) (?:written|built|implemented) (?:in|with|on|using) <LIST><END>"),
        ("leads", "<DOES>(?:leads?|heads?|manages?) <O><END>"),
        ("leads", "<IS>(?:leading|heading|managing) <O><END>"),
        ("leads", "<IS>(?:the )?<POST> (?:of|for) <O><END>"),
        ("leads", "<IS>in charge of <O><END>"),
        (
            "leads",
            "(?P<o>(?:the )?<NAME>(?: (?:project|team))?) is <NOW>(?:led|headed|managed) by (?P<s><NAME>)<END>",
        ),
        ("-leads", "<WHO> no longer (?:leads?|heads?|manages?) <O>"),
        ("works_on", "<DOES>works? on <PROJECT><END>"),
        ("works_on", "<IS>working on <PROJECT><END>"),
        ("founded", "<DID>(?:co-)?founded <O><END>"),
        ("part_of", "<THING> is (?:a )?part of <O><END>"),
        ("located_in", "<THING> is (?:located|headquartered) in <O><END>"),
        ("kin", "<OWN><KIN>(?:['’]s name)? is (?:now )?(?:(?:called|named) )?<O><END>"),
        ("kin", "<OWN><KIN>,? (?P<o>(?P<apposed><NAME>))<FOLLOWED>"),
        ("kin", "(?P<o><NAME>) is (?:(?P<my>my)|(?P<s><NAME>)['’]s) <AGES><KIN>\\b(?!['’-])"),
        (
            "kin",
            "<WHO> (?:have|has|got|adopted|['’]ve got) (?:an?|another) (?:[a-z]+ )?<KIN> (?:named|called) <O><END>",
        ),
        ("kin", "(?P<o><NAME>) is an? (?P<kin>friend|colleague|coworker) of (?P<my>mine)\\b"),
        ("hobby", "(?P<s>(?<![\\w'’])I) <NOW>(?:love|like|enjoy) (?P<o>[a-z]+ing(?: the [a-z]+)?)<STOP>"),
        ("hobby", "(?P<s><NAME>) <NOW>(?:loves|likes|enjoys) (?P<o>[a-z]+ing(?: the [a-z]+)?)<STOP>"),
        (
            "hobby",
            "<OWN>hobb(?:y|ies) (?:is|are) (?P<o>[a-z]+(?: [a-z]+){0,2}?(?:,? and [a-z]+)?)(?=\\s*(?:[.,;!]|$))",
        ),
        ("likes", "(?P<s>(?<![\\w'’])I) <NOW>(?:love|like|enjoy) <LIST><END>"),
        ("likes", "(?P<s><NAME>) <NOW>(?:loves|likes|enjoys) <LIST><END>"),
    )
)
