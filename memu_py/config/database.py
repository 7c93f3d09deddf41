"""`database`: where memories are kept."""

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from memu_py.config.secret import Secret
from memu_py.config.section import ConfigPath, Section

Backend = Literal["memory", "sqlite", "postgres"]
DEFAULT_FILE = Path("memu.db")
IN_MEMORY = ":memory:"


class DatabaseSettings(Section):
    """The store."""

    backend: Backend = Field(default="sqlite", description="memory, sqlite or postgres")
    path: ConfigPath = Field(default=DEFAULT_FILE, description="the database file of sqlite")
    dsn: Secret | None = Field(default=None, description="the address of postgres, with its password")
    keep_changes_days: int | None = Field(
        default=None,
        ge=1,
        description="days of history that are kept when a service opens; left out, all of it",
    )
    keep_answers_days: int = Field(
        default=30,
        ge=1,
        description="days for which answers of chat models are kept, so that they are not paid twice",
    )
    busy_timeout_s: float = Field(
        default=30.0, gt=0, description="how long a write waits for other processes, in seconds"
    )
    readers: int = Field(default=4, ge=1, le=64, description="threads that read at the same time")

    row_level_security: bool = Field(
        default=False, description="with postgres: have the server hold users apart, too"
    )

    @model_validator(mode="before")
    @classmethod
    def _memory_by_its_sqlite_name(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("path") == IN_MEMORY:
            return {key: part for key, part in value.items() if key != "path"} | {"backend": "memory"}
        return value

    @model_validator(mode="after")
    def _reachable(self) -> "DatabaseSettings":
        if self.backend == "postgres" and not self.dsn:
            msg = "backend postgres needs `dsn`, such as ${MEMU_DSN}"
            raise ValueError(msg)
        return self
