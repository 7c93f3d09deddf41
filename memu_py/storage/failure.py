"""Errors of the database, in our words: what is wrong and what to do."""

import sqlite3

from sqlalchemy.exc import DBAPIError, IntegrityError, StatementError

from memu_py.errors import Conflict, InvalidInput, MemuError, StoreBusy, StoreError

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


def code_of(error: BaseException) -> int | None:
    """Return SQLite's primary error code, if it is an error of SQLite."""
    cause = error.orig if isinstance(error, StatementError) else error
    code = getattr(cause, "sqlite_errorcode", None)
    return None if code is None else code & _PRIMARY_CODE


def is_busy(error: BaseException) -> bool:
    """Say whether the database was locked by somebody else."""
    return isinstance(error, StoreBusy) or code_of(error) in BUSY_CODES


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
    if isinstance(error, OverflowError):
        return InvalidInput("a whole number has more than 64 bits")
    if isinstance(error, IntegrityError):
        return Conflict(f"{where} holds a record that contradicts this one: {error.orig}")
    known = _REASONS.get(code_of(error) or -1)
    if known is not None:
        return StoreError(f"{where} {known[0]}", hint=known[1])
    reason = error.orig if isinstance(error, DBAPIError) else error
    return StoreError(f"{where} refused: {reason}")
