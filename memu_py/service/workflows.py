"""The service's workflows: the packaged ones, as the configuration changes them."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memu_py.config.packaged import packaged
from memu_py.config.settings import Settings
from memu_py.config.workflows import WorkflowSettings
from memu_py.errors import ConfigError
from memu_py.marked_yaml import Mark, load_yaml
from memu_py.nearest import unknown
from memu_py.steps.contracts import (
    MAINTAIN_INPUTS,
    MAINTAIN_OUTPUTS,
    MEMORIZE_INPUTS,
    MEMORIZE_OUTPUTS,
    RETRIEVE_INPUTS,
    RETRIEVE_LLM_OUTPUTS,
    RETRIEVE_OUTPUTS,
    lacking,
)
from memu_py.workflow.book import WorkflowBook
from memu_py.workflow.load import load_workflow
from memu_py.workflow.merge import merge_list
from memu_py.workflow.pipeline import Pipeline
from memu_py.workflow.registry import Registry


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class PackagedWorkflow:
    """A workflow that comes with the package.

    Attributes:
        file: its packaged file.
        inputs: what a run of it starts from.
        outputs: what a run of it gives.
    """

    file: str
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]


PACKAGED = {
    "memorize": PackagedWorkflow(file="memorize.yaml", inputs=MEMORIZE_INPUTS, outputs=MEMORIZE_OUTPUTS),
    "maintain": PackagedWorkflow(file="maintain.yaml", inputs=MAINTAIN_INPUTS, outputs=MAINTAIN_OUTPUTS),
    "retrieve_rag": PackagedWorkflow(
        file="retrieve_rag.yaml", inputs=RETRIEVE_INPUTS, outputs=RETRIEVE_OUTPUTS
    ),
    "retrieve_llm": PackagedWorkflow(
        file="retrieve_llm.yaml", inputs=RETRIEVE_INPUTS, outputs=RETRIEVE_LLM_OUTPUTS
    ),
}


def build_workflows(settings: Settings, registry: Registry) -> WorkflowBook:
    """Load every packaged workflow, with what the configuration says about it.

    Raises:
        ConfigError: the configuration names a workflow that there is not.
        WorkflowError: a workflow has faults; all of them, with file and line.
    """
    for name in settings.workflows:
        if name not in PACKAGED:
            mark = settings.mark(("workflows", name))
            raise ConfigError(f"{mark}: {unknown('workflow', name, PACKAGED)}")
    book = WorkflowBook()
    for name in PACKAGED:
        book.register(_configured(name, settings, registry))
    return book


def check_workflow(path: Path, settings: Settings, registry: Registry) -> Pipeline:
    """Load a workflow file that is to take the place of the packaged one of the same name.

    Args:
        path: the file.
        settings: the configuration that it would run with.
        registry: the steps there are.

    Raises:
        ConfigError: it cannot be read, or there is no packaged workflow of its name.
        WorkflowError: it has faults; all of them, with line.
    """
    text = read_workflow(path)
    document = load_yaml(text, file=str(path))
    name = document.value.get("name") if isinstance(document.value, Mapping) else None
    if name not in PACKAGED:
        msg = f"{document.mark(('name',))}: `name` must be one of {', '.join(PACKAGED)}"
        raise ConfigError(msg, hint="it says whose place the workflow takes")
    return _load(name, text, str(path), settings, registry)


def load_packaged(name: str, registry: Registry, settings: Settings | None = None) -> Pipeline:
    """Return a workflow as it is packaged.

    Args:
        name: of the workflow.
        registry: the steps there are.
        settings: tell what later edits of it may not need.
    """
    known = PACKAGED[name]
    return load_workflow(
        packaged(known.file),
        file=known.file,
        registry=registry,
        inputs=known.inputs,
        outputs=known.outputs,
        lacks=lacking(settings) if settings is not None else None,
    )


def _configured(name: str, settings: Settings, registry: Registry) -> Pipeline:
    base = load_packaged(name, registry, settings)
    wanted = settings.workflows.get(name, WorkflowSettings())
    if wanted.steps is not None:
        return merge_list(base, list(wanted.steps), _marks(settings, name))
    if wanted.file is not None:
        return _load(name, read_workflow(wanted.file), str(wanted.file), settings, registry)
    return base


def _load(name: str, text: str, file: str, settings: Settings, registry: Registry) -> Pipeline:
    known = PACKAGED[name]
    return load_workflow(
        text,
        file=file,
        registry=registry,
        inputs=known.inputs,
        outputs=known.outputs,
        packaged=load_packaged(name, registry),
        lacks=lacking(settings),
    )


def _marks(settings: Settings, name: str) -> Any:
    def mark(path: tuple[str | int, ...]) -> Mark:
        return settings.mark(("workflows", name, "steps", *path))

    return mark


def read_workflow(path: Path) -> str:
    """Return the text of a workflow file.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        msg = f"the workflow file {path} cannot be read: {error.strerror}"
        raise ConfigError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"the workflow file {path} is not UTF-8"
        raise ConfigError(msg, hint="save it as UTF-8") from error
