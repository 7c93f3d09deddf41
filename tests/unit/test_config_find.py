"""Where the command line finds its configuration."""

from pathlib import Path

import pytest

from memu_py.config.find import find_config
from memu_py.errors import ConfigError


def test_the_named_file_comes_first(tmp_path: Path) -> None:
    for name in ("named.yaml", "variable.yaml", "config.yaml"):
        (tmp_path / name).touch()
    env = {"MEMU_CONFIG": str(tmp_path / "variable.yaml")}

    assert find_config(Path("named.yaml"), env, tmp_path) == tmp_path / "named.yaml"
    assert find_config(None, env, tmp_path) == tmp_path / "variable.yaml"
    assert find_config(None, {"MEMU_CONFIG": ""}, tmp_path) == tmp_path / "config.yaml"


def test_without_any_there_is_none(tmp_path: Path) -> None:
    assert find_config(None, {}, tmp_path) is None


def test_a_relative_variable_counts_from_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").touch()

    assert find_config(None, {"MEMU_CONFIG": "own.yaml"}, tmp_path) == tmp_path / "own.yaml"


def test_a_named_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--config names .*none.yaml, which is no file"):
        find_config(Path("none.yaml"), {}, tmp_path)
    with pytest.raises(ConfigError, match=r"\$MEMU_CONFIG names .*none.yaml, which is no file"):
        find_config(None, {"MEMU_CONFIG": "none.yaml"}, tmp_path)
