"""What a step gets beside its inputs."""

import logging
from datetime import UTC, timedelta

import pytest

from memu_py.errors import Cancelled
from memu_py.workflow.cancellation import Cancellation
from memu_py.workflow.context import LOGGER, ProgressEvent, StepContext, StepLog


def test_a_context_for_a_test_needs_only_resources() -> None:
    ctx = StepContext(resources=7)
    ctx.progress(1, 2, "half")  # nobody listens
    ctx.note(a=1, b=2)
    ctx.note(b=3)
    ctx.cancel.check()
    assert ctx.resources == 7
    assert ctx.notes == {"a": 1, "b": 3}
    assert ctx.clock().tzinfo is UTC
    assert ctx.clock() - ctx.clock() < timedelta(seconds=1)


def test_progress_says_who_and_how_far() -> None:
    seen: list[ProgressEvent] = []
    ctx = StepContext(resources=None, run_id="r", workflow="w", step="s", observer=seen.append)
    ctx.progress(3, 10, "pages")
    assert seen == [
        ProgressEvent(run_id="r", workflow="w", step="s", kind="progress", done=3, total=10, message="pages")
    ]


def test_the_log_knows_run_workflow_and_step(caplog: pytest.LogCaptureFixture) -> None:
    log = StepLog(LOGGER, {"run_id": "r", "step": "s"})
    with caplog.at_level(logging.INFO, logger=LOGGER.name):
        log.info("hello", extra={"page": 3})
    (record,) = caplog.records
    assert (vars(record)["run_id"], vars(record)["step"], vars(record)["page"]) == ("r", "s", 3)


def test_a_cancellation_stops_at_the_next_check() -> None:
    cancel = Cancellation()
    cancel.check()
    cancel.request("first")
    cancel.request("second")
    assert cancel.requested
    assert cancel.reason == "first"
    with pytest.raises(Cancelled, match=r"^The run was cancelled: first$"):
        cancel.check()


def test_without_a_reason_the_message_is_the_plain_one() -> None:
    cancel = Cancellation()
    cancel.request()
    with pytest.raises(Cancelled, match=r"^The run was cancelled\.$"):
        cancel.check()


def test_a_child_stops_with_its_parent_and_not_the_other_way() -> None:
    parent = Cancellation()
    child = Cancellation(parent)
    child.request("only me")
    assert not parent.requested
    parent.request("all")
    other = Cancellation(parent)
    assert other.requested
    assert other.reason == "all"
    assert child.reason == "only me"
