"""What a sentence says to be over, as claims: the rules of relations tell it, and the profile ends with the graph."""

import re
from collections.abc import Collection, Iterator, Mapping

from memu_py.language.claim import Claim
from memu_py.language.profile_words import CHINESE_RELATIVES
from memu_py.language.relation_words import CHINESE_SPOUSES, CHINESE_SWEETHEARTS, SPOUSES, SWEETHEARTS
from memu_py.language.relations import relations
from memu_py.records.entity import entity_key

SELF = "speaker0"
"""What a speaker is called who may have no name."""
_OVER = re.compile(
    r"[不没离辞裁炒]|失业|退休|下岗|开除|分手|失去|丢了|以前|之前|曾|过去"
    r"|\b(?:longer|any\s?more|used to|(?:quit|left|lost|resigned from) (?:my|[A-Z]\w*)|resigned|retired|fired"
    r"|divorced|separated|(?:broke|broken|split) up|stopped (?:work|liv)ing|moved (?:away|out)|unemployed|redundant"
    r"|laid off|let go)\b",
)
"""What no sentence lacks that ends something."""
_FACETS: Mapping[str, tuple[str, ...]] = {"works_at": ("employer",), "lives_in": ("home",)}
_CHINESE = {*CHINESE_RELATIVES.split("|")}
_COUPLES: Mapping[str, Collection[str]] = {
    "married_to": SPOUSES | _CHINESE & {*CHINESE_SPOUSES.split("|")},
    "partner_of": SWEETHEARTS | _CHINESE & {*CHINESE_SWEETHEARTS.split("|")},
}
"""What the other one may be called in the profile."""


def ended(sentence: str, names: Collection[str]) -> Iterator[Claim]:
    """Yield what is over for its speaker, by a sentence.

    Args:
        sentence: in English or Chinese.
        names: what the speaker is called, case folded.
    """
    if not _OVER.search(sentence):
        return
    own = {entity_key(name) for name in (SELF, *names)}
    for one in relations(sentence, speaker=SELF, names=names):
        if not one.denied or entity_key(one.subject) not in own:
            continue
        every = entity_key(one.object) == entity_key(one.subject)
        value = "" if every else one.object
        for facet in _FACETS.get(one.predicate, ()):
            yield Claim(facet=facet, value=value, ends=True, dated=True)
        if every and one.predicate == "works_at":
            yield Claim(facet="occupation", ends=True, dated=True)
        for kind in sorted(_COUPLES.get(one.predicate, ())):
            yield Claim(facet="family", topic=kind, value=value, ends=True, dated=True)
