"""Asking a run to stop."""

from typing import Self

from memu_py.errors import Cancelled


class Cancellation:
    """A wish to stop, which steps look at between two pieces of work.

    It may be requested from any thread. A child also stops when its parent does.

    >>> cancel = Cancellation()
    >>> cancel.check()
    >>> cancel.request("the user closed the window")
    >>> cancel.check()
    Traceback (most recent call last):
    ...
    memu_py.errors.Cancelled: The run was cancelled: the user closed the window
    """

    def __init__(self, parent: Self | None = None) -> None:
        self._parent = parent
        self._requested = False
        self._reason = ""

    @property
    def requested(self) -> bool:
        """Whether somebody asked to stop."""
        return self._requested or (self._parent is not None and self._parent.requested)

    @property
    def reason(self) -> str:
        """Why, in a few words; empty when nobody said."""
        if self._reason or self._parent is None:
            return self._reason
        return self._parent.reason

    def request(self, reason: str = "") -> None:
        """Ask to stop. Asking again changes nothing."""
        if not self._requested:
            # The reason first: another thread may look as soon as the wish is there.
            self._reason = reason
            self._requested = True

    def check(self) -> None:
        """Go on, or stop here.

        Raises:
            Cancelled: somebody asked to stop.
        """
        if self.requested:
            reason = self.reason
            raise Cancelled(f"The run was cancelled: {reason}" if reason else None)
