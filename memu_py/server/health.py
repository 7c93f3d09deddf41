"""For those who watch the server: alive, ready, figures. They need no key."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from memu_py.errors import MemuError
from memu_py.server.metrics import Metrics
from memu_py.server.problems import answer_error
from memu_py.service.service import MemoryService


class Figures(Response):
    """A page of figures."""

    media_type = "text/plain; version=0.0.4; charset=utf-8"


def health_router(service: MemoryService, metrics: Metrics) -> APIRouter:
    """Return a router with what needs no key.

    Args:
        service: asked whether it can work.
        metrics: what was counted.
    """
    router = APIRouter(tags=["health"])

    @router.get("/health", operation_id="health", summary="Whether the process is alive.")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @router.get("/ready", operation_id="ready", summary="Whether the database can be worked with.")
    async def ready(request: Request) -> Response:
        try:
            await service.ready()
        except MemuError as error:
            return await answer_error(request, error)
        return JSONResponse({"status": "ok"})

    @router.get("/metrics", operation_id="metrics", summary="Figures for Prometheus.", response_class=Figures)
    async def figures() -> Response:
        try:
            jobs = await service.jobs_by_status()
        except MemuError:
            # The figures of the process are of use above all when the database is away.
            jobs = {}
        return Figures(metrics.page(jobs))

    return router
