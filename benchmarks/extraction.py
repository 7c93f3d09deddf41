"""What of the evidence of questions survives extraction, with a model and verbatim.

    python benchmarks/extraction.py --data DIR [--config FILE --profile PROFILE] [--limit N] [--around K]
                                    [--json FILE] [--record TITLE]

Every conversation file in DIR is memorized twice, into databases of their own: each turn as it is, and read by the
model of a profile. Then, for each question that has evidence:

- cited: the share of its evidence turns that an item has among its sources;
- words: the share of the content words of its answer that stand in the items with such a source;
- one item: whether all of these words stand in a single item, wherever it comes from.

Words are those of the keyword index; names and dates of an item count as its words. Answers of the third category are
concluded, seldom said: nothing reaches 100 % there. `--limit` takes so many questions, of each category in turn;
`--around` memorizes only their evidence and K turns on either side: a cheap sample, for a slow model.
"""

import argparse
import asyncio
import collections
import dataclasses
import json
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.dialogues import CATEGORIES, Dialogue, Question, load_dialogues
from benchmarks.locomo import bar, service_in
from benchmarks.record import record, table
from benchmarks.sample import in_turn
from memu_py import Item, MemoryService, MemuError, _core

VERBATIM = "verbatim"
FIGURES = ("cited", "words", "one item")
ALL = 1000
"""Items of one page."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """What is left of one question's evidence; shares from 0 to 1, in the order of `FIGURES`."""

    category: str
    shares: tuple[float, float, float]


@dataclasses.dataclass(kw_only=True, slots=True)
class Run:
    """One way to extract.

    Attributes:
        kept: of every question.
        items: how many items were made.
        outcomes: of the turns, by status.
        calls: of chat models.
        tokens: of chat models, sent and received.
    """

    kept: list[Kept] = dataclasses.field(default_factory=list)
    items: int = 0
    outcomes: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    calls: int = 0
    tokens: int = 0

    def means(self) -> dict[str, dict[str, float]]:
        """Return the means by category and of `all`, and how many questions each is of."""
        groups = {name: [one for one in self.kept if one.category == name] for name in CATEGORIES}
        groups["all"] = self.kept
        return {name: _means(found) for name, found in groups.items() if found}

    def plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        counts = {"items": self.items, "calls": self.calls, "tokens": self.tokens}
        return {**counts, "outcomes": dict(self.outcomes), "means": self.means()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    options = parse(arguments)
    try:
        dialogues = sampled(load_dialogues(options.data), options.limit, options.around)
        profiles = {VERBATIM: None} | ({options.profile: options.profile} if options.profile else {})
        runs = {
            name: asyncio.run(extracted(dialogues, options.config, profile))
            for name, profile in profiles.items()
        }
    except (OSError, ValueError, KeyError, MemuError) as error:
        print(f"{options.data} cannot be used: {error}", file=sys.stderr)
        return 2
    report(runs, options)
    return 0


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="folder of conversation files"
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="a config.yaml; its database is not touched"
    )
    parser.add_argument("--profile", metavar="PROFILE", help="the profile of the configuration that extracts")
    parser.add_argument("--limit", type=int, metavar="N", help="so many questions, of each category in turn")
    parser.add_argument(
        "--around", type=int, metavar="K", help="memorize only evidence and K turns around it"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    parser.add_argument("--record", metavar="TITLE", help="append the figures to benchmarks/results")
    return parser.parse_args(arguments)


def sampled(dialogues: Sequence[Dialogue], limit: int | None, around: int | None) -> list[Dialogue]:
    """Return conversations with the questions that are asked, and with the turns that are memorized."""
    listed = [(dialogue.id, question) for dialogue in dialogues for question in dialogue.questions]
    wanted = in_turn(listed, lambda one: one[1].category, list(CATEGORIES), limit)
    by_id: dict[str, list[Question]] = collections.defaultdict(list)
    for name, question in wanted:
        by_id[name].append(question)
    return [_cut(dialogue, by_id[dialogue.id], around) for dialogue in dialogues if dialogue.id in by_id]


def _cut(dialogue: Dialogue, questions: Sequence[Question], around: int | None) -> Dialogue:
    """Return a conversation with some of its questions and the turns around their evidence."""
    evidence = set().union(*(question.evidence for question in questions))
    places = [place for place, message in enumerate(dialogue.messages) if message["id"] in evidence]
    messages = dialogue.messages
    if around is not None:
        near = {near for place in places for near in range(place - around, place + around + 1)}
        messages = tuple(message for place, message in enumerate(messages) if place in near)
    return dataclasses.replace(dialogue, messages=messages, questions=tuple(questions))


async def extracted(dialogues: Sequence[Dialogue], config: Path | None, profile: str | None) -> Run:
    """Memorize all conversations, by the model of a profile or verbatim, and look at what is left."""
    run = Run()
    with tempfile.TemporaryDirectory(prefix="memu-extraction-") as folder, bar() as progress:
        task = progress.add_task("", total=len(dialogues))
        async with service_in(Path(folder), config) as service:
            mode = {"mode": "llm", "profile": profile} if profile else {"mode": "verbatim"}
            service.workflows["memorize"].config_step("extract_entities", mode)
            for dialogue in dialogues:
                progress.update(task, description=f"{profile or VERBATIM} {dialogue.id}")
                await _one(service, dialogue, run, infer=profile is not None)
                progress.advance(task)
    return run


async def _one(service: MemoryService, dialogue: Dialogue, run: Run, *, infer: bool) -> None:
    result = await service.memorize(
        resource_url=f"conversation://{dialogue.id}",
        messages=dialogue.messages,
        infer=infer,
        user=dialogue.id,
    )
    run.outcomes.update(one.status for one in result.outcomes)
    run.calls += result.usage.chat_calls
    run.tokens += result.usage.prompt_tokens + result.usage.completion_tokens
    items = await all_items(service, dialogue.id)
    run.items += len(items)
    turns = {str(message["id"]) for message in dialogue.messages}
    words = [words_of(item) for item in items]
    cited = [{str(source.metadata.get("id")) for source in item.sources} for item in items]
    run.kept += [
        kept(question, words, cited, turns) for question in dialogue.questions if question.evidence & turns
    ]


async def all_items(service: MemoryService, user: str) -> list[Item]:
    """Return everything that is remembered of a user, also what holds no longer."""
    items: list[Item] = []
    cursor = None
    while True:
        page = await service.list_items(user=user, limit=ALL, cursor=cursor, superseded=True)
        items += page
        cursor = page.next_cursor
        if cursor is None:
            return items


def words_of(item: Item) -> set[str]:
    """Return the words that an item can be found by, its names and dates among them."""
    parts = [item.text, *item.entities]
    if item.happened is not None:
        # The last day, not the instant after it.
        last = item.happened.until - timedelta(microseconds=1)
        parts += [f"{day:%-d %B %Y}" for day in (item.happened.start, max(last, item.happened.start))]
    return set(_core.content_words([" ".join(parts)])[0])


def kept(question: Question, words: Sequence[set[str]], cited: Sequence[set[str]], turns: set[str]) -> Kept:
    """Return what is left of a question's evidence.

    Args:
        question: with its evidence and answer.
        words: of each item.
        cited: ids of the turns that each item has as sources.
        turns: ids of the turns that were memorized.
    """
    evidence = question.evidence & turns
    wanted = set(_core.content_words([question.answer])[0])
    near = set().union(*(own for own, ids in zip(words, cited, strict=True) if ids & evidence))
    return Kept(
        category=question.category,
        shares=(
            len(evidence.intersection(*[set().union(*cited)])) / len(evidence),
            len(wanted & near) / len(wanted) if wanted else 1.0,
            float(any(wanted <= own for own in words)),
        ),
    )


def _means(found: Sequence[Kept]) -> dict[str, float]:
    columns = zip(*(one.shares for one in found), strict=True)
    means = dict(zip(FIGURES, map(statistics.fmean, columns), strict=True))
    return {"questions": len(found), **means}


def report(runs: Mapping[str, Run], options: argparse.Namespace) -> None:
    """Print the table, and write what the options ask for."""
    tables = {"share of evidence that survives extraction, %": survival(runs), "cost": cost(runs)}
    for heading, text in tables.items():
        print(f"\n{heading}\n\n{text}")
    data = {"profile": options.profile, "runs": {name: run.plain() for name, run in runs.items()}}
    if options.json is not None:
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    if options.record is not None:
        page, _ = record("extraction", title=options.record, tables=tables, data=data)
        print(f"\nappended to {page}", file=sys.stderr)


def survival(runs: Mapping[str, Run]) -> str:
    """Return the shares by category, one column for each way to extract."""
    means = {name: run.means() for name, run in runs.items()}
    first = next(iter(means.values()))
    rows = [
        [
            f"{category} {CATEGORIES.get(category, '')}".strip(),
            f"{one['questions']:.0f}",
            *(" / ".join(f"{100 * mean[category][name]:.1f}" for name in FIGURES) for mean in means.values()),
        ]
        for category, one in first.items()
    ]
    return table(["category", "questions", *(f"{name}: {' / '.join(FIGURES)}" for name in runs)], rows)


def cost(runs: Mapping[str, Run]) -> str:
    """Return what was made, and what it took."""
    rows = [
        [
            name,
            str(run.items),
            ", ".join(f"{count} {status}" for status, count in sorted(run.outcomes.items())),
            str(run.calls),
            str(run.tokens),
        ]
        for name, run in runs.items()
    ]
    return table(["extraction", "items", "turns", "calls", "tokens"], rows)


if __name__ == "__main__":
    sys.exit(main())
