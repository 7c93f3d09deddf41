"""`retrieve`: defaults of questions; every one can be given with a call too."""

from typing import Annotated

from pydantic import Field

from memu_py.config.section import NotEmpty, Section
from memu_py.records.request import LAYERS, Layer, Method


class RetrieveSettings(Section):
    """Questions."""

    method: Method = Field(
        default="rag",
        description="rag needs no model; llm reads its way down with one; auto does where rag is poor",
    )
    sufficient: float = Field(
        default=0.5, ge=0, le=1, description="best score from which `auto` asks no model"
    )
    top_k: int = Field(default=10, ge=1, le=1000, description="hits of each layer")
    min_score: float = Field(
        default=0.05, ge=0, le=1, description="hits below it are left out, so that an answer can be empty"
    )
    max_tokens: int = Field(default=600, ge=1, description="budget of the block for a prompt")
    profile: str = Field(default="three_factor", description="scoring profile")
    layers: Annotated[tuple[Layer, ...], NotEmpty] = Field(default=LAYERS, description="what to return")
    neighbours: tuple[float, ...] = Field(
        default=(0.5, 0.25),
        description="with what weight the turns before and after an item lend it their words, nearest first",
    )
