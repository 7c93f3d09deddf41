"""Memorize conversations and ask about them: no key, no server.

    python examples/demo.py                               the conversations in examples/conversations
    python examples/demo.py PATH [--ask QUESTION] …       a file of yours

The memory lives in a temporary database and is gone afterwards.
"""

import argparse
import asyncio
import dataclasses
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from memu_py import MemoryService
from memu_py.errors import MemuError
from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.service.results import MemorizeResult
from memu_py.workflow.context import ProgressEvent

CONVERSATIONS = Path(__file__).parent / "conversations"
TOP_K = 3
QUESTIONS = 5
FACTORS = ("relevance", "dense", "keyword", "recency")
ENDS = ("finished", "failed", "skipped")
ABOUT = {"en": "What do you know about {}?", "zh": "关于{}，你知道些什么？"}
ANYTHING = {
    "en": [
        "What happened recently?",
        "What is planned?",
        "Who likes what?",
        "Who lives where?",
        "Who does what work?",
    ],
    "zh": ["最近发生了什么？", "有什么计划？", "喜欢什么？", "住在哪里？", "做什么工作？"],
}
"""Questions for a file that nobody asked anything of."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One question.

    Attributes:
        text: as asked.
        expected: ids of the messages that answer it, where they are known.
    """

    text: str
    expected: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Input:
    """One thing to memorize.

    Attributes:
        path: the file.
        user: whose memory it goes to.
        questions: what to ask; empty to make some up.
        past: ask as of the last message, not of today.
    """

    path: Path
    user: str
    questions: tuple[Question, ...] = ()
    past: bool = False


def main(arguments: Sequence[str] | None = None, *, console: Console | None = None) -> int:
    """Run the demo."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("path", type=Path, nargs="?", help="a file to memorize; the shipped ones by default")
    parser.add_argument(
        "--ask", action="append", default=[], metavar="QUESTION", help="ask this; may be repeated"
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="a config.yaml; its database is not touched"
    )
    options = parser.parse_args(arguments)
    console = console or Console()
    inputs = [Input(path=options.path.resolve(), user="demo")] if options.path else shipped()
    if options.ask:
        asked = tuple(Question(text=text) for text in options.ask)
        inputs = [dataclasses.replace(one, questions=asked) for one in inputs]
    try:
        with tempfile.TemporaryDirectory(prefix="memu-demo-") as folder:
            asyncio.run(run(inputs, Path(folder), options.config, console))
    except MemuError as error:
        Console(stderr=True).print(str(error), style="red", markup=False)
        return 1
    return 0


def shipped() -> list[Input]:
    """Return the conversations that come with the project, with their questions."""
    asked = json.loads((CONVERSATIONS / "questions.json").read_text(encoding="utf-8"))
    return [
        Input(
            path=CONVERSATIONS / name,
            user=Path(name).stem,
            questions=tuple(
                Question(text=one["question"], expected=frozenset(one["expected"])) for one in questions
            ),
            past=True,
        )
        for name, questions in asked.items()
    ]


async def run(inputs: Sequence[Input], folder: Path, config: Path | None, console: Console) -> None:
    """Memorize everything, then ask everything."""
    async with service_in(folder, config, [one.path.parent for one in inputs]) as service:
        with bar(console) as progress:
            results = [await memorize(service, one, progress) for one in inputs]
        for one, result in zip(inputs, results, strict=True):
            tell(result, one, console)
            now = last_said(result) if one.past else None
            for number, question in enumerate(one.questions or made_up(result)):
                await ask(service, one.user, question, console, now=now, with_context=number == 0)


def service_in(folder: Path, config: Path | None, roots: Sequence[Path]) -> MemoryService:
    """Return a service with a database in a folder, which may read files in some others."""
    settings = MemoryService.from_config(config).settings
    database = settings.database.model_copy(update={"backend": "sqlite", "path": folder / "memu.db"})
    blobs = settings.blobs.model_copy(update={"root": folder / "blobs", "allowed_roots": tuple(roots)})
    return MemoryService(settings.model_copy(update={"database": database, "blobs": blobs}))


async def memorize(service: MemoryService, one: Input, progress: Progress) -> MemorizeResult:
    """Memorize one file; the bar moves with the steps of the workflow."""
    steps = len(service.workflows["memorize"].steps)
    task = progress.add_task(one.path.name, total=steps, step="")

    def show(event: ProgressEvent) -> None:
        progress.update(task, advance=int(event.kind in ENDS), step=event.step)

    result = await service.memorize(resource_url=str(one.path), user=one.user, progress=show)
    progress.update(task, completed=steps, step="done")
    return result


def tell(result: MemorizeResult, one: Input, console: Console) -> None:
    """Say what became of a file."""
    counts = Counter(outcome.status for outcome in result.outcomes)
    outcomes = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    topics = ", ".join(category.name for category in result.categories)
    console.rule(f"[bold]{escape(one.path.name)}")
    console.print(f"{len(result.added)} memories of user {one.user!r}; segments: {outcomes}", highlight=False)
    console.print(f"topics: {topics or 'none'}\n", highlight=False, markup=False)


def last_said(result: MemorizeResult) -> datetime | None:
    """Return when the last message was said."""
    return max((item.said_at for item in result.added if item.said_at), default=None)


def made_up(result: MemorizeResult) -> list[Question]:
    """Return questions about what is named most often, filled up with general ones."""
    named = Counter(entity for item in result.added for entity in item.entities)
    text = "".join(item.text for item in result.added)
    language = "zh" if any("\u4e00" <= letter <= "\u9fff" for letter in text[:500]) else "en"
    texts = [ABOUT[language].format(name) for name, _ in named.most_common(QUESTIONS)]
    return [Question(text=text) for text in [*texts, *ANYTHING[language]][:QUESTIONS]]


async def ask(
    service: MemoryService,
    user: str,
    question: Question,
    console: Console,
    *,
    now: datetime | None,
    with_context: bool,
) -> None:
    """Ask one question and print its hits with their scores; on request the block for a prompt too."""
    result = await service.retrieve(question.text, user=user, top_k=TOP_K, now=now)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(justify="right", style="bold", no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for hit in result.items:
        table.add_row(f"{hit.score:.3f}", _line(hit, question.expected))
    console.print(f"[bold cyan]? {escape(question.text)}", highlight=False)
    console.print(table if result.items else "nothing found", "", sep="\n", highlight=False)
    if with_context and result.context:
        console.print(Panel(escape(result.context), title="the block for a prompt", title_align="left"))
        console.print()


def _line(hit: Hit[Item], expected: frozenset[str]) -> str:
    item = hit.record
    answers = any(source.metadata.get("id") in expected for source in item.sources)
    who = f"{item.speaker}: " if item.speaker else ""
    factors = " ".join(f"{name} {hit.scores[name]:.2f}" for name in FACTORS if name in hit.scores)
    when = f"said on {item.said_at:%Y-%m-%d}; " if item.said_at else ""
    return f"{'[green]✓[/] ' if answers else ''}{escape(who + item.text)}\n[dim]{when}{factors}[/]"


def bar(console: Console) -> Progress:
    """Return a progress bar with one line a file."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[step]}"),
        console=console,
    )


if __name__ == "__main__":
    sys.exit(main())
