"""What the integration tests share."""

from collections.abc import Iterator

import pytest
from cli_kit import Memu
from local_llm_kit import LocalModel, running

from memu_py.cli.app import run


@pytest.fixture
def memu(capsys: pytest.CaptureFixture[str]) -> Memu:
    """The command line: arguments in; exit code, output and errors out."""

    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture(scope="session")
def local_llm() -> Iterator[LocalModel]:
    """A real chat model."""
    yield from running()
