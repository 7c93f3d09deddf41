"""From the configuration to an embedder.

An embedder of a plug-in is a function or class that takes the settings and returns an `Embedder`::

    def register(registry: Registry) -> None:
        registry.add("embedder", "mine", MyEmbedder)    # `embedding: {backend: mine}`
"""

import os
from collections.abc import Callable, Mapping

from memu_py.config.settings import Settings
from memu_py.embedding.bundled import BUNDLED_CALIBRATION, DEFAULT_BATCH_SIZE, BundledEmbedder
from memu_py.embedding.embedder import Embedder
from memu_py.embedding.traits import calibrated, traits_of
from memu_py.llm.endpoint import Access, Endpoint, credentials, profile_access
from memu_py.workflow.registry import Registry

KIND = "embedder"
"""The registry's word for embedders."""

EmbedderFactory = Callable[[Settings], Embedder]


def register_embedders(registry: Registry) -> None:
    """Register the built-in embedders: `bundled`, `onnx`, `openai`."""
    registry.add(KIND, "bundled", build_bundled)
    registry.add(KIND, "onnx", build_onnx)
    registry.add(KIND, "openai", build_openai)


def build_embedder(settings: Settings, registry: Registry) -> Embedder:
    """Build the configured embedder. Nothing is loaded or connected before its first text.

    Args:
        settings: the configuration.
        registry: the embedders there are, those of plug-ins included.

    Raises:
        ConfigError: there is none of the configured name, or its settings do not fit.
    """
    where = f"{settings.mark(('embedding', 'backend'))}: embedding.backend"
    factory: EmbedderFactory = registry.chosen(KIND, settings.embedding.backend, where=where)
    return factory(settings)


def build_bundled(settings: Settings) -> Embedder:
    """Build the bundled embedder."""
    return BundledEmbedder(
        batch_size=settings.embedding.batch_size or DEFAULT_BATCH_SIZE,
        calibration=calibrated(BUNDLED_CALIBRATION, settings.embedding),
    )


def build_onnx(settings: Settings) -> Embedder:
    """Build an embedder from an ONNX export, by folder or by name.

    Raises:
        ConfigError: neither a folder nor a name is given, the folder is no model, or the extra is not installed.
    """
    from memu_py.embedding.onnx import open_onnx  # noqa: PLC0415 - an optional extra

    return open_onnx(settings)


def build_openai(settings: Settings, env: Mapping[str, str] = os.environ) -> Embedder:
    """Build an embedder over HTTP.

    Args:
        settings: the configuration.
        env: the environment, for the provider's usual variable.

    Raises:
        ConfigError: the provider is unknown, and no address is given.
    """
    from memu_py.embedding import openai  # noqa: PLC0415 - its client takes a second to import
    from memu_py.llm.openai_client import OpenAIClient  # noqa: PLC0415 - the same

    model = settings.embedding.model or openai.DEFAULT_MODEL
    return openai.OpenAIEmbedder(
        OpenAIClient(embedding_endpoint(settings, env)),
        model=model,
        traits=traits_of(model, settings.embedding),
        dimensions=settings.embedding.dimensions,
        batch_size=settings.embedding.batch_size or openai.DEFAULT_BATCH_SIZE,
    )


def embedding_endpoint(settings: Settings, env: Mapping[str, str]) -> Endpoint:
    """Return where embeddings are called.

    The key is `embedding.api_key`; else that of `llm.default` where the provider (and the address, if one is given)
    is the same, with its address; else the provider's usual variable.

    Args:
        settings: the configuration.
        env: the environment.

    Raises:
        ConfigError: the provider is unknown, and no address is given.
    """
    own, default = settings.embedding, settings.llm.get("default")
    access = Access(
        place="embedding",
        where=str(settings.mark(("embedding", "provider"))),
        provider=own.provider,
        base_url=own.base_url,
        api_key=own.api_key,
    )
    other = (
        profile_access("default", default, where=str(settings.mark(("llm", "default")))) if default else None
    )
    found = credentials(access, env, other=other)
    return Endpoint(
        provider=own.provider,
        base_url=found.base_url,
        key=found.key,
        key_place=found.key_place,
        timeout_s=own.timeout_s,
        max_retries=own.max_retries,
        concurrency=own.concurrency,
    )
