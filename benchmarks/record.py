"""Keeps the figures of a run in `results/`, with the machine and the commit they belong to."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import machine

RESULTS = Path(__file__).parent / "results"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; the first column is text, the others are figures."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def record(
    name: str, *, title: str, tables: Mapping[str, str], data: Mapping[str, Any], folder: Path = RESULTS
) -> tuple[Path, Path]:
    """Append a run to `<name>.md`, for people, and to the list in `<name>.json`, for programs.

    Args:
        name: of the benchmark.
        title: of this run.
        tables: Markdown tables by heading.
        data: the figures.
        folder: where the files are.

    Returns:
        Both paths.
    """
    folder.mkdir(parents=True, exist_ok=True)
    where = machine()
    page, store = folder / f"{name}.md", folder / f"{name}.json"
    facts = "; ".join(f"{key} {value}" for key, value in where.items())
    parts = [f"## {title}", facts, *(f"### {heading}\n\n{text}" for heading, text in tables.items())]
    before = page.read_text(encoding="utf-8").rstrip() if page.exists() else f"# {name}"
    page.write_text("\n\n".join([before, *parts]) + "\n", encoding="utf-8")
    runs = json.loads(store.read_text(encoding="utf-8")) if store.exists() else []
    runs.append({"title": title, "machine": where, **data})
    store.write_text(json.dumps(runs, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return page, store
