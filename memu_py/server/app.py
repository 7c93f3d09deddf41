"""The application: routes, layers around them, life cycle."""

import contextlib
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from memu_py import __version__
from memu_py.config.find import find_config
from memu_py.config.load import load_settings
from memu_py.config.server import ServerSettings
from memu_py.config.settings import Settings
from memu_py.errors import StoreBusy, StoreUnreachable
from memu_py.server.door import Door
from memu_py.server.following import Following
from memu_py.server.health import health_router
from memu_py.server.metrics import Metrics
from memu_py.server.openapi import describe
from memu_py.server.problems import answer_error
from memu_py.server.routes import Routes
from memu_py.server.running import TOLD
from memu_py.server.traces import Tracing, tracing_of
from memu_py.server.turns import Turns
from memu_py.server.watching import Watching
from memu_py.service.service import MemoryService

LOGGER = logging.getLogger("memu_py.server")
EXPOSED = ("Location", "Retry-After", "X-Request-Id")


def from_environment() -> FastAPI:
    """Return an application as the configuration says that `$MEMU_CONFIG` names; each process makes its own.

    What the command line said of the server stands in `$MEMU_SERVER`, as JSON.
    """
    settings = load_settings(find_config(None, os.environ, Path.cwd()))
    told = os.environ.get(TOLD)
    if told is not None:
        settings = settings.model_copy(update={"server": ServerSettings.model_validate_json(told)})
    return create_app(settings)


def service_settings(settings: Settings) -> Settings:
    """Return the configuration of the service behind the server: it reads files from `server.allowed_roots` alone."""
    blobs = settings.blobs.model_copy(update={"allowed_roots": settings.server.allowed_roots})
    return settings.model_copy(update={"blobs": blobs})


def create_app(
    settings: Settings,
    *,
    service: MemoryService | None = None,
    tracing: Tracing | None = None,
    following: Following | None = None,
) -> FastAPI:
    """Return an application.

    Args:
        settings: the configuration.
        service: what it serves; made as configured when left out. It is closed with the application.
        tracing: makes spans; as the environment says when left out.
        following: runs that are followed.

    Raises:
        ConfigError: the configuration, a plug-in or a workflow is wrong.
    """
    served = service or MemoryService(service_settings(settings))
    spans = tracing or tracing_of()
    metrics, followed = Metrics(), following or Following()
    served.intercept(metrics)
    served.account(metrics.spent)
    if spans is not None:
        served.intercept(spans)
    app = FastAPI(
        title="memu",
        version=__version__,
        lifespan=_life(served, followed, spans, settings.server.shutdown_s),
        docs_url="/docs" if settings.server.docs else None,
        redoc_url=None,
        openapi_url="/openapi.json" if settings.server.docs else None,
        exception_handlers={HTTPException: answer_error},
        middleware=[
            Middleware(Watching, metrics=metrics, tracing=spans),
            *_cors(settings.server.cors_origins),
        ],
    )
    door = Door(served, settings.server)
    turns = Turns.of(settings.server, asks_models=bool(settings.llm))
    routes = Routes(door=door, settings=settings.server, following=followed, turns=turns)
    app.include_router(routes.router())
    app.include_router(health_router(served, metrics))
    app.openapi = lambda: describe(app)  # type: ignore[method-assign] # the way that FastAPI has for it
    return app


def _cors(origins: tuple[str, ...]) -> list[Middleware]:
    if not origins:
        return []
    layer = Middleware(
        CORSMiddleware,
        allow_origins=origins,
        allow_methods=["GET", "POST", "PATCH", "DELETE"],
        allow_headers=["Authorization", "Content-Type"],
        expose_headers=EXPOSED,
    )
    return [layer]


def _life(
    service: MemoryService, following: Following, tracing: Tracing | None, shutdown_s: float
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        try:
            await service.open()
        except (StoreUnreachable, StoreBusy) as error:
            # It may come later, and `/ready` tells; whatever else is wrong stays so.
            LOGGER.warning("the database is not there yet: %s", error)
        try:
            yield
        finally:
            await following.settle(shutdown_s)
            await service.close()
            if tracing is not None:
                tracing.close()

    return life
