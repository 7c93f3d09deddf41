"""What lies in the repository: packaged YAML, and nothing that belongs to one machine."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEFAULTS = ROOT / "memu_py" / "_defaults"
FOREIGN = {
    "a path of one machine": re.compile(r"(?<![\w.])/(?:work|root|home/\w+|Users/\w+)/"),
    "a registry's host": re.compile(r"pypi\.org|pythonhosted\.org|registry\.npmjs|static\.crates\.io"),
}
LOCKS = {"uv.lock", "Cargo.lock"}


def files_of_the_repository() -> list[str]:
    """Files that git tracks or would track."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [name for name in listing.split("\0") if name]


def yaml_files() -> list[Path]:
    return sorted(path for folder in ("workflows", "configs") for path in (ROOT / folder).glob("*.yaml"))


def canonical(requirement: str) -> str:
    """The name in a requirement, as registries write it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement, maxsplit=1)[0]).lower()


def test_every_yaml_file_is_linked_into_the_package() -> None:
    linked = {link.resolve() for link in DEFAULTS.rglob("*.yaml") if link.is_symlink()}

    assert yaml_files()
    assert [path.name for path in yaml_files() if path.resolve() not in linked] == []


def test_every_packaged_yaml_is_a_relative_link_to_a_file() -> None:
    links = sorted(DEFAULTS.rglob("*.yaml"))

    assert links
    for link in links:
        assert link.is_symlink(), f"{link.name} is a copy; link it to workflows/ or configs/"
        assert not link.readlink().is_absolute(), link.name
        assert link.exists(), f"{link.name} points to nothing"


def test_nothing_in_the_repository_belongs_to_one_machine() -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git clone")
    found = []
    for name in files_of_the_repository():
        path = ROOT / name
        if name in LOCKS or path == Path(__file__) or not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", errors="ignore")
        found += [
            f"{name}: {what}: {match[0]}" for what, rule in FOREIGN.items() for match in rule.finditer(text)
        ]

    assert found == []


def test_the_lock_names_the_public_registry_only() -> None:
    packages = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    sources = {registry for package in packages if (registry := package["source"].get("registry"))}
    files = [file["url"] for package in packages for file in package.get("wheels", [])]

    assert sources == {"https://pypi.org/simple"}
    assert {url.split("/")[2] for url in files} == {"files.pythonhosted.org"}


def test_the_lock_holds_every_declared_dependency() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    (own,) = (package for package in packages if package["source"] == {"editable": "."})
    pairs = [
        (pyproject["project"]["dependencies"], own["dependencies"]),
        (pyproject["project"]["optional-dependencies"]["onnx"], own["optional-dependencies"]["onnx"]),
        (pyproject["dependency-groups"]["dev"], own["dev-dependencies"]["dev"]),
    ]

    for declared, locked in pairs:
        assert {entry["name"] for entry in locked} == {canonical(line) for line in declared}


def test_ci_runs_the_test_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    assert "\nmake test\n" in readme
    assert "\nmake test\n" in script
