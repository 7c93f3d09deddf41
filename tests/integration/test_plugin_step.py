"""The step of the example plug-in, by itself."""

import pytest
from memu_drop_matching import DropMatchingConfig, drop_matching, register
from pydantic import ValidationError

from memu_py.records.item import ItemDraft
from memu_py.workflow.context import StepContext
from memu_py.workflow.registry import Registry
from memu_py.workflow.step import describe


def drafts(*texts: str) -> list[ItemDraft]:
    return [ItemDraft(type="fact", text=text) for text in texts]


def kept(texts: list[str], patterns: list[str]) -> tuple[list[str], StepContext[object]]:
    ctx: StepContext[object] = StepContext(resources=None)
    found = drop_matching(drafts(*texts), ctx=ctx, config=DropMatchingConfig(patterns=patterns))
    return [draft.text for draft in found], ctx


def test_a_draft_goes_when_any_pattern_is_found_in_it() -> None:
    texts = ["card 1234-5678", "likes tea", "the PASSWORD is x", "我的密码是一"]

    found, ctx = kept(texts, [r"\d{4}-\d{4}", "(?i)password", "密码"])

    assert found == ["likes tea"]
    assert ctx.notes == {"dropped": 3}


def test_without_patterns_everything_stays_in_order() -> None:
    assert kept(["b", "a"], [])[0] == ["b", "a"]


def test_a_broken_pattern_is_refused_before_anything_runs() -> None:
    with pytest.raises(ValidationError, match=r"`\(` is not a regular expression"):
        DropMatchingConfig(patterns=["(", "ok"])


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(ValidationError, match="pattern"):
        DropMatchingConfig.model_validate({"pattern": ["x"]})


def test_it_reads_and_gives_back_the_drafts() -> None:
    found = describe(drop_matching)

    assert found.key == "drop_matching"
    assert [parameter.name for parameter in found.reads] == ["drafts"]
    assert dict(found.writes) == {"drafts": list[ItemDraft]}


def test_it_registers_its_step_and_nothing_else() -> None:
    registry = Registry()
    with registry.plugin("drop_matching", "0.1.0"):
        register(registry)

    (info,) = registry.plugins()
    assert dict(info.registers) == {"step": ("drop_matching",)}
