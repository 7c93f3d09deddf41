"""`memu plugins`: what is installed and what each brings."""

import os

from rich.markup import escape

from memu_py.cli.console import print_json
from memu_py.cli.options import Config, Json
from memu_py.cli.run import settings_of
from memu_py.cli.table import columns, print_table


def plugins(config: Config = None, json_: Json = False) -> None:
    """List plug-ins: name, version, and what each registers."""
    from memu_py.workflow.plugins import load_plugins  # noqa: PLC0415 - slow to load, and help needs none of it
    from memu_py.workflow.registry import Registry  # noqa: PLC0415 - the same

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
    lines = [
        [escape(one.name), escape(one.version), escape(kind), escape(", ".join(names))]
        for one in found
        for kind, names in (one.registers or {"": ()}).items()
    ]
    print_table(columns("plug-in", "version", "kind", "registers", wide="registers"), lines)
