"""From a configuration to a runtime."""

import functools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memu_py.blobs.local import LocalBlobs
from memu_py.blobs.memory import MemoryBlobs
from memu_py.blobs.remote import FsspecBlobs
from memu_py.blobs.store import BlobStore
from memu_py.config.database import DatabaseSettings
from memu_py.config.load import load_settings
from memu_py.config.scoring import ProfileSettings
from memu_py.config.secret import revealed
from memu_py.config.settings import Settings
from memu_py.embedding.factory import build_embedder
from memu_py.errors import ConfigError
from memu_py.importers.builtin import BUILTIN_IMPORTERS
from memu_py.importers.importer import Importer
from memu_py.jobs.chore import Chore
from memu_py.llm.factory import ChatBackends, missing_profile
from memu_py.modality.detect import AnyParser
from memu_py.modality.source import WebReader
from memu_py.nearest import unknown
from memu_py.reranking.factory import build_reranker
from memu_py.scoring.profiles import PROFILES, Profile
from memu_py.service.keeping import enqueue_idle, looked_for_every
from memu_py.service.maintaining import MAINTAIN, do_maintain, enqueue_maintains
from memu_py.service.memorizing import MEMORIZE, do_memorize
from memu_py.service.reflecting import REFLECT, do_reflect, enqueue_reflects
from memu_py.service.runtime import Clock, Runtime
from memu_py.service.scanning import SCAN, do_scan, enqueue_scans
from memu_py.service.workflows import build_workflows
from memu_py.steps.builtin import BUILTIN_PARSERS, IMPORTER, PARSER
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.storage.store import Store
from memu_py.transcription.factory import build_transcriber
from memu_py.workflow.plugins import load_plugins
from memu_py.workflow.registry import Registry
from memu_py.workflow.runner import LocalRunner


def build_runtime(config: Settings | Mapping[str, Any] | str | Path | None, *, clock: Clock) -> Runtime:
    """Build everything that a service runs on; nothing is opened or loaded yet.

    Raises:
        ConfigError: the configuration, a plug-in or a workflow is wrong.
    """
    settings = load_settings(config)
    check_profiles(settings)
    registry = Registry()
    load_plugins(registry, settings.plugins, os.environ)
    runtime = Runtime(
        settings=settings,
        registry=registry,
        workflows=build_workflows(settings, registry),
        store=build_store(store_settings(settings), clock=clock),
        talks=build_talks(settings, clock=clock),
        blobs=build_blobs(settings),
        embedder=build_embedder(settings, registry),
        reranker=build_reranker(settings, registry),
        chats=ChatBackends(settings, registry),
        parsers=build_parsers(registry),
        importers=build_importers(registry),
        transcriber=build_transcriber(settings, registry),
        profiles=build_profiles(settings),
        runner=LocalRunner(),
        clock=clock,
        web=build_web(settings),
    )
    runtime.workers.register(MEMORIZE, functools.partial(do_memorize, runtime))
    runtime.workers.register(MAINTAIN, functools.partial(do_maintain, runtime))
    runtime.workers.register(REFLECT, functools.partial(do_reflect, runtime))
    runtime.workers.register(SCAN, functools.partial(do_scan, runtime))
    scans = functools.partial(enqueue_scans, runtime)
    runtime.workers.see_to(Chore(name=SCAN, every_s=settings.jobs.scan_every_s, do=scans))
    maintains = functools.partial(enqueue_maintains, runtime)
    runtime.workers.see_to(Chore(name=MAINTAIN, every_s=settings.maintain.every_s, do=maintains))
    reflects = functools.partial(enqueue_reflects, runtime)
    runtime.workers.see_to(Chore(name=REFLECT, every_s=settings.reflect.every_s, do=reflects))
    idle = functools.partial(enqueue_idle, runtime)
    runtime.workers.see_to(Chore(name="idle conversations", every_s=looked_for_every(settings), do=idle))
    return runtime


def check_profiles(settings: Settings) -> None:
    """See that the models that media are read with are configured.

    Raises:
        ConfigError: there is no such profile; says where it is named.
    """
    name = settings.images.profile
    if name is not None and name not in settings.llm:
        where = str(settings.mark(("images", "profile")))
        missing = missing_profile(name, settings)
        raise ConfigError(f"{where}: images.profile: {missing.args[0]}", hint=missing.hint)


def build_talks(settings: Settings, *, clock: Clock) -> Store | None:
    """Build the database that conversations have for themselves; None where they lie with the memory."""
    database = settings.conversations.database
    return None if database is None else build_store(database_settings(database), clock=clock)


def store_settings(settings: Settings) -> StoreSettings:
    """Return what the store needs of the configuration."""
    return database_settings(settings.database)


def all_store_settings(settings: Settings) -> dict[str, StoreSettings]:
    """Return what the stores need of the configuration, by what people call them."""
    own = settings.conversations.database
    found = {"database": store_settings(settings)}
    return found if own is None else found | {"database of conversations": database_settings(own)}


def database_settings(database: DatabaseSettings) -> StoreSettings:
    """Return what a store needs of its section of the configuration."""
    return StoreSettings(
        backend=database.backend,
        path=database.path,
        dsn=database.dsn.reveal("database.dsn") if database.dsn else None,
        keep_changes_days=database.keep_changes_days,
        keep_answers_days=database.keep_answers_days,
        busy_timeout_s=database.busy_timeout_s,
        readers=database.readers,
        row_level_security=database.row_level_security,
    )


def build_blobs(settings: Settings) -> BlobStore:
    """Build the blob store: in a folder, at an address, or in memory with the database.

    Raises:
        ConfigError: what reads such an address is not installed, or one of its options waits for a variable.
    """
    root = settings.blobs_root()
    if isinstance(root, str):
        return FsspecBlobs(root, revealed(settings.blobs.options, "blobs.options"))
    return MemoryBlobs() if root is None else LocalBlobs(root)


def build_web(settings: Settings) -> WebReader | None:
    """Build what reads addresses on the network; None where that is not enabled."""
    if not settings.ingest.http.enabled:
        return None
    from memu_py.blobs.web import Web  # noqa: PLC0415 - 0.1 s to import, and seldom wanted

    return Web(settings.ingest.http, max_bytes=settings.blobs.max_bytes)


def build_parsers(registry: Registry) -> dict[str, AnyParser]:
    """Return the parsers by modality, in the order in which they are asked: those of plug-ins first."""
    return {name: registry.get(PARSER, name) for name in _order(registry, PARSER, BUILTIN_PARSERS)}


def build_importers(registry: Registry) -> dict[str, Importer]:
    """Return the importers by name, in the order in which they are asked: those of plug-ins first."""
    return {name: registry.get(IMPORTER, name) for name in _order(registry, IMPORTER, BUILTIN_IMPORTERS)}


def _order(registry: Registry, kind: str, builtin: Mapping[str, Any]) -> list[str]:
    return [*(name for name in registry.names(kind) if name not in builtin), *builtin]


def build_profiles(settings: Settings) -> dict[str, Profile]:
    """Return the scoring profiles by name: the built-in ones and those of the configuration.

    Raises:
        ConfigError: a profile starts from one that there is not, or its weights are not usable.
    """
    profiles = dict(PROFILES)
    for name, wanted in settings.scoring.profiles.items():
        where = str(settings.mark(("scoring", "profiles", name)))
        profiles[name] = _profile(name, wanted, profiles, where)
    if settings.retrieve.profile not in profiles:
        where = str(settings.mark(("retrieve", "profile")))
        raise ConfigError(f"{where}: {unknown('scoring profile', settings.retrieve.profile, profiles)}")
    return profiles


def _profile(name: str, wanted: ProfileSettings, known: Mapping[str, Profile], where: str) -> Profile:
    if wanted.like not in known:
        raise ConfigError(f"{where}: {unknown('scoring profile', wanted.like, known)}")
    changes = wanted.model_dump(exclude_none=True, exclude={"like"})
    try:
        return known[wanted.like].evolve(name=name, **changes)
    except ValueError as error:
        msg = f"{where}: {error}"
        raise ConfigError(msg) from error
