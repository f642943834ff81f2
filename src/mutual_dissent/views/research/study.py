"""Facts about one debate for a page, beside its figures, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from mutual_dissent.core.codec.camel import camel
from mutual_dissent.core.events import Event
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.sanitize import plain
from mutual_dissent.views.account import account
from mutual_dissent.views.findings import find_movement, worth
from mutual_dissent.views.heading import evidence_warning
from mutual_dissent.views.movement import leader, moves
from mutual_dissent.views.panel.ledger_names import named_ledger
from mutual_dissent.views.panel.names import letters, replace_letters
from mutual_dissent.views.panel.tables import panel_tables
from mutual_dissent.views.phrases import round_name
from mutual_dissent.views.research.one import figures
from mutual_dissent.views.scores import score_findings, score_rows
from mutual_dissent.views.value import price, value_sentence, worth_lines

Json = dict[str, Any]


def study(t: Transcript, events: Sequence[Event]) -> Json:
    """Everything that a page shows of a debate for research."""
    summary = account(t)
    return {
        "id": t.transcript_id,
        "query": plain(t.query),
        "heading": summary.headline,
        "account": asdict(summary),
        "ledger": camel(named_ledger(t)),
        "tables": panel_tables(t),
        "caveat": evidence_warning(t),
        "mode": t.brief.mode,
        "panel": [{"seat": p.seat, "model": p.model_id, "vendor": p.route.vendor}
                  for p in t.brief.panel],
        "figures": [asdict(f) for f in figures(t, events)],
        "moves": [asdict(m) for m in moves(t)],
        "leader": leader(t),
        "flips": _flips(t),
        "scores": _scores(t),
        "worth": _worth(t),
    }  # fmt: skip


def _flips(t: Transcript) -> list[Json]:
    movement, who = find_movement(t), letters(t)
    return [
        asdict(f) | {"round": round_name(f.round_number)} | {
            field: plain(replace_letters(getattr(f, field), who))
            for field in ("before", "after", "reason")
        }
        for f in (movement.flips if movement else ())
    ]  # fmt: skip


def _scores(t: Transcript) -> Json:
    rows = [{**asdict(r), "mean": r.mean, "place": r.place} for r in score_rows(t)]
    return {
        "dimensions": list(t.brief.rubric.dimensions),
        "rows": rows,
        "findings": score_findings(t),
    }


def _worth(t: Transcript) -> Json | None:
    value = worth(t)
    if value is None:
        return None
    return {
        "summary": value_sentence(value),
        "ways": [asdict(w) for w in worth_lines(value)],
        "spent": price(value.spent),
    }
