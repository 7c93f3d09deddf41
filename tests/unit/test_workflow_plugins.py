"""Plug-ins from real modules and real entry points."""

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from memu_py.errors import ConfigError
from memu_py.workflow.hookspec import ENTRY_POINT_GROUP
from memu_py.workflow.plugins import load_plugins
from memu_py.workflow.registry import Registry

MODULES = {
    "wfp_base": "def register(registry):\n    registry.add('part', 'base', 1)\n",
    "wfp_one": "__version__ = '3.1'\ndef register(registry):\n    registry.add('part', 'one', 1)\n",
    "wfp_two": "class Box:\n    class plugin:\n        @staticmethod\n"
    "        def register(registry):\n            registry.add('part', 'two', 2)\n",
    "wfp_broken": "import not_there_at_all\n",
    "wfp_syntax": "def register(:\n",
    "wfp_empty": "x = 1\n",
    "wfp_raises": "def register(registry):\n    registry.add('part', 'x', 1)\n    raise ValueError('no')\n",
    "wfp_again": "def register(registry):\n    registry.add('part', 'base', 3)\n",
}


@pytest.fixture(autouse=True)
def _modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in MODULES:
        sys.modules.pop(name, None)


def points(**named: str) -> list[EntryPoint]:
    return [EntryPoint(name=name, value=value, group=ENTRY_POINT_GROUP) for name, value in named.items()]


def names(registry: Registry) -> list[str]:
    return [plugin.name for plugin in registry.plugins()]


ALL = {"zeta": "wfp_one", "alpha": "wfp_two:Box.plugin", "builtin": "wfp_base"}


def test_without_the_switch_every_entry_point_is_loaded_the_builtin_first() -> None:
    registry = Registry()
    load_plugins(registry, [], {}, entry_points=points(**ALL))
    assert names(registry) == ["builtin", "alpha", "zeta"]
    assert registry.names("part") == ("base", "one", "two")


@pytest.mark.parametrize(
    ("switch", "loaded"),
    [
        ("", ["builtin"]),
        ("none", ["builtin"]),
        ("zeta", ["builtin", "zeta"]),
        (" zeta , alpha ", ["builtin", "alpha", "zeta"]),
        ("builtin", ["builtin"]),
    ],
)
def test_the_switch_chooses_among_entry_points(switch: str, loaded: list[str]) -> None:
    registry = Registry()
    load_plugins(registry, [], {"MEMU_PLUGINS": switch}, entry_points=points(**ALL))
    assert names(registry) == loaded


def test_the_switch_may_only_name_what_is_installed() -> None:
    with pytest.raises(
        ConfigError,
        match=r"MEMU_PLUGINS: no plug-in `zet`; did you mean `zeta`\? there are alpha, builtin, zeta",
    ):
        load_plugins(Registry(), [], {"MEMU_PLUGINS": "zet"}, entry_points=points(**ALL))


def test_configured_modules_come_last_and_whatever_the_switch_says() -> None:
    registry = Registry()
    modules = ["wfp_one", "wfp_two:Box.plugin"]
    load_plugins(registry, modules, {"MEMU_PLUGINS": "none"}, entry_points=points(builtin="wfp_base"))
    assert names(registry) == ["builtin", "wfp_one", "wfp_two:Box.plugin"]
    assert [plugin.version for plugin in registry.plugins()] == ["", "3.1", ""]
    assert registry.plugins()[1].registers == {"part": ("one",)}


def test_a_plugin_named_both_ways_is_loaded_once() -> None:
    registry = Registry()
    load_plugins(registry, ["wfp_one", "wfp_one"], {}, entry_points=points(one="wfp_one"))
    assert names(registry) == ["one"]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            "wfp_broken",
            "cannot be imported from `wfp_broken`: ModuleNotFoundError: No module named 'not_there_at_all'",
        ),
        (
            "wfp_nowhere",
            "cannot be imported from `wfp_nowhere`: ModuleNotFoundError: No module named 'wfp_nowhere'",
        ),
        ("wfp_one:Missing", "cannot be imported from `wfp_one:Missing`: AttributeError"),
        ("wfp_syntax", "cannot be imported from `wfp_syntax`: SyntaxError: "),
        ("wfp_raises", "failed to register: ValueError: no"),
        ("wfp_again", "failed to register: part `base` of again is registered already by builtin"),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_named(target: str, message: str) -> None:
    registry = Registry()
    with pytest.raises(ConfigError) as caught:
        load_plugins(registry, [], {}, entry_points=points(builtin="wfp_base", again=target))
    assert str(caught.value).startswith(f"plug-in `again` {message}")
    assert str(caught.value).endswith("(MEMU_PLUGINS=none starts without the plug-ins of entry points)")
    assert registry.names("part") == ("base",)


def test_a_module_without_register_is_no_plugin() -> None:
    wanted = r"plug-in `wfp_empty`: `wfp_empty` has no `register\(registry\)` \(take it out of `plugins`\)"
    with pytest.raises(ConfigError, match=wanted):
        load_plugins(Registry(), ["wfp_empty"], {}, entry_points=[])


def test_installed_entry_points_are_found_with_their_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])  # nothing else is installed here
    info = tmp_path / "wfp_dist-4.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wfp-dist\nVersion: 4.5\n")
    (info / "entry_points.txt").write_text(f"[{ENTRY_POINT_GROUP}]\nwfp = wfp_one\n")
    registry = Registry()
    load_plugins(registry, [], {})
    assert [(plugin.name, plugin.version) for plugin in registry.plugins()] == [("wfp", "4.5")]


def test_a_module_of_an_installed_distribution_has_its_version(tmp_path: Path) -> None:
    info = tmp_path / "wfp_base-0.7.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wfp_base\nVersion: 0.7\n")
    registry = Registry()
    load_plugins(registry, ["wfp_base"], {}, entry_points=[])
    assert registry.plugins()[0].version == "0.7"


def test_the_builtin_plugin_cannot_be_switched_off_so_nothing_says_so() -> None:
    with pytest.raises(ConfigError) as caught:
        load_plugins(Registry(), [], {}, entry_points=points(builtin="wfp_broken"))
    assert caught.value.hint is None
