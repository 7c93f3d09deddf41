"""What tests of several rings share: a real PostgreSQL."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import postgres_kit


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a server, one for all tests of a process."""
    with postgres_kit.server() as address:
        yield address


@pytest.fixture
def dsn(postgres: str) -> Iterator[str]:
    """The address of a new, empty database."""
    with postgres_kit.database(postgres) as address:
        yield address
