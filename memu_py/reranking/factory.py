"""From the configuration to a reranker.

A reranker of a plug-in is a function or class that takes the settings and returns a `Reranker`::

    def register(registry: Registry) -> None:
        registry.add("reranker", "mine", MyReranker)    # `reranker: {backend: mine}`
"""

from collections.abc import Callable

from memu_py.config.settings import Settings
from memu_py.reranking.reranker import Reranker
from memu_py.workflow.registry import Registry

KIND = "reranker"
"""The registry's word for rerankers, and what a step names that needs one."""

UNSET = "no reranker is configured: set `reranker.path` (a folder with a cross-encoder) or `reranker.model` (a name)"

RerankerFactory = Callable[[Settings], Reranker]


def register_rerankers(registry: Registry) -> None:
    """Register the built-in reranker: `onnx`."""
    registry.add(KIND, "onnx", build_onnx)


def build_reranker(settings: Settings, registry: Registry) -> Reranker | None:
    """Build the configured reranker. Nothing is loaded or connected before its first text.

    Args:
        settings: the configuration.
        registry: the rerankers there are, those of plug-ins included.

    Returns:
        None when none is configured.

    Raises:
        ConfigError: there is none of the configured name, or its settings do not fit.
    """
    where = f"{settings.mark(('reranker', 'backend'))}: reranker.backend"
    factory: RerankerFactory = registry.chosen(KIND, settings.reranker.backend, where=where)
    return factory(settings) if settings.reranker.configured else None


def build_onnx(settings: Settings) -> Reranker:
    """Build a reranker from an ONNX export, by folder or by name.

    Raises:
        ConfigError: the folder is no model, the name is unknown, or the extra is not installed.
    """
    from memu_py.reranking.onnx import open_onnx  # noqa: PLC0415 - an optional extra

    return open_onnx(settings)
