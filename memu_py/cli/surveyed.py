"""What `memu memorize --dry-run` shows: what would be taken in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape

from memu_py.cli.console import err, print_json
from memu_py.cli.table import Column, columns, day, print_table
from memu_py.cli.taken import report_left_out
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from memu_py.config.settings import Settings
    from memu_py.importers.survey import FoundConversation, FoundFile, Survey
    from memu_py.records.scope import Scope

COLUMNS = [
    Column(name="resource", wide=True),
    *columns("kind"),
    Column(name="messages", justify="right"),
    *columns("first", "last"),
    Column(name="bytes", justify="right"),
]


def report_survey(surveys: Sequence[Survey], settings: Settings, scope: Scope, *, as_json: bool) -> None:
    """Say what would be taken in, and what would not.

    Args:
        surveys: one for each path.
        settings: the configuration.
        scope: whose days are shown.
        as_json: one document in place of a table.
    """
    from memu_py.language.zones import zone  # noqa: PLC0415 - slow to load, and help needs none of it

    conversations = [one for survey in surveys for one in survey.conversations]
    files = [one for survey in surveys for one in survey.files]
    left_out = [one for survey in surveys for one in survey.left_out]
    if as_json:
        print_json(plain({"conversations": conversations, "files": files, "left_out": left_out}))
        return
    local = zone(settings.timezone_of(scope.user))
    print_table(COLUMNS, [*(_conversation(one, local) for one in conversations), *map(_file, files)])
    report_left_out(left_out)
    messages = sum(one.messages for one in conversations)
    told = f"{len(conversations)} conversations with {messages} messages, {len(files)} other files. Nothing is stored."
    err.print(told, highlight=False, soft_wrap=True)


def _conversation(one: FoundConversation, local: tzinfo) -> list[str]:
    period = day(one.started, local), day(one.ended, local)
    return [escape(one.title or one.url), escape(one.importer), str(one.messages), *period, ""]


def _file(one: FoundFile) -> list[str]:
    return [escape(one.name), escape(one.modality), "", "", "", str(one.size)]
