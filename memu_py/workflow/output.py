"""What a step returned, held against what it declares."""

from collections.abc import Mapping
from typing import Any

from memu_py.errors import BadStepOutput
from memu_py.workflow.step import StepDefinition
from memu_py.workflow.typeform import show


def updates(definition: StepDefinition, returned: Any, *, step: str) -> dict[str, Any]:
    """Return the values of the keys that a step writes.

    Args:
        definition: the step.
        returned: what it returned: the bare value of one key, a NamedTuple of several, None for none.
        step: its name, for messages.

    Raises:
        BadStepOutput: the shape is another, or a value is not of the declared type (its outside only: not
            the elements of a list).
    """
    values = _values(definition.writes, returned, step)
    for key, holds in definition.checks.items():
        if not holds(values[key]):
            declared = show(definition.writes[key])
            raise BadStepOutput(
                f"step `{step}` gave `{key}` as {_kind(values[key])}, but declares {declared}", step=step
            )
    return values


def _values(writes: Mapping[str, Any], returned: Any, step: str) -> dict[str, Any]:
    if not writes:
        if returned is not None:
            raise BadStepOutput(f"step `{step}` returned {_kind(returned)}, but declares nothing", step=step)
        return {}
    if len(writes) == 1:
        return dict.fromkeys(writes, returned)
    fields = getattr(returned, "_fields", None)
    if not isinstance(returned, tuple) or fields is None or set(fields) != set(writes):
        given = f"a NamedTuple of {', '.join(fields)}" if fields else _kind(returned)
        wanted = f"a NamedTuple of {', '.join(writes)}"
        raise BadStepOutput(f"step `{step}` returned {given}, but declares {wanted}", step=step)
    return dict(zip(fields, returned, strict=True))


def _kind(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
