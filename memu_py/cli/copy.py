"""`memu copy`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from memu_py.cli.console import err, print_json, print_text
from memu_py.cli.options import Json
from memu_py.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memu_py.config.settings import Settings
    from memu_py.service.copying import Copied
    from memu_py.storage.raw_rows import Digest

SQLITE = "sqlite:"
POSTGRES = ("postgresql:", "postgres:", "postgresql+psycopg:")
FORMS = "sqlite:PATH, postgresql:ADDRESS or a configuration file"


def copy(
    source: Annotated[str, typer.Option("--from", help=f"Where from: {FORMS}.")],
    target: Annotated[str, typer.Option("--to", help="Where to, the same: an empty database.")],
    blobs_from: Annotated[Path | None, typer.Option("--blobs-from", help="Originals of the source.")] = None,
    blobs_to: Annotated[Path | None, typer.Option("--blobs-to", help="Originals of the target.")] = None,
    as_json: Json = False,
) -> None:
    """Copy all memories into another database, and compare both; cut off, it goes on when it is run again."""
    from memu_py.service.copying import copy_memory  # noqa: PLC0415 - slow to load, and help needs none of it

    here, there = _settings(source, blobs_from), _settings(target, blobs_to)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, console=err, transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def show(table: str, done: int, total: int) -> None:
            if table not in tasks:
                tasks[table] = bar.add_task(table)
            bar.update(tasks[table], completed=done, total=total)

        copied = asyncio.run(copy_memory(here, there, progress=show))
    if as_json:
        print_json(_plain(copied))
    else:
        _tell(copied)


def _settings(place: str, blobs: Path | None) -> Settings:
    from memu_py.config.load import load_settings  # noqa: PLC0415 - slow to load, and help needs none of it

    scheme = place.partition(":")[0] + ":"
    if scheme == SQLITE:
        settings = load_settings({"database": {"backend": "sqlite", "path": _path(place)}})
    elif scheme in POSTGRES:
        settings = load_settings({"database": {"backend": "postgres", "dsn": _dsn(place)}})
    elif Path(place).suffix in (".yaml", ".yml"):
        settings = load_settings(Path(place))
    else:
        msg = f"{place!r} names no database"
        raise ConfigError(msg, hint=f"write {FORMS}")
    if blobs is None:
        return settings
    return settings.model_copy(update={"blobs": settings.blobs.model_copy(update={"root": blobs.absolute()})})


def _path(place: str) -> str:
    """Return the file of `sqlite:PATH`; `sqlite:///PATH` is read, too."""
    return place.removeprefix(SQLITE).removeprefix("///")


def _dsn(place: str) -> str:
    """Return the address; what follows `postgresql:` may be words such as `host=… dbname=…`, too."""
    rest = place.partition(":")[2]
    return place if rest.startswith("//") else rest


def _tell(copied: Copied) -> None:
    both = [*copied.tables, *(copied.conversations or ())]
    for one in both:
        if one.rows:
            print_text(f"{one.table}\t{one.rows}\t{one.sum}")
    rows = sum(one.rows for one in both)
    print_text(f"Copied {rows} rows; both sides hold the same.")
    if copied.originals is not None:
        print_text(f"Copied {copied.originals} originals.")
    for key in copied.lost:
        err.print(f"[yellow]The source has no original {key}.[/]", highlight=False, soft_wrap=True)


def _plain(copied: Copied) -> dict[str, Any]:
    told = {} if copied.conversations is None else {"conversations": _tables(copied.conversations)}
    return {
        "tables": _tables(copied.tables),
        **told,
        "originals": copied.originals,
        "lost": list(copied.lost),
    }


def _tables(found: Sequence[Digest]) -> list[dict[str, Any]]:
    return [{"table": one.table, "rows": one.rows, "hash": one.sum} for one in found]
