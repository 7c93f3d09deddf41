"""The application: which commands there are, and what an error looks like."""

import sys
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

from memu_py import __version__
from memu_py.cli import (
    ask,
    blocks,
    conversations,
    copy,
    correct,
    doctor,
    due,
    forgetting,
    grants,
    graph,
    history,
    jobs,
    keys,
    kv,
    listing,
    maintain,
    memorize,
    mood,
    plugins,
    profile,
    recall,
    reflect,
    retrieve,
    retry,
    rights,
    serve,
    timeline,
    usage,
    watch,
    worker,
    workflows,
)
from memu_py.cli.console import err, print_text, tolerate
from memu_py.errors import MemuError

FAILED = 1
INTERRUPTED = 130


class Commands(TyperGroup):
    """The commands, each of which Ctrl-C ends: here, before the library takes it for a plain abort."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            err.print("Stopped. What was already written stays; run the same command again to go on.")
            raise typer.Exit(INTERRUPTED) from error


app = typer.Typer(
    name="memu",
    cls=Commands,
    help="A memory that lasts for AI agents: take in conversations and documents, ask them later.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("memorize")(memorize.memorize)
app.command("retrieve")(retrieve.retrieve)
app.command("recall")(recall.recall)
app.command("retry")(retry.retry)
app.command("ask")(ask.ask)
app.command("watch")(watch.watch)
app.command("due")(due.due)
app.command("mood")(mood.mood)
app.command("graph")(graph.graph)
app.command("items")(listing.items)
app.command("categories")(listing.categories)
app.command("history")(history.history)
app.command("rollback")(history.rollback)
app.command("export")(rights.export)
app.command("import")(rights.import_)
app.command("forget")(rights.forget)
app.add_typer(blocks.app, name="blocks")
app.add_typer(conversations.app, name="conversations")
app.add_typer(grants.app, name="grants")
app.add_typer(jobs.app, name="jobs")
app.command("maintain")(forgetting.maintain)
app.command("reflect")(reflect.reflect)
app.command("restore")(forgetting.restore)
app.command("correct")(correct.correct)
app.command("timeline")(timeline.timeline)
app.command("profile")(profile.profile)
app.add_typer(kv.app, name="kv")
app.command("worker")(worker.worker)
app.command("serve")(serve.serve)
app.add_typer(keys.app, name="keys")
app.add_typer(workflows.app, name="workflows")
app.command("plugins")(plugins.plugins)
app.command("doctor")(doctor.doctor)
app.command("usage")(usage.usage)
app.command("migrate")(maintain.migrate)
app.command("reindex")(maintain.reindex)
app.command("copy")(copy.copy)


def _version(wanted: bool) -> None:
    if wanted:
        print_text(f"memu {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Hold the options of the command itself."""


def main() -> None:
    """Run the command line: 0 for success, 1 for a failure, 2 for a wrong call, 130 for Ctrl-C; never a traceback."""
    tolerate()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run a command line and return its exit code.

    Args:
        arguments: what follows `memu`.
    """
    try:
        app(args=arguments, prog_name="memu")
    except MemuError as error:
        return _fail(error)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    return 0


def _fail(error: MemuError) -> int:
    text, hint = str(error.args[0] if error.args else error), error.hint
    err.print(f"[bold red]Error:[/] {escape(text)}", highlight=False, soft_wrap=True)
    if hint:
        err.print(f"[bold]Hint:[/] {escape(hint)}", highlight=False, soft_wrap=True)
    return FAILED
