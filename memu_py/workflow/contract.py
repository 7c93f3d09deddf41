"""What the program asks of a workflow: what it gives, what it wants, and what there is to build from."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from memu_py.workflow.registry import STEP, Registry


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class InputSpec:
    """An input of a workflow.

    Attributes:
        type: of the value.
        required: whether every run gives it. The reader of one that is not has a default, or takes None.
    """

    type: Any
    required: bool = True


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Contract:
    """What a workflow is checked against.

    Attributes:
        registry: the steps there are.
        inputs: what a run gives.
        outputs: what a run must have given at its end, with types; Optional where it may be missing.
        lacks: parts that steps may need and the program has not; with what to do about it.
    """

    registry: Registry
    inputs: Mapping[str, InputSpec]
    outputs: Mapping[str, Any]
    lacks: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def writers(self, key: str) -> list[str]:
        """Return the registered steps that write a key, sorted."""
        registry = self.registry
        return [name for name in registry.names(STEP) if key in registry.step(name).writes]


def make_contract(
    registry: Registry,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any] | None = None,
    lacks: Mapping[str, str] | None = None,
) -> Contract:
    """Make a contract.

    Args:
        registry: the steps there are.
        inputs: types, or `InputSpec`, by key.
        outputs: types by key; a workflow without outputs is run for its effects.
        lacks: parts that there are not, with what to do about it.
    """
    specs = {
        key: value if isinstance(value, InputSpec) else InputSpec(type=value) for key, value in inputs.items()
    }
    return Contract(registry=registry, inputs=specs, outputs=dict(outputs or {}), lacks=dict(lacks or {}))
