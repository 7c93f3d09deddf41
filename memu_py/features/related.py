"""What relations say for a question: the items within two hops of the names in it."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set

from memu_py._core import tokenize
from memu_py.records.graph import Edge, Sighting
from memu_py.records.predicate import Predicates, plain_predicate

FIRST_HOP_UNASKED = 0.2
"""What an edge of a named node is worth when the question has no word for its predicate."""

SECOND_HOP = 0.9
"""What is left of the worth of a node that is only reached over another one."""


def asked_predicates(question: str, known: Predicates, used: Iterable[str]) -> set[str]:
    """Return the predicates that a question has a word for.

    Args:
        question: the question.
        known: with the words of predicates.
        used: the predicates that there are; one that nobody knows is asked for by the words of its name.
    """
    words = {one.name: one.words for one in known}
    text = question.casefold()
    (tokens,) = tokenize([question])
    found: set[str] = set()
    for name in dict.fromkeys(used):
        given = words.get(name) or tuple(plain_predicate(name).split("_"))
        latin = [word for word in given if word.isascii()]
        stems = {token for part in tokenize(latin) for token in part} if latin else set()
        han = any(word in text for word in given if not word.isascii())
        if han or not stems.isdisjoint(tokens):
            found.add(name)
    return found


def related(seen: Sighting, asked: Collection[str], *, when: bool = False) -> dict[str, float]:
    """Return what edges say for their items, in [0, 1], by item.

    An edge of a node that is named is worth its confidence, less where the node has many such edges
    (`1 / (1 + ln n)`), and little where its predicate is not asked for. An edge one hop further counts only when its
    predicate is asked for, and is worth so much of what leads to it. Where that is another predicate than the one that
    leads to it, as in "who leads the project that uses Python", it is the answer: what leads to it only says which one
    is meant, and is worth nothing.

    Args:
        seen: around the names of the question.
        asked: predicates that the question has a word for.
        when: whether the question asks for a time. "When did Ann move to Turin" means what stands between these two
            names, whether it still holds, and nothing that Ann or Turin has of the same kind with others.
    """
    seeds = set(seen.seeds.values())
    edges = _meant(seen, seeds) if when else seen.edges
    degrees = _degrees(edges)
    found: defaultdict[str, float] = defaultdict(float)
    reached: defaultdict[str, float] = defaultdict(float)
    bridges: defaultdict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        for here, there in _ways(edge):
            if here not in seeds:
                continue
            worth = _worth(edge, here, degrees, asked, unasked=FIRST_HOP_UNASKED)
            found[edge.item_id] = max(found[edge.item_id], worth)
            if there not in seeds:
                reached[there] = max(reached[there], worth)
                bridges[there].append(edge)
    for edge in edges:
        for here, there in _ways(edge):
            if here in reached and there not in seeds:
                worth = SECOND_HOP * reached[here] * _worth(edge, here, degrees, asked, unasked=0.0)
                found[edge.item_id] = max(found[edge.item_id], worth)
                for bridge in bridges[here] if worth else ():
                    if bridge.predicate in asked and bridge.predicate != edge.predicate:
                        found[bridge.item_id] = 0.0
    return {item_id: worth for item_id, worth in found.items() if worth > 0}


def _meant(seen: Sighting, seeds: Set[str]) -> Sequence[Edge]:
    """Return edges, also past ones, without those beside which another of their predicate has both ends named."""
    edges = [*seen.edges, *seen.past]
    sure = {edge.predicate for edge in edges if {edge.subject, edge.object} <= seeds}
    return [edge for edge in edges if edge.predicate not in sure or {edge.subject, edge.object} <= seeds]


def _ways(edge: Edge) -> tuple[tuple[str, str], tuple[str, str]]:
    return (edge.subject, edge.object), (edge.object, edge.subject)


def _degrees(edges: Iterable[Edge]) -> Counter[tuple[str, str]]:
    """Return how many different nodes are behind the edges of each node: of each predicate, and of all (`""`)."""
    pairs = {
        (here, predicate, there)
        for edge in edges
        for here, there in _ways(edge)
        for predicate in (edge.predicate, "")
    }
    return Counter((here, predicate) for here, predicate, _ in pairs)


def _worth(
    edge: Edge, node: str, degrees: Mapping[tuple[str, str], int], asked: Collection[str], *, unasked: float
) -> float:
    is_asked = edge.predicate in asked
    number = degrees[node, edge.predicate if is_asked else ""]
    return (1.0 if is_asked else unasked) * edge.confidence / (1 + math.log(number))
