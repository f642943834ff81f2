"""Metadata of a transcript, under the well-known names."""

from __future__ import annotations

from typing import Any

from mutual_dissent.core.figures.stats import Stats, Tally, stats
from mutual_dissent.core.transcript import Transcript

Json = dict[str, Any]


def metadata(t: Transcript) -> Json:
    """Version, configuration, vendors, private context, experiment, scores and figures."""
    used = {r.provider or (r.routing.vendor if r.routing else None) for _, r in t.responses()}
    contexts = {p.seat: p.context for p in t.panelists if p.context}
    return {
        "version": t.version,
        "resolved_config": t.settings,
        "providers_used": sorted(v for v in used if v),
        **_if_known("panelist_context", contexts or None),
        **_if_known("experiment", t.brief.experiment),
        **_if_known("scores", t.scores or None),
        "stats": stats_to_json(stats(t)),
    }


def stats_to_json(figures: Stats) -> Json:
    """The figures with the well-known names; unknown ones are left out, never zero."""
    total, reused = figures.total, figures.reused
    return {
        "total_tokens": total.tokens,
        "per_model": {seat: _tally(t) for seat, t in figures.per_seat.items()},
        **_if_known("total_cost_usd", total.cost_usd),
        **_if_known("unpriced_calls", total.unpriced or None),
        **_if_known("reused_calls", reused.calls or None),
        **_if_known("reused_tokens", reused.tokens or None),
        **_if_known("reused_cost_usd", reused.cost_usd),
        "convergence": {str(n): level for n, level in figures.agreement.items()},
        "rounds_to_convergence": figures.settled_after,
        "disagreement_count": figures.disagreements,
    }


def _tally(t: Tally) -> Json:
    return {
        "tokens": t.tokens,
        "input_tokens": t.input_tokens,
        "output_tokens": t.output_tokens,
        "calls": t.calls,
        **_if_known("cost_usd", t.cost_usd),
        **_if_known("unpriced_calls", t.unpriced or None),
        **_if_known("retries", t.retries or None),
        **_if_known("cached_tokens", t.cached_tokens or None),
    }


def _if_known(name: str, value: object) -> Json:
    return {} if value is None else {name: value}
