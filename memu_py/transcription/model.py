"""A speech model on this machine: loaded when it is first needed, on the one thread on which all of them run."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from memu_py.errors import ConfigError, MemuError, ModelError
from memu_py.local.thread import on_thread
from memu_py.modality.media import locked_out
from memu_py.nearest import nearest

THREAD = "memu-speech"
DEFAULT_MODEL = "small"

R = TypeVar("R")


class ModelName(NamedTuple):
    """What `audio.model` names.

    Attributes:
        name: as the library takes it.
        path: where it lies on this machine; None for a name.
    """

    name: str
    path: Path | None

    @property
    def id(self) -> str:
        """The name; for a path, its last part and the size of what lies there."""
        if self.path is None:
            return self.name
        files = [self.path] if self.path.is_file() else sorted(self.path.glob("*"))
        return f"{self.path.name}#{sum(one.stat().st_size for one in files):x}"


def model_name(given: str | None, *, holds: str | None) -> ModelName:
    """Return what is configured, told apart by whether it is there.

    Args:
        given: as configured.
        holds: the file that a model's folder holds; None where a model is a file itself.

    Raises:
        ConfigError: it is a path, and there is no model.
    """
    name = given or DEFAULT_MODEL
    path = Path(name)
    if not path.is_absolute() and not path.exists():
        return ModelName(name, None)
    if not (path / holds if holds else path).is_file():
        what = f"{path} holds no {holds}" if path.is_dir() and holds else f"there is no model at {path}"
        msg = f"audio.model: {what}"
        raise ConfigError(msg, hint="give the model's own path, or its name")
    return ModelName(str(path), path)


class LocalModel:
    """Loads a model once, and works with it.

    Args:
        name: which.
        load: is given the name; imports the library.
        package: that is needed, for messages.
        extra: that installs it.
    """

    def __init__(self, name: ModelName, load: Callable[[str], Any], *, package: str, extra: str) -> None:
        self.name = name
        self._load = load
        self.package = package
        self._extra = extra
        self._model: Any = None

    async def use(self, work: Callable[[Any], R]) -> R:
        """Do something with the model, on the thread of speech models.

        Args:
            work: is given the model.

        Raises:
            ConfigError: the library is not installed, or the model cannot be loaded or fetched.
            ModelError: the model failed.
        """
        return await on_thread(THREAD, self._use, work)

    async def close(self) -> None:
        """Let go of the model, behind what it is still doing."""
        await on_thread(THREAD, self._drop)

    def _drop(self) -> None:
        self._model = None

    def _use(self, work: Callable[[Any], R]) -> R:
        if self._model is None:
            self._model = self._loaded()
        try:
            return work(self._model)
        except MemuError:
            raise
        except Exception as error:  # ctranslate2 and torch raise plain exceptions of many kinds
            msg = f"the speech model {self.name.name} failed: {error}"
            raise ModelError(msg, hint="is `audio.language` one that it speaks?") from error

    def _loaded(self) -> Any:
        try:
            return self._load(self.name.name)
        except ImportError as error:
            raise ConfigError(locked_out("speech", self._extra, [self.package])) from error
        except MemuError:
            raise
        except (
            Exception
        ) as error:  # the hub, the file system and the libraries raise exceptions of many kinds
            msg = f"audio.model: the speech model {self.name.name} cannot be loaded: {_first_line(error)}"
            raise ConfigError(msg, hint=self._hint()) from error

    def _hint(self) -> str:
        if self.name.path is not None:
            return f"is it a model for {self.package}?"
        return "a name is fetched at its first use, which needs the network; the path of a model does not"


def checked_name(name: str, known: Iterable[str], *, package: str) -> None:
    """See that a library knows a name.

    Args:
        name: as configured; one with a slash is of a hub, where others have theirs.
        known: names of the library.
        package: the library, for messages.

    Raises:
        ConfigError: it does not; names the nearest.
    """
    names = list(known)
    if "/" in name or name in names:
        return
    guess = nearest(name, names)
    meant = f"; did you mean `{guess}`?" if guess else ""
    msg = f"audio.model: {package} knows no model `{name}`, and there is no such path{meant}"
    raise ConfigError(msg, hint=f"there are {', '.join(names)}")


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
