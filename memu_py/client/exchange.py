"""One call to a server, as a conversation: what to send, how long to wait, what to read. It sends nothing itself.

A conversation is a generator of acts. Whoever drives it does each act, plainly or in an event loop, and hands back what
came of it; so there is one conversation for both clients.
"""

import dataclasses
import json
import random
from collections.abc import Callable, Generator, Mapping
from typing import Any
from urllib.parse import quote

from memu_py.errors import InvalidInput, MemuError, StoreUnreachable
from memu_py.records.job import Job
from memu_py.records.plain import plain, restored
from memu_py.wire.arguments import result_of
from memu_py.wire.operations import WAIT_S, Operation
from memu_py.wire.problem import error_of
from memu_py.workflow.context import ProgressEvent

SSE = "text/event-stream"
AGAIN = (429, 503)
LONGEST_PAUSE_S = 30.0
FIRST_PAUSE_S = 0.25

Progress = Callable[[ProgressEvent], None]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Send:
    """Send a request; a `Reply` comes back, or an `Unreachable`.

    Attributes:
        verb: of HTTP.
        path: below the server's address.
        query: by name.
        body: JSON data; None for no body.
        stream: read the body line by line, by `NextLine`, if the request is good.
    """

    verb: str
    path: str
    query: Mapping[str, str]
    body: Mapping[str, Any] | None
    stream: bool = False


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Pause:
    """Wait some seconds."""

    seconds: float


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class NextLine:
    """Read a line of a streamed body; a text comes back, or None at the end, also where it ends too early."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What a server answered.

    Attributes:
        status: of HTTP.
        headers: in lower case.
        body: the bytes; empty when it is streamed.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Unreachable:
    """No answer came.

    Attributes:
        reason: why.
        begun: whether the server may have read the request.
    """

    reason: str
    begun: bool


Act = Send | Pause | NextLine
Talk = Generator[Act, Any, Any]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """How often a call is tried.

    Attributes:
        retries: after the first time, where the server is busy, away, or asks to wait.
        rng: shakes the pauses, so that many clients do not come back together.
    """

    retries: int = 3
    rng: random.Random = dataclasses.field(default_factory=random.Random)

    def pause_s(self, attempt: int, asked: str | None = None) -> float:
        """Return seconds to wait after an attempt.

        Args:
            attempt: its number, from 0.
            asked: what the server wants.
        """
        if asked is not None and asked.replace(".", "", 1).isdigit():
            return min(float(asked), LONGEST_PAUSE_S)
        return min(FIRST_PAUSE_S * 2.0**attempt, LONGEST_PAUSE_S) * (0.5 + self.rng.random() / 2)


def converse(
    operation: Operation, given: Mapping[str, Any], patience: Patience, *, progress: Progress | None = None
) -> Talk:
    """Call an operation, again where that may help.

    Args:
        operation: which.
        given: its arguments.
        patience: how often.
        progress: told of each event of a memorize.

    Returns:
        What the method of the service would.

    Raises:
        MemuError: what the method of the service would raise.
        StoreUnreachable: the server cannot be reached.
    """
    send = request_of(operation, given, stream=progress is not None)
    # What changes nothing may be asked twice.
    again = operation.verb == "GET" or operation.role_for(given) == "read" or "run_id" in given
    for attempt in range(patience.retries + 1):
        reply = yield send
        last = attempt == patience.retries
        if isinstance(reply, Unreachable):
            if last or (reply.begun and not again):
                msg = f"the server cannot be reached: {reply.reason}"
                raise StoreUnreachable(msg, hint="is `memu serve` running at this address?")
            yield Pause(seconds=patience.pause_s(attempt))
        elif reply.status in AGAIN and not last:
            yield Pause(seconds=patience.pause_s(attempt, reply.headers.get("retry-after")))
        elif progress is not None and reply.status < 300:
            try:
                return (yield from _follow(operation, progress))
            except StoreUnreachable:
                if last or not again:
                    raise
            yield Pause(seconds=patience.pause_s(attempt))
        else:
            return _read(operation, reply)
    return None


def wait_for(operation: Operation, given: Mapping[str, Any], patience: Patience) -> Talk:
    """Wait for a job: as many requests as it takes, since each waits for a while only.

    Args:
        operation: that waits.
        given: its arguments; `timeout_s` is of the whole.
        patience: how often each is tried.
    """
    left: float | None = given.get("timeout_s")
    while True:
        step = WAIT_S if left is None else min(left, WAIT_S)
        job = yield from converse(operation, {**given, "timeout_s": step}, patience)
        left = None if left is None else left - step
        if job.ended or left == 0:
            return job


def request_of(operation: Operation, given: Mapping[str, Any], *, stream: bool = False) -> Send:
    """Return the request of a call."""
    path = operation.path
    for name in operation.in_path:
        # A dot by itself would be taken for a folder.
        text = quote(str(given[name]), safe="").replace(".", "%2E")
        path = path.replace(f"{{{name}}}", text)
    rest = {name: plain(value) for name, value in given.items() if name not in operation.in_path}
    if operation.has_body:
        return Send(verb=operation.verb, path=path, query={}, body=rest, stream=stream)
    query = {name: _text(value) for name, value in rest.items() if value is not None}
    return Send(verb=operation.verb, path=path, query=query, body=None)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _read(operation: Operation, reply: Reply) -> Any:
    if reply.status >= 300:
        raise _error(reply)
    form = result_of(operation.call)
    if form is bytes:
        return reply.body
    if not reply.body:
        return None
    return restored(Job if reply.status == 202 else form, _json(reply))


def _json(reply: Reply) -> Any:
    try:
        return json.loads(reply.body)
    except ValueError as error:
        msg = "the server's answer is no JSON"
        raise MemuError(msg, hint="is this the address of `memu serve`?") from error


def _error(reply: Reply) -> MemuError:
    try:
        problem = json.loads(reply.body)
    except ValueError:
        problem = None
    if not isinstance(problem, Mapping):
        problem = {"detail": f"the server answered {reply.status}"}
    return error_of(problem, status=reply.status)


def _follow(operation: Operation, progress: Progress) -> Talk:
    name = ""
    while (line := (yield NextLine())) is not None:
        field, _, text = line.partition(": ")
        if field == "event":
            name = text
        if field != "data":
            continue
        data = json.loads(text)
        if name == "progress":
            progress(restored(ProgressEvent, data))
        elif name == "result":
            return restored(result_of(operation.call), data)
        else:
            raise error_of(data, status=int(data.get("status", 500)))
    msg = "the server went away before the end"
    raise StoreUnreachable(msg, hint="call again: what was stored is not stored twice")


def refuse(name: str, why: str) -> InvalidInput:
    """Return the error for an argument that cannot be sent."""
    return InvalidInput(f"`{name}` cannot be sent: {why}")
