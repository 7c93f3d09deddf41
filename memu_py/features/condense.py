"""What a run of messages says, in few sentences of their own: by how central, how concrete and how recent each is."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from memu_py._core import content_words
from memu_py.language.budget import chars_within, count_tokens
from memu_py.language.courtesies import courtesy
from memu_py.language.entities import entities
from memu_py.language.sentences import sentences
from memu_py.records.conversation import Line

CENTRAL = 0.5
CONCRETE = 0.35
RECENT = 0.15
"""What a sentence is worth for its words, its names and numbers, and its place; together 1."""

ASKS = 0.5
"""What is left of a sentence that asks."""

WORTHWHILE = 0.5
"""A usual `least`: what is worth less than half of the best is not missed."""

ALIKE = 0.7
"""Share of the words of the shorter one from which two sentences say the same: the later one stays."""

_ASKING = ("?", "？")
_NUMBER = re.compile(r"\d+")


def said(ordinal: int, speaker: str, text: str) -> list[Line]:
    """Return the sentences of a message that say something."""
    found = (" ".join(text[start:end].split()) for start, end in sentences(text))
    return [
        Line(ordinals=(ordinal,), speaker=speaker, text=one) for one in found if one and courtesy(one) is None
    ]


def condense(lines: Sequence[Line], *, max_tokens: int, least: float = 0.0) -> tuple[Line, ...]:
    """Choose the sentences that tell most, in the order in which they were said.

    Centrality is the cosine of a sentence's idf-weighted words to their sum over all (Radev et al. 2004,
    "Centroid-based summarization"), concreteness `1 - 2^-n` for n names and numbers, recency the share of the messages
    before it.

    Args:
        lines: sentences in order, such as those of the summary so far and of what came since.
        max_tokens: what they may cost as they stand in a prompt; the best one is cut to it where nothing fits.
        least: share of what the best sentence is worth below which one is left out, whatever room there is.
    """
    if not lines:
        return ()
    words = content_words([one.text for one in lines])
    worth = _worth(lines, words)
    taken: list[int] = []
    room, bar = max_tokens, least * max(worth)
    for place in sorted(range(len(lines)), key=lambda one: (-worth[one], -one)):
        cost = count_tokens(f"{lines[place]}\n")
        if (
            cost <= room
            and worth[place] >= bar
            and not any(_alike(words[place], words[other]) for other in taken)
        ):
            taken.append(place)
            room -= cost
    if not taken:
        best = lines[max(range(len(lines)), key=lambda one: worth[one])]
        return (best.evolve(text=best.text[: chars_within(best.text, max_tokens)]),)
    return tuple(lines[place] for place in sorted(taken))


def _worth(lines: Sequence[Line], words: Sequence[Sequence[str]]) -> list[float]:
    central = _centrality(words)
    first, last = min(lines[0].ordinals), max(lines[-1].ordinals)
    found = []
    for line, likeness in zip(lines, central, strict=True):
        names = len(entities(line.text)) + len(_NUMBER.findall(line.text))
        recency = (max(line.ordinals) - first) / max(1, last - first)
        worth = CENTRAL * likeness + CONCRETE * (1 - 0.5**names) + RECENT * recency
        found.append(worth * ASKS if line.text.endswith(_ASKING) else worth)
    return found


def _centrality(words: Sequence[Sequence[str]]) -> list[float]:
    """Return how close each sentence is to all of them, in [0, 1]."""
    spread = Counter(word for one in words for word in set(one))
    idf = {word: math.log((1 + len(words)) / (1 + count)) + 1 for word, count in spread.items()}
    total: Counter[str] = Counter()
    for one in words:
        for word in one:
            total[word] += 1
    centre = {word: count * idf[word] for word, count in total.items()}
    length = math.sqrt(sum(weight * weight for weight in centre.values())) or 1.0
    found = []
    for one in words:
        weights = {word: count * idf[word] for word, count in Counter(one).items()}
        own = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        found.append(sum(weight * centre[word] for word, weight in weights.items()) / (own * length))
    return found


def _alike(words: Sequence[str], others: Sequence[str]) -> bool:
    one, other = set(words), set(others)
    return bool(one and other) and len(one & other) >= ALIKE * min(len(one), len(other))
