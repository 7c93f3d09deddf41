"""Errors on their way over HTTP, as problem details (RFC 9457), and back."""

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memu_py.errors import (
    AccessDenied,
    BudgetExceeded,
    Cancelled,
    ConfigError,
    Conflict,
    EmbedderMismatch,
    HistoryGone,
    InvalidInput,
    Malformed,
    MemuError,
    MissingKey,
    ModelError,
    NotFound,
    OutsideScope,
    RateLimited,
    SchemaMismatch,
    ScopeRequired,
    ServerBusy,
    StepTimeout,
    StoreBusy,
    StoreUnreachable,
    TooLarge,
    Unauthorized,
    UnsupportedModality,
)
from memu_py.records.plain import plain

PROBLEM_JSON = "application/problem+json"
PREFIX = "urn:memu:problem:"
REQUEST = "urn:memu:request:"
BLANK = "about:blank"

STATUS: Mapping[type[MemuError], int] = {
    InvalidInput: 422,
    ScopeRequired: 400,
    Malformed: 400,
    TooLarge: 413,
    UnsupportedModality: 415,
    OutsideScope: 403,
    NotFound: 404,
    AccessDenied: 403,
    Unauthorized: 401,
    RateLimited: 429,
    Conflict: 409,
    HistoryGone: 410,
    ServerBusy: 503,
    StoreBusy: 503,
    StoreUnreachable: 503,
    SchemaMismatch: 503,
    EmbedderMismatch: 503,
    ModelError: 502,
    BudgetExceeded: 402,
    # What was asked for is not set up here.
    ConfigError: 501,
    MissingKey: 503,
    StepTimeout: 504,
    Cancelled: 503,
    MemuError: 500,
}
"""The status of each error; of others that of the nearest class above."""

AGAIN_S = 1
"""Seconds after which what was busy or away may be asked again."""
AGAIN = (ServerBusy, StoreBusy, StoreUnreachable)


def status_of(error: MemuError) -> int:
    """Return the HTTP status of an error."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def retry_after(error: MemuError) -> float | None:
    """Return after how many seconds the same request may work; None where that is not the point."""
    if isinstance(error, RateLimited):
        return error.retry_after_s
    return AGAIN_S if isinstance(error, AGAIN) else None


def problem_of(error: MemuError, *, request_id: str) -> dict[str, Any]:
    """Return an error as problem details.

    Args:
        error: the error.
        request_id: of the request that it ended.
    """
    kind = type(error)
    told = {name: plain(value) for name, value in vars(error).items() if _is_told(name, value)}
    return {
        "type": PREFIX + _kebab(kind.__name__),
        "title": (kind.__doc__ or kind.__name__).strip().splitlines()[0],
        "status": status_of(error),
        "detail": str(error.args[0]) if error.args else "",
        "hint": error.hint,
        "instance": REQUEST + request_id,
        **({"details": told} if told else {}),
    }


def _is_told(name: str, value: Any) -> bool:
    return not name.startswith("_") and name != "hint" and isinstance(value, str | int | float | tuple)


def error_of(problem: Mapping[str, Any], *, status: int) -> MemuError:
    """Return the error that a problem tells of.

    Args:
        problem: problem details; what is not of this server is told as plain `MemuError`.
        status: of the response.
    """
    name = str(problem.get("type", "")).removeprefix(PREFIX)
    kind = _kinds().get(name, MemuError)
    detail = str(problem.get("detail") or problem.get("title") or f"the server answered {status}")
    hint = problem.get("hint")
    error = kind.__new__(kind)
    MemuError.__init__(error, detail, hint=None if hint is None else str(hint))
    for field, value in (problem.get("details") or {}).items():
        setattr(error, field, value)
    return error


@functools.cache
def _kinds() -> dict[str, type[MemuError]]:
    return {_kebab(kind.__name__): kind for kind in _below(MemuError)}


def _below(kind: type[MemuError]) -> Iterator[type[MemuError]]:
    yield kind
    for one in kind.__subclasses__():
        yield from _below(one)


def _kebab(name: str) -> str:
    """Write a class's name as part of an address.

    >>> _kebab("ScopeRequired")
    'scope-required'
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()
