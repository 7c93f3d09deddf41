"""From a file, a text or a mapping to settings."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from memu_py.config.environment import substitute
from memu_py.config.fault import config_error, faults_of
from memu_py.config.packaged import packaged
from memu_py.config.section import BASE
from memu_py.config.settings import UNNAMED, Settings
from memu_py.errors import ConfigError
from memu_py.marked_yaml import Document, load_yaml

Source = Settings | Mapping[str, Any] | str | Path | None

PACKAGED = "default.yaml"
_YAML_TEXT = re.compile(r"\n|:(?:\s|$)|^\s*[{\[]|^\s*$")


def load_settings(source: Source = None, *, env: Mapping[str, str] | None = None) -> Settings:
    """Load a configuration.

    Args:
        source: the path of a file; its text (a string with a line break or a `key: value`); a mapping of the
            same form; ready settings, which come back as they are; None for the packaged defaults.
        env: what `${NAME}` is looked up in; the process's environment by default.

    Returns:
        The settings. Relative paths in a file count from the file's folder, others from the working
        directory. Secrets whose variable is not set wait for it until they are needed.

    Raises:
        ConfigError: it cannot be read or has faults: all in one report, with file, line and column, and the
            nearest known names.
    """
    if isinstance(source, Settings):
        return source
    document, base = _read(source)
    return _settings(document, base, os.environ if env is None else env)


def _read(source: Mapping[str, Any] | str | Path | None) -> tuple[Document, Path]:
    if source is None:
        return load_yaml(packaged(PACKAGED), file=PACKAGED), Path.cwd()
    if isinstance(source, Mapping):
        return Document(source, file=UNNAMED), Path.cwd()
    if isinstance(source, str) and _YAML_TEXT.search(source):
        return load_yaml(source, file=UNNAMED), Path.cwd()
    path = Path(source).expanduser()
    return load_yaml(_text(path), file=str(source)), path.absolute().parent


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        msg = f"there is no config file {path}"
        raise ConfigError(
            msg, hint="configs/ of the project has ready ones; None takes the defaults"
        ) from error
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 (byte {error.start})"
        raise ConfigError(msg, hint="save it as UTF-8") from error
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}"
        raise ConfigError(msg) from error


def _settings(document: Document, base: Path, env: Mapping[str, str]) -> Settings:
    if not isinstance(document.value, Mapping | None):
        found = type(document.value).__name__
        msg = f"{document.mark(())}: a configuration is a mapping of sections, not {found}"
        raise ConfigError(msg)
    data = substitute(document.value or {}, env)
    try:
        settings = Settings.model_validate(data, context={BASE: base})
    except ValidationError as error:
        raise config_error(faults_of(error, Settings, document)) from error
    settings._document = document
    return settings
