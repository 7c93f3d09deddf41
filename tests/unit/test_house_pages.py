"""The tables of the documentation, held to the code that they describe."""

import dataclasses
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer.main
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from memu_py import MemorizeResult, MemoryService, RetrieveResult
from memu_py.cli.app import app
from memu_py.scoring.profiles import ACTIVATION, FACTORS, PROFILES
from memu_py.service.workflows import PACKAGED, load_packaged
from memu_py.storage.fields import CATEGORY_FIELDS, ITEM_FIELDS, JOB_FIELDS, RESOURCE_FIELDS, Field
from memu_py.workflow.plugins import load_plugins
from memu_py.workflow.registry import STEP, Registry
from memu_py.workflow.spec import StepSpec

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DECISIONS = DOCS / "decisions"
LONGEST_DECISION = 24
SHARED_OPTIONS = {"--config", "--user", "--help"}


def rows(page: str, label: str) -> list[str]:
    """Return the rows of a table whose first cell matches."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if re.match(rf"\| {label}", line)]


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def commands(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Return all commands below a group, however the command-line library calls its classes."""
    for name, command in group.commands.items():
        label = f"{prefix} {name}"
        if hasattr(command, "commands"):
            yield from commands(command, label)
        else:
            yield label, command


def own_options(command: Any) -> set[str]:
    """Return what the page must name: options that are not shared, and arguments in capitals."""
    found: set[str] = set()
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            found.add((parameter.metavar or parameter.name).upper())
        elif not SHARED_OPTIONS & set(parameter.opts):
            found |= set(parameter.opts)
    return found


def shown(value: Any) -> str:
    """Return a default as the page writes it."""
    if (
        value is None
        or value == {}
        or (isinstance(value, Mapping) and not all(map(is_plain, value.values())))
    ):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, Mapping):
        return "`{" + ", ".join(f"{key}: {part}" for key, part in value.items()) + "}`"
    return f"`{value}`"


def is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float)


def default(field: FieldInfo) -> str:
    return shown(field.get_default(call_default_factory=True, validated_data={}))


def setting_rows() -> Iterator[list[str]]:
    registry = Registry()
    load_plugins(registry, (), {"MEMU_PLUGINS": "none"})
    seen: set[str] = set()
    for workflow in PACKAGED:
        for step in load_packaged(workflow, registry).steps:
            model = registry.step(step.use).config
            if model is not None and step.use not in seen:
                seen.add(step.use)
                yield from model_rows(step.name, model)
    for name in optional_steps(registry):
        model = registry.step(name).config
        if model is not None:
            yield from model_rows(name, model)


def optional_steps(registry: Registry) -> list[str]:
    """The built-in steps that no packaged workflow names."""
    used = {step.use for workflow in PACKAGED for step in load_packaged(workflow, registry).steps}
    return [name for name in registry.names(STEP) if name not in used]


def model_rows(step: str, model: type[BaseModel]) -> Iterator[list[str]]:
    for name, field in model.model_fields.items():
        yield [f"`{step}`", f"`{name}`", default(field), str(field.description)]


def test_every_setting_of_a_packaged_step_has_its_row() -> None:
    expected = list(setting_rows())
    found = [cells(row) for row in rows("workflows.md", "`[a-z_]+` \\| `[a-z_]+` \\|") if row.count("|") == 5]

    assert ["`rank`", "`top_k`"] not in [row[:2] for row in expected]
    assert found == expected, "\n".join(f"| {' | '.join(row)} |".replace("|  |", "| |") for row in expected)


def test_every_packaged_step_is_described() -> None:
    registry = Registry()
    load_plugins(registry, (), {"MEMU_PLUGINS": "none"})
    page = (DOCS / "workflows.md").read_text(encoding="utf-8")
    described = set(re.findall(r"`([a-z_]+)`", "\n".join(re.findall(r"^\| `[a-z_`, ]+ \|.*$", page, re.M))))

    packaged = {step.name for name in PACKAGED for step in load_packaged(name, registry).steps}
    assert packaged | set(optional_steps(registry)) <= described


def test_every_key_of_a_step_in_yaml_has_its_row() -> None:
    keys = {field.alias or name for name, field in StepSpec.model_fields.items()}
    found = {cells(row)[0].strip("`") for row in rows("workflows.md", "`")}

    assert keys <= found


@pytest.mark.parametrize(
    ("label", "command"),
    [pytest.param(*pair, id=pair[0]) for pair in commands(typer.main.get_group(app), "memu")],
)
def test_every_command_has_its_row_with_all_its_options(label: str, command: Any) -> None:
    (row,) = rows("cli.md", f"`{label}` ")
    named = set(re.findall(r"`([^`]+)`", cells(row)[1]))

    assert {name.rstrip("…") for name in named} == {name.rstrip("…") for name in own_options(command)}


def test_every_method_of_the_service_has_its_row() -> None:
    public = {name for name in dir(MemoryService) if not name.startswith("_")}
    found = {cells(row)[0].strip("`") for row in rows("python.md", "`[a-z_]+` \\|")}

    parts = {
        field.name for result in (MemorizeResult, RetrieveResult) for field in dataclasses.fields(result)
    }

    assert found - (parts - public) == public


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("items", ITEM_FIELDS),
        ("resources", RESOURCE_FIELDS),
        ("categories", CATEGORY_FIELDS),
        ("jobs", JOB_FIELDS),
    ],
)
def test_every_field_to_filter_by_is_named(kind: str, fields: Mapping[str, Field]) -> None:
    (row,) = rows("storage.md", f"{kind} ")
    named = {name.removesuffix(".<name>") for name in re.findall(r"`([^`]+)`", cells(row)[1])}

    assert named == set(fields)


def test_every_scoring_profile_has_its_row_with_its_weights() -> None:
    table = {cells(row)[0].strip("`"): cells(row)[1] for row in rows("retrieval.md", "`[a-z_]+` \\| [a-z]")}

    for name, profile in PROFILES.items():
        weights = dict(zip(FACTORS, profile.weights, strict=True)) | {ACTIVATION: profile.activation}
        weights |= dict(profile.sources or {})
        expected = ", ".join(f"{factor} {weight:g}" for factor, weight in weights.items() if weight)
        assert table[name] == (expected or "none")


def test_decisions_are_numbered_short_and_listed() -> None:
    files = sorted(DECISIONS.glob("0*.md"))
    index = (DECISIONS / "README.md").read_text(encoding="utf-8")

    assert [file.name[:4] for file in files] == [f"{number:04}" for number in range(1, len(files) + 1)]
    for file in files:
        lines = file.read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith(f"# {file.name[:4]} "), file.name
        assert [line for line in lines if line.startswith("## ")] == [
            "## Context",
            "## Decision",
            "## Consequences",
        ], file.name
        assert len(lines) <= LONGEST_DECISION, file.name
        assert f"[{lines[0][2:]}]({file.name})" in index, file.name
