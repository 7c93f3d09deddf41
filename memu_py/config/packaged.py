"""Files that come with the package: configurations and workflows."""

from importlib.resources import files

from memu_py.errors import ConfigError
from memu_py.nearest import unknown

FOLDER = "_defaults"


def packaged(name: str) -> str:
    """Return the text of a packaged file.

    Args:
        name: such as `default.yaml` or `memorize.yaml`.

    Raises:
        ConfigError: there is no such file; names the nearest.
    """
    names = packaged_names()
    if name not in names:
        raise ConfigError(unknown("packaged file", name, names))
    return files("memu_py").joinpath(FOLDER, name).read_text(encoding="utf-8")


def packaged_names() -> tuple[str, ...]:
    """Return the names of all packaged files, sorted."""
    folder = files("memu_py").joinpath(FOLDER)
    return tuple(sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".yaml")))
