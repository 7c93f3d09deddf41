"""A plug-in for memu_py: the step `drop_matching`."""

from memu_drop_matching.drop_matching import DropMatchingConfig, drop_matching
from memu_py.workflow.registry import Registry

__all__ = ["DropMatchingConfig", "drop_matching", "register"]


def register(registry: Registry) -> None:
    """Add what this package brings; memu_py calls it once.

    Args:
        registry: where steps and other parts are kept by name.
    """
    registry.add_step(drop_matching)
