"""Evidence recall on long conversations, through the public API.

    python benchmarks/locomo.py --data DIR [--json FILE] [--systems cosine,keyword,default] [--config FILE]
                                [--keep-all] [--entities] [--record TITLE]
    python benchmarks/locomo.py --data DIR --config FILE --answer PROFILE [--judge PROFILE] --raw DIR
                                [--limit N] [--method rag] [--json FILE] [--record TITLE]

Every conversation file in DIR is a user of its own: memorized whole, in one call, then asked all of its questions that
have evidence. Each system is run twice: with the value gate, and with every turn kept (`--keep-all` runs only that).
With `--answer` a chat model answers from what is retrieved, also the questions of the fifth category, and `--judge`
marks its answers; see `answers.py`. Progress goes to stderr, tables to stdout.
"""

import argparse
import asyncio
import dataclasses
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.answers import Exam, RawFile, Reply, answers_table, examine, figures
from benchmarks.asking import Models
from benchmarks.dialogues import CATEGORIES, Dialogue, load_dialogues
from benchmarks.metrics import CUTS, Score, Summary, score, summarize
from benchmarks.record import record, table
from memu_py import Hit, Item, MemoryService, MemuError

TOP_K = max(CUTS)
SYSTEMS: dict[str, dict[str, Any]] = {
    "cosine": {"recall": ["dense"], "profile": "similarity"},
    "keyword": {"recall": ["keyword"], "profile": "similarity"},
    "default": {},
}
"""What each system passes to `retrieve`; the default one passes nothing."""

WITHOUT_ENTITIES = "no entities"
ABLATIONS: dict[str, dict[str, Any]] = {WITHOUT_ENTITIES: {"recall": ["dense", "keyword"]}}
"""What is left out beside an optional step."""

GATES = {"value gate": False, "every turn kept": True}
SHOWN = (*(f"recall@{k}" for k in CUTS), *(f"hit@{k}" for k in CUTS), "mrr")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One pass over all conversations.

    Attributes:
        items: how many memories the conversations made.
        turns: how many turns they have.
        systems: figures by system.
    """

    items: int
    turns: int
    systems: dict[str, Summary]

    def plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        return dataclasses.asdict(self)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    options = parse(arguments)
    try:
        dialogues = load_dialogues(options.data)
    except (OSError, ValueError, KeyError) as error:
        print(f"{options.data} cannot be used: {error}", file=sys.stderr)
        return 2
    if options.answer:
        return answer(dialogues, options)
    gates = {name: keep for name, keep in GATES.items() if keep or not options.keep_all}
    runs = {
        name: asyncio.run(
            measure(
                dialogues,
                systems=options.systems,
                config=options.config,
                keep_all=keep,
                entities=options.entities,
            )
        )
        for name, keep in gates.items()
    }
    report(runs, options)
    return 0


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="folder of conversation files"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    parser.add_argument(
        "--systems", type=_systems, default=list(SYSTEMS), help="some of " + ",".join(SYSTEMS)
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="a config.yaml; its database is not touched"
    )
    parser.add_argument("--keep-all", action="store_true", help="only without the value gate")
    parser.add_argument(
        "--entities", action="store_true", help="with the step recall_entities, and once more without it"
    )
    parser.add_argument("--record", metavar="TITLE", help="append the figures to benchmarks/results")
    models = parser.add_argument_group("answers by a chat model")
    models.add_argument("--answer", metavar="PROFILE", help="the profile of the configuration that answers")
    models.add_argument("--judge", metavar="PROFILE", help="the profile that marks answers")
    models.add_argument("--raw", type=Path, metavar="DIR", help="keeps answers, and the memory they are from")
    models.add_argument("--limit", type=int, metavar="N", help="so many questions, of each category in turn")
    models.add_argument("--method", choices=["rag", "llm", "auto"], default="rag", help="of `retrieve`")
    options = parser.parse_args(arguments)
    if options.answer and not options.raw:
        parser.error("--answer needs --raw DIR")
    return options


def answer(dialogues: Sequence[Dialogue], options: argparse.Namespace) -> int:
    """Have the questions answered and marked, and report."""
    try:
        replies, by = asyncio.run(examined(dialogues, options))
    except MemuError as error:
        print(error, file=sys.stderr)
        return 2
    found = figures(replies)
    tables = {by: answers_table(found)}
    print(f"\n{by}\n\n{tables[by]}")
    keep({"by": by, "figures": found}, tables, options, name="locomo_answers")
    return 0


async def examined(dialogues: Sequence[Dialogue], options: argparse.Namespace) -> tuple[list[Reply], str]:
    """Return what came of every question, and who answered and marked."""
    raw = RawFile(options.raw)
    with bar() as progress:
        task = progress.add_task("", total=len(dialogues))
        async with service_in(options.raw.absolute(), options.config) as service:
            models = Models(service.settings)
            exam = Exam(models=models, answer=options.answer, judge=options.judge, method=options.method)
            try:
                replies = await examine(
                    dialogues,
                    service,
                    exam,
                    raw,
                    limit=options.limit,
                    done=lambda dialogue: progress.update(task, advance=1, description=dialogue.id),
                )
            finally:
                await models.close()
    return replies, exam.by


def _systems(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    strange = [name for name in names if name not in SYSTEMS]
    if strange or not names:
        msg = f"{', '.join(strange) or 'none'}: there are {', '.join(SYSTEMS)}"
        raise argparse.ArgumentTypeError(msg)
    return names


async def measure(
    dialogues: Sequence[Dialogue],
    *,
    systems: Sequence[str],
    config: Path | None,
    keep_all: bool,
    entities: bool = False,
) -> Run:
    """Memorize all conversations into a database of their own, ask all questions of all systems, and score."""
    items = 0
    systems = [*systems, WITHOUT_ENTITIES] if entities else systems
    scores: dict[str, list[Score]] = {name: [] for name in systems}
    steps = sum(1 + len(systems) * len(dialogue.questions) for dialogue in dialogues)
    with tempfile.TemporaryDirectory(prefix="memu-locomo-") as folder, bar() as progress:
        task = progress.add_task("", total=steps)
        async with service_in(Path(folder), config) as service:
            if keep_all:
                service.workflows["memorize"].config_step("assess_value", {"keep": "all"})
            if entities:
                recall_entities(service)
            for dialogue in dialogues:
                progress.update(task, description=dialogue.id)
                items += await memorize(service, dialogue)
                progress.advance(task)
                for name in systems:
                    for one in await ask(service, dialogue, (SYSTEMS | ABLATIONS)[name]):
                        scores[name].append(one)
                    progress.advance(task, len(dialogue.questions))
    turns = sum(len(dialogue.messages) for dialogue in dialogues)
    return Run(items=items, turns=turns, systems={name: summarize(found) for name, found in scores.items()})


def service_in(folder: Path, config: Path | None) -> MemoryService:
    """Return a service with the given configuration and a database in a folder."""
    settings = MemoryService.from_config(config).settings
    database = settings.database.model_copy(update={"backend": "sqlite", "path": folder / "memu.db"})
    blobs = settings.blobs.model_copy(update={"root": folder / "blobs"})
    return MemoryService(settings.model_copy(update={"database": database, "blobs": blobs}))


def recall_entities(service: MemoryService) -> None:
    """Turn the optional recall by names on."""
    service.workflows["retrieve_rag"].insert_after("recall_keyword", {"use": "recall_entities"})


async def memorize(service: MemoryService, dialogue: Dialogue) -> int:
    """Memorize a conversation; returns the number of memories that it made."""
    result = await service.memorize(
        resource_url=f"conversation://{dialogue.id}", messages=dialogue.messages, user=dialogue.id
    )
    return len(result.added)


async def ask(service: MemoryService, dialogue: Dialogue, how: Mapping[str, Any]) -> list[Score]:
    """Ask all questions of a conversation, as of the day after it ended."""
    scores = []
    for question in dialogue.questions:
        found = await service.retrieve(
            question.text,
            user=dialogue.id,
            top_k=TOP_K,
            min_score=0.0,
            layers=["item"],
            now=dialogue.ends,
            **how,
        )
        scores.append(score(turns_of(found.items), question.evidence, category=question.category))
    return scores


def turns_of(hits: Sequence[Hit[Item]]) -> list[set[str]]:
    """Return the ids of the turns that each hit stands for."""
    return [{str(source.metadata.get("id")) for source in hit.record.sources} for hit in hits]


def report(runs: Mapping[str, Run], options: argparse.Namespace) -> None:
    """Print the tables, and write what the options ask for."""
    tables = {
        f"{name}: {heading}": text for name, run in runs.items() for heading, text in tables_of(run).items()
    }
    for heading, text in tables.items():
        print(f"\n{heading}\n\n{text}")
    keep(plain(runs), tables, options, name="locomo")


def keep(
    data: Mapping[str, Any], tables: Mapping[str, str], options: argparse.Namespace, *, name: str
) -> None:
    """Write the figures where the options say."""
    if options.json is not None:
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    if options.record is not None:
        page, _ = record(name, title=options.record, tables=tables, data=data)
        print(f"\nappended to {page}", file=sys.stderr)


def plain(runs: Mapping[str, Run]) -> dict[str, Any]:
    """Return the figures as data: `systems` is the first run, `runs` has all of them by name."""
    everything = {name: run.plain() for name, run in runs.items()}
    return {"systems": next(iter(everything.values()))["systems"], "runs": everything}


def tables_of(run: Run) -> dict[str, str]:
    """Return one table over all questions, and one of recall by category."""
    overall = [
        [name, *(f"{summary.overall[figure]:.3f}" for figure in SHOWN)]
        for name, summary in run.systems.items()
    ]
    categories = [
        [f"{number} {title}", f"{figures['questions']:.0f}", *(one for one in recalls)]
        for number, title in CATEGORIES.items()
        if (figures := _category(run, number))
        and (recalls := [_cells(summary, number) for summary in run.systems.values()])
    ]
    title = f"{run.items} items of {run.turns} turns"
    heading = ["category", "questions", *(f"{name} {_cut_names()}" for name in run.systems)]
    return {
        f"{title}, all questions": table(["system", *SHOWN], overall),
        "by category, recall and mrr": table(heading, categories),
    }


def _category(run: Run, number: str) -> dict[str, float] | None:
    return next((summary.by_category.get(number) for summary in run.systems.values()), None)


def _cut_names() -> str:
    return " / ".join([*(f"@{k}" for k in CUTS), "mrr"])


def _cells(summary: Summary, number: str) -> str:
    figures = summary.by_category[number]
    return " / ".join([*(f"{100 * figures[f'recall@{k}']:.1f}" for k in CUTS), f"{figures['mrr']:.3f}"])


def bar() -> Progress:
    """Return a progress bar on stderr."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


if __name__ == "__main__":
    sys.exit(main())
