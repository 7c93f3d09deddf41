"""What there is to build from: steps by key, other parts by kind and name, each with its plug-in."""

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memu_py.errors import ConfigError
from memu_py.nearest import unknown
from memu_py.workflow.step import StepDefinition, describe

STEP = "step"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Origin:
    """Where a part comes from.

    Attributes:
        plugin: the plug-in's name.
        version: its version; empty when it has none.
    """

    plugin: str
    version: str = ""

    def __str__(self) -> str:
        return f"{self.plugin} {self.version}".strip()


LOCAL = Origin(plugin="local")
"""Origin of what the program itself registers, outside a plug-in."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class PluginInfo:
    """A plug-in that is loaded.

    Attributes:
        name: its name.
        version: its version; empty when it has none.
        registers: names of its parts by kind (`step` and others).
    """

    name: str
    version: str
    registers: Mapping[str, tuple[str, ...]]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Part:
    value: Any
    origin: Origin


class Registry:
    """Steps and other parts by name. Empty at first; plug-ins fill it, the built-in one like any other."""

    def __init__(self) -> None:
        self._parts: dict[str, dict[str, _Part]] = {}
        self._plugins: dict[str, Origin] = {}
        self._origin = LOCAL

    @contextlib.contextmanager
    def plugin(self, name: str, version: str = "") -> Iterator[None]:
        """Register all that is added in this block in the name of a plug-in; an error takes all of it back.

        Args:
            name: of the plug-in, once for each.
            version: of the plug-in.

        Raises:
            ConfigError: a plug-in of this name is loaded already.
        """
        if name in self._plugins:
            raise ConfigError(f"there are two plug-ins with the name `{name}`")
        before = {kind: dict(parts) for kind, parts in self._parts.items()}
        outer, self._origin = self._origin, Origin(plugin=name, version=version)
        self._plugins[name] = self._origin
        try:
            yield
        except BaseException:
            self._parts = before
            del self._plugins[name]
            raise
        finally:
            self._origin = outer

    def add_step(self, target: Callable[..., Any]) -> None:
        """Register a step under its own key.

        Args:
            target: a function or class under the `step` decorator.

        Raises:
            ConfigError: it is no step, breaks the step contract, or its key is taken.
        """
        definition = describe(target)
        self._add(STEP, definition.key, definition)

    def add(self, kind: str, name: str, factory: Any) -> None:
        """Register a part of another kind, such as an embedder.

        Args:
            kind: any word but `step`; who builds from these parts documents it, and what `factory` must be.
            name: by which configuration files name it.
            factory: what `get` returns.

        Raises:
            ConfigError: the name is taken, or the kind is `step`.
        """
        if kind == STEP:
            raise ConfigError(f"`{name}` is a step", hint="register it with `add_step`")
        self._add(kind, name, factory)

    def step(self, key: str) -> StepDefinition:
        """Return a step.

        Raises:
            ConfigError: there is none with this key; names the nearest.
        """
        definition: StepDefinition = self.get(STEP, key)
        return definition

    def get(self, kind: str, name: str) -> Any:
        """Return a part.

        Raises:
            ConfigError: there is none of this name; names the nearest.
        """
        return self._part(kind, name).value

    def chosen(self, kind: str, name: str, *, where: str, word: str | None = None) -> Any:
        """Return a part that a configuration names.

        Args:
            kind: of the part.
            name: as configured.
            where: the key, with file and line, for the message.
            word: what such a part is called; the kind by default.

        Raises:
            ConfigError: there is none of this name; names the nearest, and where it was asked for.
        """
        if name not in self.names(kind):
            raise ConfigError(f"{where}: {unknown(word or kind, name, self.names(kind))}")
        return self.get(kind, name)

    def origin(self, kind: str, name: str) -> Origin:
        """Return the plug-in that registered a part.

        Raises:
            ConfigError: there is none of this name; names the nearest.
        """
        return self._part(kind, name).origin

    def names(self, kind: str) -> tuple[str, ...]:
        """Return the names of all parts of a kind, sorted; none for a kind of which there are none."""
        return tuple(sorted(self._parts.get(kind, ())))

    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of which there are parts, sorted."""
        return tuple(sorted(kind for kind, parts in self._parts.items() if parts))

    def plugins(self) -> tuple[PluginInfo, ...]:
        """Return the loaded plug-ins in the order of loading, with what each registers."""
        return tuple(self._info(origin) for origin in self._plugins.values())

    def _info(self, origin: Origin) -> PluginInfo:
        mine = {
            kind: tuple(name for name in self.names(kind) if self._parts[kind][name].origin == origin)
            for kind in self.kinds()
        }
        registers = {kind: names for kind, names in mine.items() if names}
        return PluginInfo(name=origin.plugin, version=origin.version, registers=registers)

    def _add(self, kind: str, name: str, value: Any) -> None:
        parts = self._parts.setdefault(kind, {})
        if name in parts:
            raise ConfigError(
                f"{kind} `{name}` of {self._origin} is registered already by {parts[name].origin}",
                hint="give it a name of its own",
            )
        parts[name] = _Part(value=value, origin=self._origin)

    def _part(self, kind: str, name: str) -> _Part:
        parts = self._parts.get(kind, {})
        if name not in parts:
            raise ConfigError(unknown(kind, name, parts))
        return parts[name]
