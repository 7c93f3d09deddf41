"""`workflows`: pipelines of your own, whole or as a list of steps."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from memu_py.config.environment import Malformed, Unresolved
from memu_py.config.section import ConfigPath, Section


def _entry(value: Any) -> str | Mapping[str, Any]:
    # Only the shape: what a step may say is the business of the workflow engine.
    broken = _broken(value)
    if broken is not None:
        raise ValueError(broken.message)
    if isinstance(value, str | Mapping):
        return value
    msg = f"a step is a name, or a mapping with `use` or `parallel`, not {type(value).__name__}"
    raise ValueError(msg)


def _broken(value: Any) -> Unresolved | Malformed | None:
    if isinstance(value, Unresolved | Malformed):
        return value
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return next((found for part in parts if (found := _broken(part)) is not None), None)


StepEntry = Annotated[Any, AfterValidator(_entry)]
"""A step in a list: the name of a step, or a mapping."""


class WorkflowSettings(Section):
    """One workflow. Without either key it runs as packaged."""

    file: ConfigPath | None = Field(default=None, description="a whole workflow as a YAML file of its own")
    steps: tuple[StepEntry, ...] | None = Field(
        default=None, description="the steps to run; required ones keep their places around them"
    )

    @model_validator(mode="after")
    def _one(self) -> "WorkflowSettings":
        if self.file is not None and self.steps is not None:
            msg = "give `file` or `steps`, not both"
            raise ValueError(msg)
        return self
