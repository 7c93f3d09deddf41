"""`audio`: what turns speech into text."""

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo

from memu_py.config.section import BASE, Section


def _model(name: str, info: ValidationInfo) -> str:
    """Return a path as a whole one; a name, which may hold a slash too, stays as it is."""
    path = Path((info.context or {}).get(BASE) or Path.cwd(), Path(name).expanduser())
    is_path = name.startswith((".", "~", "/")) or path.exists()
    return str(path) if is_path else name


class AudioSettings(Section):
    """How recordings are transcribed."""

    engine: str | None = Field(
        default=None,
        min_length=1,
        description="openai (any compatible server), faster-whisper, whisper, or a plug-in's; none if unset",
    )
    model: Annotated[str, AfterValidator(_model)] | None = Field(
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
