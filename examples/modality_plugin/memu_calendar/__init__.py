"""A plug-in for memu_py: the modality `calendar`."""

from memu_calendar.calendar import CalendarParser
from memu_py.workflow.registry import Registry

__all__ = ["CalendarParser", "register"]


def register(registry: Registry) -> None:
    """Add what this package brings; memu_py calls it once.

    Args:
        registry: where steps, parsers and other parts are kept by name.
    """
    registry.add("parser", "calendar", CalendarParser())
