"""A transcript as JSON: the shape that other tools know, and the fields to read it back.

The well-known fields come as they always did. Ours are further ones, and none of them changes the
meaning of a well-known one: `brief`, `key` of each response, `asked`, `notes` and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mutual_dissent.analysis.ledger.lookup import ledger_of
from mutual_dissent.core.codec.plain import shallow, to_bytes, to_plain
from mutual_dissent.core.figures.stats import Stats, Tally, stats
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import SCHEMA_VERSION, Round, Transcript
from mutual_dissent.views.account import Account, account
from mutual_dissent.views.findings import measures_to_json
from mutual_dissent.views.panel.options_table import table_of

Json = dict[str, Any]


def transcript_to_json(transcript: Transcript, fallback: Response | None = None) -> Json:
    """The transcript as plain values; `fallback` is shown if no synthesis exists."""
    document: Json = to_plain(_document(transcript, fallback))
    return document


def _document(transcript: Transcript, fallback: Response | None) -> Json:
    """The content of the JSON, with dataclasses that are encoded as they are."""
    t, keys = transcript, {id(r): key for key, r in transcript.responses()}
    show, summary = _Shown(keys), account(t)
    return {
        "schema_version": SCHEMA_VERSION,
        "transcript_id": t.transcript_id,
        "query": t.query,
        "panel": t.panel,
        "synthesizer_id": t.synthesizer_id,
        "max_rounds": t.max_rounds,
        "created_at": t.created_at,
        "updated_at": t.updated_at,
        "worked_seconds": t.worked.total_seconds(),
        "status": t.status.value,
        "heading": summary.headline,
        "closed": {"reason": t.closed_reason, "text": t.closed_text},
        **({"not_saved": t.unsaved} if t.unsaved else {}),
        "brief": shallow(t.brief, "transcript_id", "query"),
        "superseded": [
            *({**shallow(r), "key": key} for key, r in t.replaced),
            *show.all(_superseded(t)),
        ],
        "rounds": [_round(r, show) for r in t.rounds],
        "asides": show.all(t.asides),
        "failed_syntheses": show.all(t.failed_syntheses),
        "synthesis": show.one(t.synthesis) if t.synthesis else None,
        "fallback_answer": show.one(fallback) if fallback and not t.synthesis else None,
        "notes": [shallow(n, "seq") for n in t.notes],
        "cited": t.cited,
        "outcome": shallow(t.outcome, "seq") if t.outcome else None,
        "remarks": list(t.remarks),
        "heard": list(t.heard),
        "requests": t.requests,
        "asked": t.asked,
        "pending": list(t.pending),
        "bought_twice": t.bought_twice,
        "reused": sorted(t.reused),
        "labels": t.labels,
        "prompts": t.prompts,
        "metadata": _metadata(t, summary),
    }


def metadata_to_json(t: Transcript) -> Json:
    """Metadata of a transcript: all but its answers."""
    document: Json = to_plain(_metadata(t, account(t)))
    return document


def _metadata(t: Transcript, summary: Account) -> Json:
    return {
        **metadata(t),
        **measures_to_json(t),
        "account": summary,
        **(_citation_checks(t) if t.cited else {}),
        **({"ledger": ledger} if (ledger := ledger_of(t)) else {}),
        **({"decision_table": table} if (table := table_of(t)) else {}),
    }


def _citation_checks(t: Transcript) -> Json:
    # Loaded here: few debates have their citations checked.
    from mutual_dissent.analysis.citations.verdicts import checked_citations

    return {"citation_checks": checked_citations(t)}


def transcript_to_bytes(transcript: Transcript, fallback: Response | None = None) -> bytes:
    """The transcript as the text of a JSON file."""
    return to_bytes(_document(transcript, fallback), indent=True) + b"\n"


class _Shown:
    """Responses with the keys that they have in their debate."""

    def __init__(self, keys: Mapping[int, str]) -> None:
        self._keys = keys

    def one(self, response: Response) -> Json:
        key = self._keys.get(id(response))
        return {**shallow(response), **({"key": key} if key else {})}

    def all(self, responses: Iterable[Response]) -> list[Json]:
        return [self.one(r) for r in responses]


def _round(round_: Round, show: _Shown) -> Json:
    return {
        "round_number": round_.round_number,
        "round_type": round_.round_type,
        "responses": show.all(round_.responses),
        "measures": round_.measures.known,
    }


def _superseded(t: Transcript) -> list[Response]:
    """Answers that a later one took the place of: paid for, so kept."""
    shown = {id(r) for r in (*t.turns(), *t.asides, *t.failed_syntheses, t.synthesis)}
    return [r for _, r in t.responses() if id(r) not in shown]


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
