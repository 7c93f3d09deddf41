"""From settings to a store, and database errors in our words."""

import dataclasses
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.exc import SQLAlchemyError

from memu_py.errors import ConfigError, StoreError
from memu_py.storage.factory import build_store
from memu_py.storage.failure import translate
from memu_py.storage.settings import StoreSettings, utc_now


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        (StoreSettings(backend="postgres"), "needs a dsn"),
        (StoreSettings(backend="postgres", dsn="postgresql://here/memu", readers=0), "readers"),
        (StoreSettings(backend="sqlit"), "did you mean `sqlite`"),
        (StoreSettings(), "path"),
        (StoreSettings(backend="memory", readers=0), "readers"),
        (StoreSettings(backend="memory", busy_timeout_s=-1), "busy_timeout_s"),
        (StoreSettings(backend="memory", keep_changes_days=-1), "keep_changes_days"),
    ],
)
def test_settings_that_cannot_be_used_are_named(settings: StoreSettings, match: str) -> None:
    with pytest.raises(ConfigError, match=match):
        build_store(settings)


def _names(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


async def test_the_path_of_sqlites_own_memory_is_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = build_store(StoreSettings(path=Path(":memory:")))
    await store.open()
    await store.close()
    assert _names(tmp_path) == []


def test_settings_are_frozen_and_now_is_aware() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        StoreSettings().backend = "x"  # type: ignore[misc]
    assert utc_now().tzinfo is not None


def _error(path: Path, *statements: str, options: str = "") -> SQLAlchemyError:
    engine = create_engine(f"sqlite:///file:{path}?uri=true{options}")
    with pytest.raises(SQLAlchemyError) as caught, engine.connect() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()
    return caught.value


def _read_only(path: Path) -> SQLAlchemyError:
    sqlite3.connect(path).close()
    return _error(path, "CREATE TABLE t (x)", options="&mode=ro")


def _full(path: Path) -> SQLAlchemyError:
    return _error(path, "PRAGMA max_page_count = 1", "CREATE TABLE t (x)", "CREATE TABLE u (x)")


def _nonsense(path: Path) -> SQLAlchemyError:
    return _error(path, "SELECT x FROM nowhere")


@pytest.mark.parametrize(
    ("make", "words"),
    [(_read_only, "permissions"), (_full, "free space"), (_nonsense, "no such table: nowhere")],
)
def test_database_errors_say_what_to_do(
    make: Callable[[Path], SQLAlchemyError], words: str, tmp_path: Path
) -> None:
    error = translate(make(tmp_path / "memu.db"), "database memu.db")
    assert isinstance(error, StoreError)
    assert words in str(error)
    assert "database memu.db" in str(error)
