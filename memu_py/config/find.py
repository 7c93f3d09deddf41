"""Where the command line finds its configuration."""

from collections.abc import Mapping
from pathlib import Path

from memu_py.errors import ConfigError

VARIABLE = "MEMU_CONFIG"
FILE_NAME = "config.yaml"


def find_config(explicit: Path | None, env: Mapping[str, str], cwd: Path) -> Path | None:
    """Return the first there is: the file named, `$MEMU_CONFIG`, `config.yaml` in the working directory.

    Args:
        explicit: the file named by `--config`.
        env: the environment.
        cwd: the working directory.

    Returns:
        None when there is none of them: the packaged defaults apply.

    Raises:
        ConfigError: a file that was named is not there.
    """
    if explicit is not None:
        return _existing(Path(cwd, explicit), "--config")
    if env.get(VARIABLE):
        return _existing(Path(cwd, env[VARIABLE]).expanduser(), f"${VARIABLE}")
    found = cwd / FILE_NAME
    return found if found.is_file() else None


def _existing(path: Path, source: str) -> Path:
    if path.is_file():
        return path
    msg = f"{source} names {path}, which is no file"
    raise ConfigError(msg)
