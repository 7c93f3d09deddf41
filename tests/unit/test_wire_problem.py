"""Errors on their way over HTTP, and back."""

import inspect

import pytest

from memu_py import errors
from memu_py.errors import (
    AnswerError,
    BudgetExceeded,
    EmbedderMismatch,
    MemuError,
    NotFound,
    RateLimited,
    StepTimeout,
    StoreBusy,
)
from memu_py.wire.problem import error_of, problem_of, retry_after, status_of

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, MemuError)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_has_a_status_and_comes_back_as_its_class(kind: type[MemuError]) -> None:
    error = kind.__new__(kind)
    MemuError.__init__(error, "what happened", hint="what to do")
    problem = problem_of(error, request_id="r1")
    back = error_of(problem, status=problem["status"])

    assert 400 <= status_of(error) <= 599
    assert type(back) is kind
    assert (back.args[0], back.hint) == ("what happened", "what to do")
    assert problem["title"] and "\n" not in problem["title"]
    assert problem["instance"] == "urn:memu:request:r1"


def test_figures_of_an_error_come_along_and_nothing_else() -> None:
    budget = BudgetExceeded(budget="tokens_per_run", limit=5, spent=4, needed=3)
    budget.__cause__ = ValueError("secret")
    back = error_of(problem_of(budget, request_id="r"), status=402)
    assert isinstance(back, BudgetExceeded)
    assert (back.budget, back.limit, back.spent, back.needed) == ("tokens_per_run", 5, 4, 3)

    late = error_of(problem_of(StepTimeout("late", step="persist"), request_id="r"), status=504)
    assert isinstance(late, StepTimeout) and late.step == "persist"
    wrong = problem_of(AnswerError("no", reasons=("a", "b")), request_id="r")
    assert wrong["details"]["reasons"] == ["a", "b"]
    assert "details" not in problem_of(NotFound("x"), request_id="r")


def test_what_is_safe_to_repeat_says_when() -> None:
    assert retry_after(StoreBusy()) == 1
    assert retry_after(RateLimited(retry_after_s=7.5)) == 7.5
    assert retry_after(EmbedderMismatch()) is None and retry_after(NotFound("x")) is None


@pytest.mark.parametrize(
    "problem", [{}, {"type": "about:blank", "title": "Teapot"}, {"type": 3, "detail": 4}]
)
def test_what_another_server_says_is_an_error_too(problem: dict[str, object]) -> None:
    error = error_of(problem, status=418)

    assert type(error) is MemuError and str(error)
