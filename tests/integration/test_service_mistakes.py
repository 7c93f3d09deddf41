"""A mistake in an argument is told by name, in every call, and is no fault of the server."""

import inspect
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from server_kit import served
from service_kit import config

from memu_py import MemoryService
from memu_py.errors import InvalidInput, MemuError

EAST = timezone(timedelta(hours=8))
FIRST = datetime(1, 1, 1, tzinfo=EAST)
PARTS = ("blocks", "conversations", "emotions", "grants", "graph", "jobs", "kv", "profile", "timeline")
NO_CALLS = ("close", "open", "work")


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(config()) as made:
        yield made


@pytest.mark.parametrize(
    ("call", "given", "message"),
    [
        ("timeline.items", {"first": date.min, "timezone": "Asia/Shanghai"}, "`first` is a day of the years"),
        (
            "timeline.counts",
            {"first": date.min, "timezone": "Asia/Shanghai"},
            "`first` is a day of the years",
        ),
        ("timeline.items", {"first": "2020-01-01"}, "`first` is a day such as"),
        ("timeline.about", {"question": "in May", "now": FIRST}, "`now` is outside the years"),
        ("emotions.state", {"as_of": datetime(1, 1, 1, tzinfo=UTC)}, "`as_of` is too early"),
        ("emotions.state", {"as_of": FIRST}, "`as_of` is outside the years"),
        ("emotions.state", {"as_of": "2020"}, "`as_of` is a moment"),
        ("rollback", {"to": FIRST}, "`to` is outside the years"),
        ("kv.set", {"namespace": "n", "key": "k", "value": 1, "ttl_s": "5"}, "`ttl_s` is a number"),
        ("profile.get", {"as_of": "2020"}, "`as_of` is a moment"),
        ("profile.set", {"facet": "home", "value": 5}, "`value` is text"),
        ("graph.neighbors", {"name": "A", "predicate": 5}, "`predicate` is text or a list of texts"),
        ("graph.relations", {"as_of": FIRST}, "`as_of` is outside the years"),
        ("recall", {"query": "tea", "history": [1]}, "`history` is a list of texts or messages"),
        ("feedback", {"item": {}, "used": True}, "`item` is a hit, an item or an id"),
    ],
)
async def test_the_argument_is_named(
    service: MemoryService, call: str, given: dict[str, Any], message: str
) -> None:
    part, _, name = call.rpartition(".")
    target = getattr(service, part) if part else service
    with pytest.raises(InvalidInput, match=message):
        await getattr(target, name)(user="ann", **given)


def calls(service: MemoryService) -> Iterator[tuple[str, Any, list[inspect.Parameter]]]:
    for part in (service, *(getattr(service, name) for name in PARTS)):
        for name in dir(part):
            value = inspect.getattr_static(part, name)
            if not name.startswith("_") and name not in NO_CALLS and inspect.iscoroutinefunction(value):
                call = getattr(part, name)
                plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
                known = inspect.signature(call).parameters.values()
                yield name, call, [one for one in known if one.kind in plain]


async def test_no_call_fails_otherwise_than_it_says(service: MemoryService) -> None:
    for name, call, parameters in calls(service):
        needed = {one.name: "x" for one in parameters if one.default is one.empty}
        for one in parameters:
            for wrong in (object(), FIRST, 1.5):
                try:
                    await call(**needed | {one.name: wrong})
                except MemuError:
                    continue
                except Exception as error:
                    pytest.fail(f"{name}({one.name}={wrong!r}): {error!r}")


@pytest.mark.parametrize(
    ("method", "path", "given"),
    [
        ("GET", "/v1/timeline", {"first": "0001-01-01", "timezone": "Asia/Shanghai"}),
        ("GET", "/v1/timeline/counts", {"first": "0001-01-01", "timezone": "Asia/Shanghai"}),
        ("GET", "/v1/profile", {"as_of": "0001-01-01T00:00:00+08:00"}),
        ("GET", "/v1/emotions/state", {"as_of": "0001-01-01T00:00:00+08:00"}),
        ("GET", "/v1/emotions/state", {"as_of": "0001-01-01T00:00:00Z"}),
        ("GET", "/v1/graph/relations", {"as_of": "9999-12-31T23:59:59-08:00"}),
        ("GET", "/v1/items", {"known_at": "0001-01-01T00:00:00+08:00"}),
        ("POST", "/v1/recall", {"query": "tea", "now": "0001-01-01T00:00:00+08:00"}),
        ("POST", "/v1/rollback", {"to": "0001-01-01T00:00:00+08:00"}),
        ("POST", "/v1/kv/k", {"namespace": "n", "value": 1, "ttl_s": "soon"}),
    ],
)
async def test_over_http_it_is_the_callers_fault(method: str, path: str, given: dict[str, Any]) -> None:
    placed: dict[str, Any] = {"params" if method == "GET" else "json": {**given, "user": "ann"}}
    async with served() as server, server.http() as http:
        answer = await http.request(method, path, **placed)
    assert answer.status_code in (400, 422), answer.text
