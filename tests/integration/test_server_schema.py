"""The description of the interface, and the interface held to it."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from server_kit import PROBLEM, served, serving_in_thread, settings_for

from memu_py.server.app import create_app
from memu_py.server.openapi import describe
from memu_py.wire.operations import OPERATIONS

EXAMPLES = 8
"""Requests of each operation; each is sent to a service that works."""

app = create_app(settings_for())
schema = schemathesis.openapi.from_dict(describe(app))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server that all requests go to."""
    with serving_in_thread(settings_for()) as address:
        yield address


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in document["paths"].values():
        for operation in path.values():
            yield operation["operationId"], operation


def test_every_operation_is_described_with_its_errors() -> None:
    document = describe(app)
    found = dict(operations(document))

    assert document["openapi"] == "3.1.0"
    assert set(found) == {*OPERATIONS, "health", "ready", "metrics"}
    for name, operation in found.items():
        assert operation["summary"].endswith("."), name
        assert set(operation["tags"]) <= {tag["name"] for tag in document["tags"]}
        if name in OPERATIONS:
            assert operation["security"] == [{"key": []}]
            assert {"400", "401", "403", "404", "409", "413", "422", "429", "500", "503"} <= set(
                operation["responses"]
            )
            assert set(operation["responses"]["404"]["content"]) == {PROBLEM}
            for parameter in operation["parameters"]:
                assert parameter["description"], (name, parameter["name"])


def test_examples_are_what_they_are_examples_of() -> None:
    document = describe(app)
    seen = 0
    for name, model in document["components"]["schemas"].items():
        whole = {"components": document["components"], "$ref": f"#/components/schemas/{name}"}
        for example in model.get("examples", ()):
            jsonschema_rs.validator_for(whole).validate(example)
            seen += 1
    assert seen > 20


def test_every_answer_is_typed() -> None:
    document = describe(app)
    untyped = []
    for name, operation in operations(document):
        if name not in OPERATIONS or name in ("read_resource", "download_user"):
            continue
        for status, answer in operation["responses"].items():
            content = answer.get("content", {}).get("application/json", {})
            if status.startswith("2") and status != "204" and not content.get("schema"):
                untyped.append((name, status))
    assert untyped == []
    item = document["components"]["schemas"]["Item"]
    assert item["properties"]["text"]["description"] and "identity" not in item["properties"]


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_nothing_that_comes_in_breaks_it(case: schemathesis.Case[Any], url: str) -> None:
    answer = case.call(base_url=url)

    checks = [status_code_conformance, content_type_conformance, response_schema_conformance]
    # What is not set up here, such as a model, is answered by 501 in the form of a problem.
    if answer.status_code != HTTPStatus.NOT_IMPLEMENTED:
        checks.append(not_a_server_error)
    case.validate_response(answer, checks=checks)
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == [PROBLEM]


async def test_the_description_can_be_kept_back() -> None:
    async with served(server={"docs": False}) as server, server.http() as http:
        hidden = [(await http.get(path)).status_code for path in ("/docs", "/openapi.json")]
    async with served() as server, server.http() as http:
        shown = [(await http.get(path)).status_code for path in ("/docs", "/openapi.json")]

    assert (hidden, shown) == ([404, 404], [200, 200])
