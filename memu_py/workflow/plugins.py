"""Finding plug-ins and letting them register."""

import dataclasses
import importlib
import importlib.metadata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from importlib.metadata import EntryPoint
from typing import Any

from memu_py.errors import ConfigError, MemuError
from memu_py.nearest import unknown
from memu_py.workflow.hookspec import BUILTIN, ENTRY_POINT_GROUP, SWITCH, SWITCH_OFF, Plugin
from memu_py.workflow.registry import Registry


def load_plugins(
    registry: Registry,
    modules: Sequence[str],
    env: Mapping[str, str],
    *,
    entry_points: Iterable[EntryPoint] | None = None,
) -> None:
    """Load the built-in plug-in, other entry points by name, then the configured modules in order.

    A plug-in that is named both ways is loaded once.

    Args:
        registry: filled with what the plug-ins bring.
        modules: `package.module` or `package.module:object`; loaded whatever `MEMU_PLUGINS` says.
        env: the environment; `MEMU_PLUGINS` chooses among the entry points (see `hookspec.SWITCH`).
        entry_points: those to choose from; the installed ones of the group `memu_py.plugins` by default.

    Raises:
        ConfigError: a plug-in is not found, cannot be imported, has no `register`, or fails in it; names it.
    """
    found = importlib.metadata.entry_points(group=ENTRY_POINT_GROUP) if entry_points is None else entry_points
    loaded = set()
    for point in _chosen(sorted(found, key=_rank), env.get(SWITCH)):
        source = _Source(
            name=point.name, target=point.value, version=_entry_version(point), hint=_hint(point)
        )
        _load(registry, source)
        loaded.add(source.target)
    for module in modules:
        if module not in loaded:
            _load(registry, _Source(name=module, target=module))
            loaded.add(module)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class _Source:
    """Where a plug-in comes from; `hint` says how to start without it."""

    name: str
    target: str
    version: str | None = None
    hint: str | None = "take it out of `plugins`"


def _rank(point: EntryPoint) -> tuple[bool, str]:
    return point.name != BUILTIN, point.name


def _chosen(points: Sequence[EntryPoint], switch: str | None) -> list[EntryPoint]:
    if switch is None:
        return list(points)
    names = {name.strip() for name in switch.split(",")} - {"", SWITCH_OFF}
    known = [point.name for point in points]
    for name in sorted(names):
        if name not in known:
            raise ConfigError(f"{SWITCH}: {unknown('plug-in', name, known)}")
    return [point for point in points if point.name in names or point.name == BUILTIN]


def _load(registry: Registry, source: _Source) -> None:
    target = source.target
    plugin = _attempt(source, f"cannot be imported from `{target}`", lambda: _import(target))
    if not callable(getattr(plugin, "register", None)):
        raise ConfigError(
            f"plug-in `{source.name}`: `{target}` has no `register(registry)`", hint=source.hint
        )
    version = _module_version(plugin, target) if source.version is None else source.version
    with registry.plugin(source.name, version):
        _attempt(source, "failed to register", lambda: _register(plugin, registry))


def _attempt(source: _Source, what: str, work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Exception as error:
        reason = str(error) if isinstance(error, MemuError) else f"{type(error).__name__}: {error}"
        raise ConfigError(f"plug-in `{source.name}` {what}: {reason}", hint=source.hint) from error


def _hint(point: EntryPoint) -> str | None:
    if point.name == BUILTIN:
        return None
    return f"{SWITCH}={SWITCH_OFF} starts without the plug-ins of entry points"


def _import(target: str) -> Any:
    module, _, attributes = target.partition(":")
    return reduce(getattr, attributes.split(".") if attributes else (), importlib.import_module(module))


def _register(plugin: Plugin, registry: Registry) -> None:
    plugin.register(registry)


def _entry_version(point: EntryPoint) -> str:
    return point.dist.version if point.dist is not None else ""


def _module_version(plugin: Any, target: str) -> str:
    declared = getattr(plugin, "__version__", None)
    if isinstance(declared, str):
        return declared
    try:
        return importlib.metadata.version(target.partition(":")[0].partition(".")[0])
    except importlib.metadata.PackageNotFoundError:
        return ""
