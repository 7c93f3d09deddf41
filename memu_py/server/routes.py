"""The routes of all operations: one handler for all of them."""

import asyncio
import dataclasses
import json
import re
from collections.abc import Awaitable, Callable
from types import NoneType
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from memu_py.config.server import ServerSettings
from memu_py.errors import StepTimeout, UnsupportedModality
from memu_py.records.job import Job
from memu_py.records.plain import plain
from memu_py.server.body import JSON_TYPE, MULTIPART, media_type, read_body, read_form
from memu_py.server.door import Caller, Door
from memu_py.server.following import SSE, Following
from memu_py.server.openapi import described
from memu_py.server.problems import answer_error
from memu_py.server.requests import request_model
from memu_py.server.turns import Turns
from memu_py.wire.arguments import result_of
from memu_py.wire.operations import OPERATIONS, Operation

MB = 1024 * 1024
BINARY = "application/octet-stream"
MEMORIZE = "memorize"

Handler = Callable[[Request], Awaitable[Response]]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Routes:
    """Makes the routes.

    Attributes:
        door: lets callers in.
        settings: of the server.
        following: runs whose progress is told.
        turns: hold calls back while there is much to do.
    """

    door: Door
    settings: ServerSettings
    following: Following
    turns: Turns

    def router(self) -> APIRouter:
        """Return a router with all operations."""
        router = APIRouter()
        # An id may have a slash in it: a path that goes on behind it is looked at before one that ends with it.
        for operation in sorted(OPERATIONS.values(), key=lambda one: -one.path.count("/")):
            router.add_api_route(
                re.sub(r"\{(\w+)\}", r"{\1:path}", operation.path),
                self._handler(operation),
                methods=[operation.verb],
                status_code=operation.status,
                **described(operation),
            )
        return router

    def _handler(self, operation: Operation) -> Handler:
        async def handle(request: Request) -> Response:
            try:
                return await self._handle(operation, request)
            except Exception as error:
                return await answer_error(request, error)

        handle.__name__ = operation.id.replace(".", "_")
        return handle

    async def _handle(self, operation: Operation, request: Request) -> Response:
        caller = await self.door.admit(request)
        given = await self._given(operation, request)
        caller.check(operation, given)
        work = self._in_turn(operation, caller)
        if operation.id == MEMORIZE and given.get("wait", True) and SSE in request.headers.get("accept", ""):
            # Before the answer has begun, a refusal is still a status.
            self.turns.check(operation)
            return self.following.follow(request, lambda progress: work(**given, progress=progress))
        try:
            async with asyncio.timeout(self.settings.request_timeout_s) as limit:
                result = await work(**given)
        except TimeoutError as error:
            if not limit.expired():
                raise
            longest = f"{self.settings.request_timeout_s:g} s"
            msg = f"this took longer than {longest}, and was ended; a write that had begun may be kept"
            raise StepTimeout(
                msg, step=operation.id, hint="`wait: false` makes a job of a long memorize"
            ) from error
        return answer(operation, result)

    def _in_turn(self, operation: Operation, caller: Caller) -> Callable[..., Awaitable[Any]]:
        """Return the method of the service that an operation calls, bound to the caller's view; it takes turns."""
        owner = getattr(caller.service, operation.part) if operation.part else caller.service

        async def work(**given: Any) -> Any:
            async with self.turns.taken(operation):
                return await operation.call(owner, **given)

        return work

    async def _given(self, operation: Operation, request: Request) -> dict[str, Any]:
        """Return the arguments of a call; those that were not given are left out."""
        model, named = request_model(operation), dict(request.path_params)
        if not operation.has_body:
            found = model.model_validate(dict(request.query_params))
            return {**found.model_dump(exclude_unset=True), **named}
        body, file = await self._body(operation, request)
        given = model.model_validate_json(body or b"{}").model_dump(exclude_unset=True)
        return {**given, **({"data": file} if file is not None else {}), **named}

    async def _body(self, operation: Operation, request: Request) -> tuple[bytes, bytes | None]:
        body = await read_body(request, self.settings.max_body_mb * MB)
        header = media_type(request)
        kind = header.get_content_type()
        if operation.id == MEMORIZE and kind == MULTIPART:
            return read_form(body, header)
        if kind != JSON_TYPE:
            msg = f"a body is JSON here, not {kind}"
            raise UnsupportedModality(msg, hint="send `Content-Type: application/json`")
        return body, None


def answer(operation: Operation, result: Any) -> Response:
    """Return what a method gave as a response."""
    form = result_of(operation.call)
    if form is NoneType:
        return Response(status_code=operation.status)
    if form is bytes:
        return Response(result, media_type=BINARY, headers={"Content-Disposition": "attachment"})
    status, headers = operation.status, dict[str, str]()
    if operation.id == MEMORIZE and isinstance(result, Job):
        status, headers = 202, {"Location": f"/v1/jobs/{result.id}"}
    return Response(dumped(plain(result)), status, headers, "application/json")


def dumped(data: Any) -> bytes:
    """Write plain data as JSON, in its own script; what is no text in Unicode is replaced."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", errors="replace")
