"""The weights of `fuse`, chosen on other conversations than they are tried on, and what each of them is worth.

    python benchmarks/tune.py --data DIR [--record TITLE]

All questions are asked once through the public API, with every score of every candidate, names included, although
the packaged workflow does not ask for them. Weights are then tried on
these scores by the library's own functions. A fold leaves one conversation out, goes up from the packaged weights one
weight at a time as long as the others gain, and is measured on the one left out.
"""

import argparse
import asyncio
import dataclasses
import statistics
import sys
import tempfile
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.dialogues import Dialogue, load_dialogues
from benchmarks.locomo import memorize, recall_entities, service_in, turns_of
from benchmarks.metrics import Score, score, summarize
from benchmarks.record import record, table
from memu_py import Hit, Item, MemoryService, _core
from memu_py.index.rows import Traits
from memu_py.index.signals import Scores
from memu_py.index.speakers import Speakers
from memu_py.steps.retrieve.fit import fit
from memu_py.steps.retrieve.fuse import INDEXED, FuseConfig
from memu_py.steps.retrieve.question import Question, understood
from memu_py.steps.retrieve.recall_entities import ENTITY
from memu_py.steps.stored import index_tokens
from memu_py.storage.index_feed import QUESTION_MARKS
from memu_py.storage.index_rows import UNKNOWN
from memu_py.storage.plain import to_micros

CANDIDATES = 400
SOURCES = (*INDEXED, ENTITY)
FIGURES = ("recall@10", "recall@20", "mrr")
"""What the search goes up by: their sum."""

GRID: dict[str, Sequence[float]] = {
    "dense": (0.3, 0.4, 0.5, 0.6),
    "keyword": (0.2, 0.33, 0.45),
    "session": (0.0, 0.1, 0.17, 0.25),
    "entity": (0.0, 0.04, 0.08, 0.12),
    "other_speaker": (0.2, 0.3, 0.4, 0.5),
    "undated": (0.0, 0.1, 0.2, 0.3),
    "off_date": (0.0, 0.3, 0.5, 0.7),
    "asks": (0.0, 0.15, 0.3),
    "short": (0.0, 0.3, 0.5, 0.7),
}


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Asked:
    """One question with all that is known of its candidates.

    Attributes:
        question: as the index understands it.
        parts: scores of the candidates by source.
        traits: what they are like.
        factors: what a scoring profile makes of each beside its relevance; 1 for `similarity`.
        turns: which turns each stands for.
        evidence: the turns that answer it.
        category: of the question.
    """

    question: Question
    parts: dict[str, Scores]
    traits: Traits
    factors: Scores
    turns: list[set[str]]
    evidence: frozenset[str]
    category: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the folds and the worth of each weight."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder of conversations")
    parser.add_argument("--record", metavar="TITLE", help="append the figures to benchmarks/results")
    options = parser.parse_args(arguments)
    conversations = asyncio.run(ask_all(load_dialogues(options.data)))
    tables = {
        "each weight at nothing": worth(conversations),
        "leaving one conversation out": folds(conversations),
    }
    for heading, text in tables.items():
        print(f"\n{heading}\n\n{text}")
    if options.record is not None:
        record("tune", title=options.record, tables=tables, data={})
    return 0


async def ask_all(dialogues: Sequence[Dialogue], *, profile: str = "similarity") -> dict[str, list[Asked]]:
    """Memorize all conversations and ask all their questions by a scoring profile."""
    with tempfile.TemporaryDirectory(prefix="memu-tune-") as folder:
        async with service_in(Path(folder), None) as service:
            recall_entities(service)
            return {dialogue.id: await ask(service, dialogue, profile) for dialogue in dialogues}


async def ask(service: MemoryService, dialogue: Dialogue, profile: str) -> list[Asked]:
    """Memorize one conversation and ask all its questions."""
    print(dialogue.id, file=sys.stderr)
    await memorize(service, dialogue)
    speakers = Speakers()
    for message in dialogue.messages:
        speakers.number(message["name"])
    asked = []
    for one in dialogue.questions:
        found = await service.retrieve(
            one.text,
            user=dialogue.id,
            top_k=CANDIDATES,
            min_score=0,
            layers=["item"],
            profile=profile,
            now=dialogue.ends,
        )
        (tokens,) = _core.content_words([one.text])
        people = speakers.named(tokens)
        question = understood(one.text, tokens, people, vector=None, now=dialogue.ends, local=UTC)
        parts = {
            source: np.array([hit.scores[source] for hit in found.items], dtype=np.float32)
            for source in SOURCES
        }
        asked.append(
            Asked(
                question=question,
                parts=parts,
                traits=traits_of(found.items, speakers),
                factors=factors_of(found.items),
                turns=turns_of(found.items),
                evidence=one.evidence,
                category=one.category,
            )
        )
    return asked


def traits_of(hits: Sequence[Hit[Item]], speakers: Speakers) -> Traits:
    """Return what the index knows of some hits."""
    items = [hit.record for hit in hits]
    return Traits(
        speaker=np.array([speakers.number(item.speaker) for item in items], dtype=np.int32),
        words=np.array([len(tokens) for tokens in index_tokens(items)], dtype=np.uint16),
        said=times([item.said_at for item in items]),
        happened=times([item.happened.start if item.happened else None for item in items]),
        asks=np.array([item.text.rstrip().endswith(tuple(QUESTION_MARKS)) for item in items], dtype=np.bool_),
    )


def factors_of(hits: Sequence[Hit[Item]]) -> Scores:
    """Return by what each hit's score differs from its relevance."""
    shares = [hit.score / hit.scores["relevance"] if hit.scores["relevance"] else 1.0 for hit in hits]
    return np.array(shares, dtype=np.float32)


def times(moments: Sequence[datetime | None]) -> NDArray[np.int64]:
    """Return moments as the index keeps them."""
    return np.array([UNKNOWN if moment is None else to_micros(moment) for moment in moments], dtype=np.int64)


def config_of(values: dict[str, float]) -> FuseConfig:
    """Return weights by name as the step's configuration."""
    weights = {name: values[name] for name in SOURCES}
    return FuseConfig(
        weights=weights, **{name: value for name, value in values.items() if name not in SOURCES}
    )


def measure(values: dict[str, float], asked: Iterable[Asked]) -> dict[str, float]:
    """Return the figures over some questions."""
    config = config_of(values)
    scores: list[Score] = []
    for one in asked:
        relevance = config.join(one.parts, fit(one.question, one.traits, config))
        order = np.argsort(-relevance * one.factors, kind="stable").tolist()
        ranking = [one.turns[place] for place in order]
        scores.append(score(ranking, one.evidence, category=one.category))
    return summarize(scores).overall


def packaged() -> dict[str, float]:
    """Return the packaged weights by name."""
    config = FuseConfig()
    return {name: config.weights.get(name, getattr(config, name, 0.0)) for name in GRID}


def climb(asked: Sequence[Asked]) -> dict[str, float]:
    """Return the weights that some questions like best, one changed at a time."""
    values, best = packaged(), gain(packaged(), asked)
    improved = True
    while improved:
        improved = False
        for name, steps in GRID.items():
            for step in steps:
                trial = {**values, name: step}
                reached = gain(trial, asked)
                if reached > best + 1e-6:
                    values, best, improved = trial, reached, True
    return values


def gain(values: dict[str, float], asked: Iterable[Asked]) -> float:
    """Return what the search goes up by."""
    figures = measure(values, asked)
    return sum(figures[name] for name in FIGURES)


def worth(conversations: dict[str, list[Asked]]) -> str:
    """Return a table: the figures with the packaged weights, and with each of them at nothing."""
    asked = [one for questions in conversations.values() for one in questions]
    trials = {"packaged": packaged()} | {f"no {name}": {**packaged(), name: 0.0} for name in GRID}
    return _table("weights", {title: measure(values, asked) for title, values in trials.items()})


def folds(conversations: dict[str, list[Asked]]) -> str:
    """Return a table: each conversation with the weights that the others chose, and all of them together."""
    rows: dict[str, dict[str, float]] = {}
    for left_out, questions in conversations.items():
        others = [one for name, asked in conversations.items() if name != left_out for one in asked]
        chosen = climb(others)
        changed = {name: value for name, value in chosen.items() if value != packaged()[name]}
        rows[f"{left_out} {changed or 'packaged'}"] = measure(chosen, questions)
        print(left_out, changed, file=sys.stderr)
    sizes = [len(questions) for questions in conversations.values()]
    figures = next(iter(rows.values()))
    rows["all, by questions"] = {
        name: statistics.fmean([row[name] for row in rows.values()], weights=sizes) for name in figures
    }
    return _table("left out, with the weights of the others", rows)


def _table(heading: str, rows: dict[str, dict[str, float]]) -> str:
    names = ("recall@5", *FIGURES[:2], "recall@50", "mrr")
    return table(
        [heading, *names], [[title, *(f"{row[name]:.3f}" for name in names)] for title, row in rows.items()]
    )


if __name__ == "__main__":
    sys.exit(main())
