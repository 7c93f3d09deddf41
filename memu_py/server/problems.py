"""Errors as responses: problem details, and never a traceback."""

import logging
import math
import traceback
import uuid
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from memu_py.errors import Malformed, MemuError, Unauthorized
from memu_py.wire.problem import BLANK, PREFIX, PROBLEM_JSON, REQUEST, problem_of, retry_after

LOGGER = logging.getLogger("memu_py.server")
INTERNAL = 500
CLIENT_GONE = 499


class Problem(BaseModel):
    """What went wrong (RFC 9457)."""

    type: str = Field(description="which error it is", examples=[f"{PREFIX}not-found"])
    title: str = Field(
        description="the error in general", examples=["There is no such record in this scope."]
    )
    status: int = Field(description="of the response", examples=[404])
    detail: str = Field(description="what happened here", examples=["no item 'x' in this scope"])
    hint: str | None = Field(default=None, description="what to do next")
    instance: str = Field(description="the request, as the log names it", examples=[f"{REQUEST}5f0c…"])
    errors: list[dict[str, Any]] | None = Field(
        default=None, description="each argument that is not usable: where it is, and why"
    )
    details: dict[str, Any] | None = Field(default=None, description="figures of this error")


def request_id(request: Request) -> str:
    """Return the id of a request, by which it is found in the log; made when it is asked for first."""
    state = request.scope.setdefault("state", {})
    found: str = state.setdefault("request_id", uuid.uuid4().hex)
    return found


def respond(problem: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with a problem."""
    return JSONResponse(
        dict(problem), status_code=problem["status"], headers=dict(headers or {}), media_type=PROBLEM_JSON
    )


def problem(request: Request, error: Exception) -> dict[str, Any]:
    """Return any error as problem details; one that is nobody's fault but ours is logged, without what it says.

    The message of an unknown error may hold a user's text, and a log is no place for it.
    """
    if isinstance(error, MemuError):
        found = problem_of(error, request_id=request_id(request))
        if found["status"] >= INTERNAL:
            LOGGER.warning("request %s: %s", request_id(request), type(error).__name__)
        return found
    if isinstance(error, HTTPException):
        return _blank(request, error.status_code, str(error.detail))
    if isinstance(error, ValidationError):
        return unusable(request, error)
    frames = "".join(traceback.format_tb(error.__traceback__))
    LOGGER.error("request %s failed: %s\n%s", request_id(request), type(error).__name__, frames)
    return _blank(request, INTERNAL, "something went wrong here; the log has it under the id of this request")


def _blank(request: Request, status: int, detail: str) -> dict[str, Any]:
    title = {404: "There is no such address.", 405: "The address takes another method."}.get(status, detail)
    return {
        "type": BLANK,
        "title": title,
        "status": status,
        "detail": detail,
        "hint": "see /docs" if status in (404, 405) else None,
        "instance": REQUEST + request_id(request),
    }


def unusable(request: Request, error: ValidationError) -> dict[str, Any]:
    """Return the faults of arguments as problem details, without what they were."""
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    if any(fault["type"] == "json_invalid" and not fault["loc"] for fault in faults):
        return problem(request, Malformed(f"the body is no JSON: {faults[0]['msg']}"))
    places = [{"path": ".".join(map(str, one["loc"])), "message": one["msg"]} for one in faults]
    told = "; ".join(f"{one['path']}: {one['message']}" for one in places[:3])
    return {
        "type": f"{PREFIX}invalid-input",
        "title": "The input cannot be used.",
        "status": 422,
        "detail": told,
        "hint": None,
        "instance": REQUEST + request_id(request),
        "errors": places,
    }


def headers_of(error: Exception) -> dict[str, str]:
    """Return the headers that belong to an error."""
    if isinstance(error, Unauthorized):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, HTTPException):
        return dict(error.headers or {})
    seconds = retry_after(error) if isinstance(error, MemuError) else None
    return {} if seconds is None else {"Retry-After": str(max(1, math.ceil(seconds)))}


async def answer_error(request: Request, error: Exception) -> Response:
    """Return any error as a response."""
    return respond(problem(request, error), headers_of(error))
