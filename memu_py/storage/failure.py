"""Errors of the database, in our words: what is wrong and what to do."""

import re
import sqlite3

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, OperationalError, StatementError

from memu_py.errors import Conflict, InvalidInput, MemuError, StoreBusy, StoreError, StoreUnreachable

_PRIMARY_CODE = 0xFF
BUSY_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})

_REASONS: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_NOTADB: ("is not a database", "name another path, or move the file away"),
    sqlite3.SQLITE_CORRUPT: (
        "is damaged",
        "restore it from a copy, or recover it with `sqlite3 FILE .recover`",
    ),
    sqlite3.SQLITE_READONLY: ("cannot be written to", "check the permissions of the file and of its folder"),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened",
        "check that the path is a file in a folder you may write to",
    ),
    sqlite3.SQLITE_FULL: ("has no room left", "free space on the disk; nothing of this call was written"),
    sqlite3.SQLITE_IOERR: ("cannot be read or written", "check the disk and its file system"),
    sqlite3.SQLITE_PERM: ("may not be used", "check the permissions of the file and of its folder"),
    sqlite3.SQLITE_AUTH: ("may not be used", "check the permissions of the file and of its folder"),
}

_STATES: dict[str, tuple[str, str]] = {
    "42501": (
        "may not be used so by this user",
        "grant the user what is missing, or name another in `database.dsn`",
    ),
    "53100": ("has no room left", "free space on the disk; nothing of this call was written"),
    "53300": ("has no connection left", "raise its max_connections, or lower `database.readers`"),
    "0A000": ("lacks a part that is needed", "is pgvector installed on the server?"),
    "58P01": ("lacks a part that is needed", "is pgvector installed on the server?"),
}
"""PostgreSQL's own codes."""
LOCKED = "55P03"
"""PostgreSQL's code for a lock that was not free in time."""
TOO_LARGE = "22003"
"""Its code for a number that a column cannot hold."""
NUL = "cannot contain NUL"
"""What its driver says of a text that no column holds, without a code."""
CLASHES = frozenset({"40001", "40P01"})
"""Its codes for a transaction that it gave up in favour of another."""
NOT_UP = "the database system is"
"""How a server begins to say that it is starting, or going down."""
_REFUSAL = re.compile(r"FATAL:\s*(.+)")
GONE = frozenset({"08000", "08001", "08003", "08004", "08006", "57P01", "57P02", "57P03"})
"""Its codes for a server that cannot be reached, or goes away."""


def state_of(error: BaseException) -> str | None:
    """Return PostgreSQL's code of an error, if it is one of it."""
    cause = error.orig if isinstance(error, StatementError) else error
    state = getattr(cause, "sqlstate", None)
    return state if isinstance(state, str) else None


def is_clash(error: BaseException) -> bool:
    """Say whether a transaction was given up in favour of another, and may be tried again."""
    return state_of(error) in CLASHES


def is_gone(error: BaseException) -> bool:
    """Say whether the server cannot be reached, or went away."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    if isinstance(error, OperationalError) and state_of(error) is None and code_of(error) is None:
        refused = refusal(error)
        return refused is None or refused.startswith(NOT_UP)
    return state_of(error) in GONE


def refusal(error: BaseException) -> str | None:
    """Return what a server said to one that it did not let in; the driver gives no code for that."""
    found = _REFUSAL.search(str(error))
    return found.group(1).strip() if found else None


def code_of(error: BaseException) -> int | None:
    """Return SQLite's primary error code, if it is an error of SQLite."""
    cause = error.orig if isinstance(error, StatementError) else error
    code = getattr(cause, "sqlite_errorcode", None)
    return None if code is None else code & _PRIMARY_CODE


def is_busy(error: BaseException) -> bool:
    """Say whether the database was locked by somebody else."""
    return isinstance(error, StoreBusy) or code_of(error) in BUSY_CODES or state_of(error) == LOCKED


def translate(error: Exception, where: str) -> MemuError:
    """Return the error to raise in place of the database's.

    Args:
        error: from a driver or from SQLAlchemy.
        where: the database, as a person knows it.
    """
    if isinstance(error, StatementError) and isinstance(error.orig, MemuError):
        return error.orig
    if is_busy(error):
        return StoreBusy(f"{where} was locked by other writers for too long", hint="try again")
    if isinstance(error, UnicodeEncodeError):
        return InvalidInput("an id or a hash is not valid Unicode")
    if isinstance(error, OverflowError) or state_of(error) == TOO_LARGE:
        return InvalidInput("a whole number is larger than a database holds")
    if isinstance(error, DataError) and NUL in str(error.orig):
        return InvalidInput("a name or an id has a NUL character in it")
    if isinstance(error, IntegrityError):
        return Conflict(f"{where} holds a record that contradicts this one: {error.orig}")
    known = _REASONS.get(code_of(error) or -1) or _STATES.get(state_of(error) or "")
    if known is not None:
        return StoreError(f"{where} {known[0]}", hint=known[1])
    if is_gone(error):
        return StoreUnreachable(
            f"{where} cannot be reached", hint="is the server up? nothing was acknowledged"
        )
    if (refused := refusal(error)) is not None:
        return StoreError(f"{where} lets nobody in: {refused}", hint="check `database.dsn`")
    reason = error.orig if isinstance(error, DBAPIError) else error
    return StoreError(f"{where} refused: {reason}")
