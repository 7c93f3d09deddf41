"""`audio`: what turns speech into text."""

from typing import Literal

from pydantic import Field

from memu_py.config.section import Section


class AudioSettings(Section):
    """How recordings are transcribed."""

    engine: Literal["openai", "faster-whisper", "whisper"] | None = Field(
        default=None, description="openai (any compatible server), faster-whisper or whisper; none if unset"
    )
    model: str | None = Field(
        default=None,
        min_length=1,
        description="name, or path on this machine; whisper-1 with openai, small with the others if unset",
    )
    profile: str = Field(
        default="default",
        min_length=1,
        description="with openai: the profile under `llm` whose server and key it uses",
    )
    language: str | None = Field(
        default=None, min_length=2, description="language that is spoken, such as en; found out if unset"
    )
    window_s: float = Field(
        default=600.0, ge=5, description="length of the pieces that long recordings are read in, in seconds"
    )
    max_s: float = Field(default=28_800.0, gt=0, description="a longer recording is refused, in seconds")
    threads: int = Field(
        default=0, ge=0, le=256, description="threads of a model on this machine; 0 takes its own default"
    )
    timeout_s: float = Field(
        default=300.0, gt=0, description="with openai: how long one call may take, in seconds"
    )
