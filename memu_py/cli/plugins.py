"""`memu plugins`: what is installed and what each brings."""

import os

from rich.markup import escape
from rich.table import Table

from memu_py.cli.console import out, print_json
from memu_py.cli.options import Config, Json
from memu_py.cli.run import settings_of
from memu_py.workflow.plugins import load_plugins
from memu_py.workflow.registry import Registry


def plugins(config: Config = None, json_: Json = False) -> None:
    """List plug-ins: name, version, and what each registers."""
    registry = Registry()
    load_plugins(registry, settings_of(config).plugins, os.environ)
    found = registry.plugins()
    if json_:
        rows = [
            {
                "name": one.name,
                "version": one.version,
                "registers": {kind: list(names) for kind, names in one.registers.items()},
            }
            for one in found
        ]
        print_json(rows)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("plug-in", "version", "kind", "registers"):
        table.add_column(column, ratio=1 if column == "registers" else None)
    for one in found:
        label, version = escape(one.name), one.version
        for kind, names in one.registers.items():
            table.add_row(label, version, kind, escape(", ".join(names)))
            label, version = "", ""
    out.print(table)
