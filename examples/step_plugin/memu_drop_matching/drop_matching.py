"""The step: items whose text matches a pattern are never stored."""

import re

from pydantic import BaseModel, ConfigDict, Field, field_validator

from memu_py.records.item import ItemDraft
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step


class DropMatchingConfig(BaseModel):
    """What to drop."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    patterns: list[str] = Field(
        default=[], description="regular expressions; one that is found anywhere in an item's text drops it"
    )

    @field_validator("patterns")
    @classmethod
    def _compile(cls, patterns: list[str]) -> list[str]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                msg = f"`{pattern}` is not a regular expression: {error}"
                raise ValueError(msg) from error
        return patterns


@step("drop_matching", produces={"drafts": list[ItemDraft]})
def drop_matching(
    drafts: list[ItemDraft], *, ctx: StepContext[object], config: DropMatchingConfig
) -> list[ItemDraft]:
    """Leave out the drafts that match; the resource keeps their text all the same."""
    rules = [re.compile(pattern) for pattern in config.patterns]
    kept = [draft for draft in drafts if not any(rule.search(draft.text) for rule in rules)]
    ctx.note(dropped=len(drafts) - len(kept))
    return kept
