"""What is shipped for deployment fits the command, the extras and the configuration that there are."""

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml
from typer.main import get_command

from memu_py.cli.app import app
from memu_py.config.load import load_settings

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))[
        "services"
    ]
    return found


def options_of(command: str) -> set[str]:
    known = get_command(app).commands[command]  # type: ignore[attr-defined]
    return {option for parameter in known.params for option in parameter.opts}


def test_services_run_commands_that_there_are() -> None:
    ours = {name: one["command"] for name, one in services().items() if one.get("image") == "memu"}

    assert set(ours) == {"migrate", "server", "worker"}
    for command, *arguments in ours.values():
        given = {one for one in arguments if one.startswith("--")}
        assert given <= options_of(command)


def test_the_image_has_extras_that_there_are_and_runs_the_server() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = re.search(r"^ARG EXTRAS=(\S+)$", DOCKERFILE, re.M)

    assert named is not None
    assert {"server", "postgres"} <= set(named[1].split(",")) <= project["optional-dependencies"].keys()
    assert 'ENTRYPOINT ["memu"]' in DOCKERFILE
    assert "USER memu" in DOCKERFILE


def test_the_image_is_built_with_the_rust_that_the_core_needs() -> None:
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    assert f"FROM rust:{workspace['package']['rust-version']}-" in DOCKERFILE


def test_its_configuration_loads_and_reads_no_file_of_the_machine() -> None:
    path = ROOT / "examples" / "deployment" / "config.yaml"
    settings = load_settings(path, env={"MEMU_DSN": "postgresql://memu@database/memu"})

    assert settings.database.backend == "postgres"
    assert settings.blobs.allowed_roots == ()
