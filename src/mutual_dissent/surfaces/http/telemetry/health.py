"""Routes for operators: health and metrics."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from mutual_dissent import __version__
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.http.telemetry.engine_metrics import EngineMetrics
from mutual_dissent.surfaces.http.telemetry.metrics import MEDIA_TYPE, Metrics


def probes(hosted: HostedBackend, metrics: Metrics) -> APIRouter:
    """`/healthz` and `/metrics`."""
    router, engine = APIRouter(include_in_schema=False), EngineMetrics(hosted.md)

    @router.get("/healthz")
    async def healthz() -> dict[str, object]:
        """Report health: the server answers, and the store can be read."""
        return {
            "status": "ok",
            "version": __version__,
            "live": len(hosted.sessions.live),
            "waiting": hosted.sessions.waiting,
        }

    @router.get("/metrics")
    async def numbers() -> Response:
        """Return all metrics in Prometheus format."""
        return Response(metrics.text(hosted) + await engine.text(), media_type=MEDIA_TYPE)

    return router
