"""What a plug-in is.

All of it::

    # my_package/plugin.py
    def register(registry: Registry) -> None:
        registry.add_step(my_step)
        registry.add("embedder", "mine", MyEmbedder)

    # pyproject.toml of my_package
    [project.entry-points."memu_py.plugins"]
    mine = "my_package.plugin"

The module, or an object named by `module:object`, has `register`. It is found by its entry point, or by
its name in `plugins: [my_package.plugin]` of config.yaml. The built-in parts come through the same door.
"""

from typing import Protocol

from memu_py.workflow.registry import Registry

ENTRY_POINT_GROUP = "memu_py.plugins"

BUILTIN = "builtin"
"""Name of the entry point of the built-in parts, which are always loaded."""

SWITCH = "MEMU_PLUGINS"
"""Environment variable: unset loads all entry points, `none` or empty the built-in one, `a,b` these too."""

SWITCH_OFF = "none"


class Plugin(Protocol):
    """A module or an object that brings parts."""

    def register(self, registry: Registry) -> None:
        """Add all parts to the registry. Called once; an error takes back what was added."""
        ...
