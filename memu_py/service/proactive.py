"""The proactive half of the service: what comes next, what is due, whom it concerns, and whether it helped."""

from memu_py.service.due import DueMixin
from memu_py.service.events import EventsMixin
from memu_py.service.feedback import FeedbackMixin
from memu_py.service.watch import WatchMixin


class ProactiveMixin(WatchMixin, DueMixin, EventsMixin, FeedbackMixin):
    """Act before being asked."""
