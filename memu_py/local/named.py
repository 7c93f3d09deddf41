"""Models by name, through fastembed: fetched at the first use, then local."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from memu_py.errors import ConfigError, ModelError
from memu_py.nearest import nearest

R = TypeVar("R")


class NamedModel:
    """A model that fastembed knows.

    Args:
        name: as configured, in any case.
        known: names that fastembed has for this kind of model.
        make: makes fastembed's model, and may fetch it; called at the first use.
        section: the section of config.yaml that names it, for messages.

    Raises:
        ConfigError: fastembed does not know the name.
    """

    def __init__(self, name: str, known: Iterable[str], *, make: Callable[[str], Any], section: str) -> None:
        spelled = {model.lower(): model for model in known}
        if name.lower() not in spelled:
            guess = nearest(name, spelled.values())
            meant = f"; did you mean `{guess}`?" if guess else ""
            msg = f"{section}.model: fastembed knows no model `{name}`{meant}"
            raise ConfigError(msg, hint=f"give a folder with an ONNX export as `{section}.path`")
        self.name = spelled[name.lower()]
        self._make = make
        self._section = section
        self._model: Any = None

    def use(self, work: Callable[[Any], R]) -> R:
        """Do something with fastembed's model.

        Args:
            work: is given the model.

        Raises:
            ModelError: the model cannot be fetched, or fails.
        """
        try:
            if self._model is None:
                self._model = self._make(self.name)
            return work(self._model)
        except Exception as error:  # the hub, the file system and onnxruntime raise exceptions of many kinds
            msg = f"the model {self.name} cannot be fetched or run: {error}"
            hint = f"its first use needs the network; a folder as `{self._section}.path` does not"
            raise ModelError(msg, hint=hint) from error
