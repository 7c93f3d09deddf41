"""The registry."""

import pytest

from memu_py.errors import ConfigError
from memu_py.workflow.registry import Origin, PluginInfo, Registry
from memu_py.workflow.step import step


@step("rank")
async def rank() -> None: ...


@step("fuse")
async def fuse() -> None: ...


def test_parts_are_found_by_kind_and_name() -> None:
    registry = Registry()
    registry.add_step(rank)
    registry.add("embedder", "tiny", list)
    assert registry.step("rank").target is rank
    assert registry.get("embedder", "tiny") is list
    assert registry.names("step") == ("rank",)
    assert registry.names("nothing") == ()
    assert registry.kinds() == ("embedder", "step")


def test_each_part_has_the_plugin_it_comes_from() -> None:
    registry = Registry()
    with registry.plugin("ranking", "1.2"):
        registry.add_step(rank)
        registry.add("store", "cloud", dict)
    with registry.plugin("nothing"):
        pass
    registry.add_step(fuse)
    assert registry.origin("step", "rank") == Origin(plugin="ranking", version="1.2")
    assert str(registry.origin("step", "fuse")) == "local"
    assert registry.plugins() == (
        PluginInfo(name="ranking", version="1.2", registers={"step": ("rank",), "store": ("cloud",)}),
        PluginInfo(name="nothing", version="", registers={}),
    )


def test_an_unknown_name_is_an_error_with_the_nearest() -> None:
    registry = Registry()
    registry.add_step(rank)
    with pytest.raises(ConfigError, match="no step `rnak`; did you mean `rank`\\? there are rank"):
        registry.step("rnak")
    with pytest.raises(ConfigError, match="no embedder `x`; there are none"):
        registry.get("embedder", "x")


def test_a_name_is_given_once() -> None:
    registry = Registry()
    with registry.plugin("one", "1.0"):
        registry.add_step(rank)
    message = r"step `rank` of two is registered already by one 1\.0"
    with pytest.raises(ConfigError, match=message), registry.plugin("two"):
        registry.add_step(fuse)
        registry.add_step(rank)
    assert registry.names("step") == ("rank",)  # what the second had added is taken back
    assert [plugin.name for plugin in registry.plugins()] == ["one"]
    registry.add_step(fuse)
    assert registry.origin("step", "fuse").plugin == "local"


def test_a_plugin_is_loaded_once() -> None:
    registry = Registry()
    with registry.plugin("one"):
        pass
    with pytest.raises(ConfigError, match="two plug-ins with the name `one`"), registry.plugin("one"):
        pass


def test_a_step_is_not_added_as_another_part() -> None:
    with pytest.raises(ConfigError, match=r"`rank` is a step \(register it with `add_step`\)"):
        Registry().add("step", "rank", rank)
