"""`categories`: the topics that every user starts with, and how many more may come."""

import functools
from collections.abc import Mapping
from typing import Any

from pydantic import Field, field_validator

from memu_py.config.packaged import packaged
from memu_py.config.section import Section
from memu_py.marked_yaml import load_yaml


class CategoryDefault(Section):
    """A topic to begin with."""

    name: str = Field(min_length=1, description="its name")
    names: Mapping[str, str] = Field(
        default_factory=dict, description="its name in other languages, by language code, such as {zh: 偏好}"
    )
    description: str = Field(default="", description="what belongs in it; items are matched against it")


@functools.cache
def packaged_categories() -> Any:
    """Return the categories of the packaged configuration."""
    document = load_yaml(packaged("default.yaml"), file="default.yaml")
    return document.value["categories"]["defaults"]


class CategorySettings(Section):
    """Categories."""

    defaults: tuple[CategoryDefault, ...] = Field(
        default_factory=packaged_categories,
        description="topics to begin with; those of the packaged default.yaml if unset, [] for none",
    )
    max_per_user: int = Field(default=50, ge=0, description="no new ones are found beyond so many")
    new_per_run: int = Field(
        default=3, ge=0, description="new ones that a model may propose in one call of memorize"
    )
    min_cluster: int = Field(default=3, ge=2, description="close items that it takes to open a new one")
    summary_chars: int = Field(default=600, ge=40, description="length of a summary, in characters")

    @field_validator("defaults")
    @classmethod
    def _once(cls, defaults: tuple[CategoryDefault, ...]) -> tuple[CategoryDefault, ...]:
        seen: set[str] = set()
        for category in defaults:
            name = category.name.casefold()
            if name in seen:
                msg = f"the category `{category.name}` is there twice"
                raise ValueError(msg)
            seen.add(name)
        return defaults
