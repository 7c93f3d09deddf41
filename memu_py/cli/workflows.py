"""`memu workflows`: what runs, and whether a file would."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from memu_py.cli.console import print_json, print_text
from memu_py.cli.options import Config, Json
from memu_py.cli.run import settings_of
from memu_py.cli.table import columns, print_table

if TYPE_CHECKING:
    from memu_py.workflow.pipeline import Pipeline, PipelineStep
    from memu_py.workflow.registry import Registry

app = typer.Typer(help="Show the workflows, or check a file.", no_args_is_help=True)


@app.command("show")
def show(
    name: Annotated[str | None, typer.Argument(help="Only this workflow.")] = None,
    config: Config = None,
    json_: Json = False,
) -> None:
    """Show the steps as they will run."""
    from memu_py.service.workflows import build_workflows  # noqa: PLC0415 - slow to load, and help needs none of it

    settings = settings_of(config)
    book = build_workflows(settings, _registry(settings.plugins))
    pipelines = [book[name].pipeline] if name else [workflow.pipeline for workflow in book.values()]
    if json_:
        print_json({pipeline.name: [_step(step) for step in pipeline.steps] for pipeline in pipelines})
        return
    for pipeline in pipelines:
        _print(pipeline)


@app.command("check")
def check(
    file: Annotated[Path, typer.Argument(help="A workflow as YAML.", metavar="FILE")],
    config: Config = None,
) -> None:
    """Check a workflow file; every fault in one report, with its line."""
    from memu_py.service.workflows import check_workflow  # noqa: PLC0415 - slow to load, and help needs none of it

    settings = settings_of(config)
    pipeline = check_workflow(file, settings, _registry(settings.plugins))
    print_text(f"{file}: fine, {len(pipeline.steps)} steps")


def _registry(plugins: tuple[str, ...]) -> Registry:
    from memu_py.workflow.plugins import load_plugins  # noqa: PLC0415 - slow to load, and help needs none of it
    from memu_py.workflow.registry import Registry  # noqa: PLC0415 - the same

    registry = Registry()
    load_plugins(registry, plugins, os.environ)
    return registry


def _print(pipeline: Pipeline) -> None:
    rows = [
        [
            "∥" if len(pipeline.stages[step.stage]) > 1 else "",
            escape(step.name),
            f"{step.origin}{', required' if step.required else ''}",
            escape(_settings(step)),
        ]
        for step in pipeline.steps
    ]
    print_table(columns("", "step", "from", "settings", wide="settings"), rows, title=pipeline.name)


def _settings(step: PipelineStep) -> str:
    config = step.config.model_dump(exclude_defaults=True) if step.config else {}
    parts = [f"{key}={value!r}" for key, value in config.items()]
    parts += [f"use={step.use}"] if step.use != step.name else []
    parts += [f"when={dict(step.when)}"] if step.when else []
    parts += [f"on_error={step.on_error}"] if step.on_error != "fail" else []
    return " ".join(parts)


def _step(step: PipelineStep) -> dict[str, object]:
    return {
        "name": step.name,
        "use": step.use,
        "origin": step.origin,
        "required": step.required,
        "stage": step.stage,
        "config": step.config.model_dump(mode="json") if step.config else None,
    }
