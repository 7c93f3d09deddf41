"""`reflect`: when memories are looked at together, and what is kept of it."""

from typing import Literal

from pydantic import Field

from memu_py.config.section import Section


class ReflectSettings(Section):
    """Reflection."""

    every_items: int = Field(
        default=20,
        ge=0,
        description="new items after which a job is written down that reflects on them; 0 for never",
    )
    every_s: float = Field(
        default=0.0, ge=0, description="how often workers reflect on what waits, in seconds; 0 for never"
    )
    min_importance: float = Field(
        default=5.0, ge=1, le=10, description="importance below which an insight is not kept"
    )
    page: int = Field(default=100, ge=3, le=500, description="items that are looked at together at most")
    least: int = Field(default=3, ge=2, description="close items that make an insight without a model")
    mode: Literal["auto", "extractive", "llm"] = Field(
        default="auto",
        description="`extractive` needs no model, `llm` does; `auto` takes one when the profile is configured",
    )
    profile: str = Field(default="default", description="the model profile that reflects")
