"""Counters of a running server, in Prometheus format."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from mutual_dissent.core.events import Status
from mutual_dissent.surfaces.http.backend import HostedBackend

# Seconds; up to minutes, since streams last as long as debates.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Sample = tuple[Mapping[str, str], float]


@dataclass(slots=True)
class _Times:
    """Histogram of the response times of one route."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        # Left: Prometheus counts what equals a bound (`le`) as within it.
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.total += seconds

    def samples(self, route: str) -> Iterator[tuple[str, Sample]]:
        so_far = 0
        for bound, count in zip((*map(str, BUCKETS), "+Inf"), self.counts, strict=True):
            so_far += count
            yield "_bucket", ({"route": route, "le": bound}, so_far)
        yield "_sum", ({"route": route}, self.total)
        yield "_count", ({"route": route}, so_far)


class Metrics:
    """Counters of this process."""

    def __init__(self) -> None:
        self.streams = 0
        self.sockets = 0
        self._requests: Counter[tuple[str, str, str]] = Counter()
        self._times: dict[str, _Times] = {}

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._requests[method, route, str(status)] += 1
        self._times.setdefault(route, _Times()).add(seconds)

    def text(self, hosted: HostedBackend) -> str:
        """Return all metrics in Prometheus text format."""
        return "".join(
            line + "\n" for line in (*_debates(hosted), *_spending(hosted), *self._own())
        )

    def _own(self) -> Iterator[str]:
        requests = [
            ({"method": m, "route": r, "status": s}, float(n))
            for (m, r, s), n in sorted(self._requests.items())
        ]
        yield from _family("http_requests_total", "counter", "Requests answered.", requests)
        yield from _family(
            "sse_clients", "gauge", "Clients that follow live events.", _one(self.streams)
        )
        yield from _family("websocket_clients", "gauge", "Open WebSockets.", _one(self.sockets))
        name = "dissent_http_request_seconds"
        yield f"# HELP {name} How long requests took, streams to their end."
        yield f"# TYPE {name} histogram"
        for route, times in sorted(self._times.items()):
            for suffix, sample in times.samples(route):
                yield _line(name + suffix, sample)


def _debates(hosted: HostedBackend) -> Iterator[str]:
    store, sessions = hosted.md.store, hosted.sessions
    by_status = [({"status": s.value}, float(store.count(status=s))) for s in Status]
    yield from _family("debates", "gauge", "Stored debates by status.", by_status)
    yield from _family(
        "debates_live", "gauge", "Debates that this process runs.", _one(len(sessions.live))
    )
    yield from _family(
        "debates_waiting",
        "gauge",
        "Of these, those that wait for their turn.",
        _one(sessions.waiting),
    )


def _spending(hosted: HostedBackend) -> Iterator[str]:
    totals = hosted.md.store.totals("vendor")
    for name, help_, values in (
        ("calls", "Calls on record by vendor.", [float(s.calls) for s in totals]),
        ("tokens", "Tokens on record by vendor.", [float(s.tokens) for s in totals]),
        ("cost_usd", "Dollars on record by vendor.", [s.cost_usd or 0.0 for s in totals]),
    ):
        labels = [{"vendor": s.name} for s in totals]
        yield from _family(name, "gauge", help_, list(zip(labels, values, strict=True)))


def _family(name: str, kind: str, help_: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP dissent_{name} {help_}"
    yield f"# TYPE dissent_{name} {kind}"
    for sample in samples:
        yield _line(f"dissent_{name}", sample)


def _one(value: int) -> list[Sample]:
    return [({}, float(value))]


def _line(name: str, sample: Sample) -> str:
    labels, value = sample
    inside = ",".join(f'{k}="{_escaped(v)}"' for k, v in labels.items())
    return f"{name}{{{inside}}} {value:.12g}" if inside else f"{name} {value:.12g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
