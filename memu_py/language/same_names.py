"""Which names of a memory mean the same, as far as their spelling is safe to tell.

Titles, legal forms and words such as "project" around a name do not make it another one; a given name alone means a
full one where only one person has it. Whatever could mean two stays apart.
"""

import dataclasses
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from memu_py.language.chinese_names import NOT_NAMES, TITLE_SURNAMES, TITLES
from memu_py.language.wordlist import words
from memu_py.records.entity import KNOWN_KEYS, entity_key
from memu_py.records.record import Record

FULL_CHINESE = 3
"""Characters of a full name that has a given name to be called by."""
MOST_WORDS = 4
"""Words of the longest name of a person."""

_LEADING = words("the dr prof professor mr mrs ms miss sir")
_COMPANY = words("inc incorporated corp corporation company co")
_LEGAL = words("ltd limited llc plc gmbh ag sa bv")
_PROJECT = "project"
_CHINESE_FIRM = ("股份有限公司", "有限公司", "公司")
_HONORIFICS = (*sorted({*TITLES, "姐姐", "哥哥", "姐", "哥", "叔", "姨"}, key=len, reverse=True),)
_HAN = re.compile(r"[\u3400-\u9fff]")
_ALL_HAN = re.compile(r"[\u3400-\u9fff·]+\Z")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Form(Record):
    """A name taken apart.

    Attributes:
        core: without what stands around it.
        around: what stands around it, such as `dr`; empty for nothing.
        family: names of another family never mean the same.
        words: of the core; characters of a Chinese given name count as one.
    """

    core: str
    around: str
    family: str
    words: int


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Seen(Record):
    """A name as the memory has it.

    Attributes:
        key: see `entity_key`.
        person: it is known to be a person's.
        speaks: somebody of this name has said something.
    """

    key: str
    person: bool = False
    speaks: bool = False


@lru_cache(maxsize=KNOWN_KEYS)
def form_of(key: str) -> Form:
    """Take a name apart.

    Args:
        key: see `entity_key`.

    >>> form_of("dr. ann lee").core, form_of("acme inc").core, form_of("小美姐").core
    ('ann lee', 'acme', '小美')
    """
    if _ALL_HAN.match(key):
        return _chinese(key)
    stripped = [word.strip(".,") for word in key.split()]
    parts = [word for word in stripped if word] or [key]
    around: list[str] = []
    parts = _without_leading(parts, around)
    while len(parts) > 1 and parts[-1] in _COMPANY | _LEGAL | {_PROJECT}:
        last = parts.pop()
        around.append("company" if last in _COMPANY else last)
    return _mixed(" ".join(parts), " ".join(sorted(set(around))))


def _without_leading(parts: list[str], around: list[str]) -> list[str]:
    while len(parts) > 1 and parts[0] in {*_LEADING, _PROJECT}:
        first, *rest = parts
        # "Mr Lee" and "Mrs Lee" are two people: what is left of a title must tell who it is.
        if first not in ("the", _PROJECT) and len(rest) == 1:
            break
        parts = rest
        around += [] if first == "the" else [first]
    return parts


def _mixed(core: str, around: str) -> Form:
    for ending in ("项目", *_CHINESE_FIRM):
        if core.endswith(ending) and len(core) > len(ending):
            core, around = core.removesuffix(ending).strip(), _PROJECT if ending == "项目" else "公司"
    return Form(core=core, around=around, family=core.split()[0], words=len(core.split()))


def _chinese(key: str) -> Form:
    core, around = key, ""
    for ending in ("项目", "集团", *_CHINESE_FIRM, *_HONORIFICS):
        if key.endswith(ending):
            rest = key.removesuffix(ending)
            if len(rest) > 1:
                core, around = rest, "公司" if ending in _CHINESE_FIRM else ending
            break
    full = len(core) == FULL_CHINESE and core[0] in TITLE_SURNAMES and core not in NOT_NAMES
    family = core[1:] if full else core
    return Form(core=core, around=around, family=family, words=2 if full else 1)


def same_names(seen: Collection[Seen], apart: Collection[frozenset[str]] = ()) -> Mapping[str, str]:
    """Return what names of one family mean the same: the key of the name that stands for both, by key.

    Args:
        seen: the names of a family, but for those that a person has spoken about.
        apart: pairs of keys that cannot be the same, such as the two ends of a relation.
    """
    found: dict[str, str] = {}
    heads: dict[str, list[Seen]] = defaultdict(list)
    groups: dict[str, list[Seen]] = defaultdict(list)
    for one in sorted(seen, key=lambda one: (bool(form_of(one.key).around), len(one.key), one.key)):
        groups[form_of(one.key).core].append(one)
    for core, members in groups.items():
        for head in _joined(members, apart, found):
            heads[core].append(head)
    _join_given(heads, apart, found)
    return found


def _joined(members: Sequence[Seen], apart: Collection[frozenset[str]], found: dict[str, str]) -> list[Seen]:
    """Join spellings of one core; return the names that stand for themselves."""
    around = {form_of(one.key).around for one in members} - {""}
    speakers = sum(one.speaks for one in members)
    if len(around) > 1 or speakers > 1 or _are_apart(members, apart):
        return list(members)
    head, *others = members
    found |= {one.key: head.key for one in others}
    return [head.evolve(person=any(one.person for one in members), speaks=bool(speakers))]


def _join_given(
    heads: Mapping[str, Sequence[Seen]], apart: Collection[frozenset[str]], found: dict[str, str]
) -> None:
    full = [core for core in heads if 1 < form_of(core).words <= MOST_WORDS]
    given = [core for core in heads if form_of(core).words == 1]
    if len(full) != 1 or len(given) != 1:
        return
    (name, *more), (short, *others) = heads[full[0]], heads[given[0]]
    if more or others or not (name.person and short.person):
        return
    if (name.speaks and short.speaks) or _are_apart((name, short), apart):
        return
    found |= {key: name.key for key, head in found.items() if head == short.key}
    found[short.key] = name.key


def _are_apart(members: Sequence[Seen], apart: Collection[frozenset[str]]) -> bool:
    keys = {one.key for one in members}
    return any(pair <= keys for pair in apart if len(pair) > 1)


def keys_in(text: str, longest: int = 6) -> list[str]:
    """Return the keys of all runs of words (and of Chinese characters) in a text that could be a name.

    Args:
        text: a question.
        longest: words of the longest run.
    """
    plain = entity_key(text)
    parts = re.findall(r"[\w.&+#'-]*[\w+#]", _HAN.sub(" ", plain))
    found = [
        " ".join(parts[start:end])
        for start in range(len(parts))
        for end in range(start + 1, min(start + longest, len(parts)) + 1)
    ]
    for run in re.findall(r"[\w·+#]*[\u3400-\u9fff][\w·+#]*", plain):
        found += [
            run[start:end]
            for start in range(len(run))
            for end in range(start + 2, min(start + 12, len(run)) + 1)
        ]
        found += re.findall(r"[a-z0-9+#.]+", run)
    return list(dict.fromkeys(word.removesuffix("'s") for word in found))
