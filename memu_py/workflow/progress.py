"""Bringing the signs of life of a run to its listener."""

import asyncio
import contextlib

from memu_py.workflow.context import LOGGER, ProgressCallback, ProgressEvent, ProgressKind


class Announcer:
    """Calls a progress callback for one run, always on the thread of the run's event loop, in order.

    An exception of the callback is logged and does not end the run.

    Args:
        run_id: the run.
        workflow: the workflow's name.
        callback: the listener, if there is one.
        loop: of the run.
    """

    def __init__(
        self,
        *,
        run_id: str,
        workflow: str,
        callback: ProgressCallback | None,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._run_id = run_id
        self._workflow = workflow
        self._callback = callback
        self._loop = loop
        self._over: set[str] = set()

    def tell(self, step: str, kind: ProgressKind, message: str = "") -> None:
        """Tell that a step began or ended.

        Args:
            step: its name.
            kind: which of it.
            message: why, for one that failed or was skipped.
        """
        if self._callback is None:
            return
        if kind != "started":
            self._over.add(step)
        self._send(
            ProgressEvent(run_id=self._run_id, workflow=self._workflow, step=step, kind=kind, message=message)
        )

    def forward(self, event: ProgressEvent) -> None:
        """Pass on what a step tells, from whatever thread; nothing once the step is over."""
        if self._on_loop():
            self._pass_on(event)
            return
        # A thread that its step left behind may outlive the loop.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._pass_on, event)

    def _on_loop(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False

    def _pass_on(self, event: ProgressEvent) -> None:
        if event.step not in self._over:
            self._send(event)

    def _send(self, event: ProgressEvent) -> None:
        if self._callback is None:
            return
        try:
            self._callback(event)
        except Exception:
            LOGGER.exception("the progress callback failed")
