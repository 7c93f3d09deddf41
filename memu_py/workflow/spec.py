"""What may be written about a step in a workflow's YAML."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memu_py.nearest import unknown
from memu_py.workflow.place import Path
from memu_py.workflow.typeform import members

FACTOR = 2.0
"""A pause between attempts is this much longer than the one before."""

JITTER = 0.25
"""A pause is up to this much shorter or longer, by chance, so that runs do not all come back together."""

OWN_ERROR = "Value error, "


class RetrySpec(BaseModel):
    """How often a step is tried, and the pauses between: exponential backoff with jitter."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    attempts: int = Field(ge=1, description="how often in all, the first time included")
    backoff_s: float = Field(
        default=1.0, ge=0, allow_inf_nan=False, description="seconds before the second try"
    )
    max_backoff_s: float = Field(default=60.0, ge=0, allow_inf_nan=False, description="no pause is longer")

    def pause_s(self, attempt: int, chance: float) -> float:
        """Return how long to wait after a failed attempt.

        Args:
            attempt: which one failed, from 1.
            chance: in [0, 1), by chance.

        Returns:
            Seconds: `min(backoff_s * FACTOR ** (attempt - 1), max_backoff_s)`, times
            `1 - JITTER + 2 * JITTER * chance`.
        """
        pause: float = min(self.backoff_s * FACTOR ** (attempt - 1), self.max_backoff_s)
        return pause * (1 - JITTER + 2 * JITTER * chance)


class StepSpec(BaseModel):
    """One step of a workflow as it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, validate_by_name=True)

    use: str = Field(min_length=1, description="the step's key in the registry")
    name: str | None = Field(
        default=None, min_length=1, description="its name in this workflow; `use` if unset"
    )
    required: bool = Field(default=False, description="it cannot be lost, only configured or replaced")
    when: dict[str, Any] | None = Field(
        default=None,
        description="run only if each of these keys (or `key.field`) has this value, or one of these",
    )
    with_: dict[str, Any] = Field(
        default_factory=dict, alias="with", description="the step's own configuration"
    )
    timeout_s: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="seconds for one attempt"
    )
    retry: RetrySpec | None = Field(default=None, description="try again after an error that may pass")
    on_error: Literal["fail", "skip"] = Field(
        default="fail", description="whether the run goes on without it"
    )
    replaces: str | None = Field(
        default=None, min_length=1, description="name of the packaged step whose place it takes"
    )

    @property
    def label(self) -> str:
        """The step's name in the workflow."""
        return self.name or self.use


def explain(error: ValidationError, model: type[BaseModel]) -> list[tuple[Path, str]]:
    """Return what a model refused, as paths within the data and messages a person can act on.

    Args:
        error: from validating plain data.
        model: which refused it.
    """
    return [_explain(details["loc"], details["type"], details["msg"], model) for details in error.errors()]


def _explain(path: Path, kind: str, message: str, model: type[BaseModel]) -> tuple[Path, str]:
    name = ".".join(str(part) for part in path)
    if kind == "extra_forbidden":
        owner = _model_at(model, path[:-1])
        inside = f"`{'.'.join(map(str, path[:-1]))}`: " if path[:-1] else ""
        return path, inside + (
            unknown("key", str(path[-1]), _keys(owner)) if owner else f"no key `{path[-1]}`"
        )
    if kind == "missing":
        return path, f"`{name}` is missing"
    if message.startswith(OWN_ERROR):
        text = message.removeprefix(OWN_ERROR)
    else:
        text = (message[:1].lower() + message[1:]).replace("dictionary", "mapping")
    return path, f"`{name}`: {text}" if name else text


def _keys(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_at(model: type[BaseModel], path: Path) -> type[BaseModel] | None:
    found: type[BaseModel] | None = model
    for part in path:
        fields = _fields(found) if found is not None else {}
        found = fields.get(str(part))
    return found


def _fields(model: type[BaseModel]) -> Mapping[str, type[BaseModel] | None]:
    return {
        field.alias or name: _member_model(field.annotation) for name, field in model.model_fields.items()
    }


def _member_model(annotation: Any) -> type[BaseModel] | None:
    models = [one for one in members(annotation) if isinstance(one, type) and issubclass(one, BaseModel)]
    return models[0] if len(models) == 1 else None
