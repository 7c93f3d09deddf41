"""The wheel: what is inside, and that it works alone in an empty environment, from an empty folder."""

import fcntl
import json
import os
import subprocess
import sys
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """Run a command without the variables of the development environment; return what it printed."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "MEMU", "COV", "OPENAI")) and name != "VIRTUAL_ENV"
    }
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=kept | {"PYTHONUTF8": "1"} | variables,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    lock_file = ROOT / "target" / "wheel.lock"
    lock_file.parent.mkdir(exist_ok=True)
    with lock_file.open("w") as lock:
        # Test workers share the build's folder, in which two builds at once take each other's files away.
        fcntl.flock(lock, fcntl.LOCK_EX)
        run(BIN / "maturin", "build", "--quiet", "--release", "--locked", "--out", folder, cwd=ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and the locked versions of what it declares, and nothing else."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(folder, with_pip=False, symlinks=True)
    chosen = {"UV_PROJECT_ENVIRONMENT": str(folder), "UV_LINK_MODE": "copy"}
    run(BIN / "uv", "sync", "--frozen", "--no-default-groups", "--no-install-project", cwd=ROOT, **chosen)
    python = folder / "bin" / "python"
    run(BIN / "uv", "pip", "install", "--python", python, "--no-deps", "--no-index", wheel, cwd=folder)
    run(BIN / "uv", "pip", "check", "--python", python, cwd=folder)
    return folder


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


def test_the_wheel_runs_on_every_supported_python(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/WHEEL"))
        tags = message_from_bytes(archive.read(metadata)).get_all("Tag", [])
        extensions = [name for name in archive.namelist() if name.startswith("memu_py/_core")]

    assert [tag.rsplit("-", 1)[0] for tag in tags] == ["cp311-abi3"]
    assert sorted(extensions) == ["memu_py/_core.abi3.so", "memu_py/_core.pyi"]


def test_every_yaml_file_is_packed_as_a_real_file(wheel: Path) -> None:
    sources = {link.name: link.read_bytes() for link in (ROOT / "memu_py" / "_defaults").glob("*.yaml")}
    with zipfile.ZipFile(wheel) as archive:
        packed = {
            Path(info.filename).name: archive.read(info)
            for info in archive.infolist()
            if info.filename.startswith("memu_py/_defaults/") and info.filename.endswith(".yaml")
        }

    assert packed == sources
    assert {"memorize.yaml", "default.yaml"} <= packed.keys()


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}

    assert "memu_py/py.typed" in names
    assert {top for top in tops if not top.endswith(".dist-info")} == {"memu_py"}
    assert [name for name in names if name.endswith((".pyc", ".rs", ".db"))] == []


def test_the_installed_command_remembers_in_two_languages(environment: Path, empty: Path) -> None:
    memu = environment / "bin" / "memu"
    (empty / "english.txt").write_text(
        "Ann: I moved to Lisbon in May 2023.\nBen: I play the cello.\n", "utf-8"
    )
    (empty / "chinese.txt").write_text("我喜欢喝美式咖啡，不加糖不加奶。每周五会去星巴克。\n", "utf-8")

    run(memu, "memorize", "english.txt", "chinese.txt", cwd=empty)
    english = json.loads(run(memu, "retrieve", "Where does Ann live?", "--json", cwd=empty))
    chinese = json.loads(run(memu, "retrieve", "用户喜欢什么类型的咖啡？", "--json", cwd=empty))

    assert "Lisbon" in english["items"][0]["record"]["text"]
    assert "美式咖啡" in chinese["items"][0]["record"]["text"]
    assert "sqlite" in run(memu, "doctor", cwd=empty)


def test_the_installed_package_works_without_a_folder_of_its_own(environment: Path, empty: Path) -> None:
    script = """
import asyncio
from memu_py import MemoryService

async def main():
    async with MemoryService({"database": {"backend": "memory"}}) as service:
        await service.memorize(text="Ann plays the cello.", user="ann")
        print((await service.retrieve("Which instrument does Ann play?", user="ann")).items[0].record.text)

asyncio.run(main())
"""

    answer = run(environment / "bin" / "python", "-W", "error", "-c", script, cwd=empty)

    assert "cello" in answer
    assert list(empty.iterdir()) == []
