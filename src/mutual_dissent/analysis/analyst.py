"""The analyst: a model's reading of a round, taken over as far as it can be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mutual_dissent.analysis.ballot_labels import Known
from mutual_dissent.analysis.clusters import Cluster
from mutual_dissent.analysis.conflicts import Conflict, Held
from mutual_dissent.analysis.consensus import Consensus, Nuances
from mutual_dissent.analysis.embedded_json import objects_in
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import Response
from mutual_dissent.core.sight import Names, Seen, last_round
from mutual_dissent.core.step import Mode, Need, Step, Turn
from mutual_dissent.core.transcript import Transcript

MODEL = "model"
MOST_LISTED = 12
MOST_LINE = 400


def analyzer_of(brief: Brief, mode: Mode) -> str:
    """Which analyzer is to say how far a round agrees: `model`, `semantic` or `rules`.

    `auto` never asks a model in modes of plain answers, so that their number of calls stays; in
    modes of structured answers it asks the analyst where there is one.
    """
    if brief.analyzer != "auto":
        return brief.analyzer
    if not mode.structured:
        return "rules"
    return "model" if brief.analyst else "semantic"


def question(analyst: Panelist, round_number: int) -> Step:
    """What the analyst is asked after a round."""
    turn = Turn(panelist=analyst, prompt="common/analysis", sees=_unnamed_round)
    return Step(turns=(turn,), role="analysis", round_number=round_number, need=Need.NOTHING)


def _unnamed_round(so_far: Transcript, reader: Panelist) -> Seen:
    """The round that has just ended; the analyst does not learn whose answers it compares."""
    return replace(last_round(so_far, reader), names=Names.LETTERS)


def consensus_in(
    reply: Response, labels: Mapping[str, str], answers: Sequence[Response]
) -> Consensus | None:
    """What the analyst found, with seats instead of labels; None if it cannot be read."""
    said = objects_in(reply.content) if reply.usable else ()
    found: dict[str, Any] = next((o for o in reversed(list(said)) if "agreement_level" in o), {})
    level = found.get("agreement_level")
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 <= level <= 1:
        return None
    return Consensus(
        agreement_level=float(level),
        clusters=_clusters(found.get("clusters"), labels, answers),
        common_ground=_lines(found.get("common_ground")),
        disagreement_points=_lines(found.get("disagreement_points")),
        nuances=Nuances(
            partial=_lines(found.get("partial")),
            conditional=_lines(found.get("conditional")),
            uncertain=_lines(found.get("uncertain")),
        ),
        conflicts=_conflicts(found.get("conflicts"), labels),
        reasoning=" ".join(_lines([found.get("reasoning")])) or "the analyst gave no reasons",
        analyzer=MODEL,
        decided=1.0,
    )


def _clusters(
    value: object, labels: Mapping[str, str], answers: Sequence[Response]
) -> tuple[Cluster, ...]:
    """The groups, each panelist once; whoever was forgotten stands alone."""
    left = [r.model_alias for r in answers if r.usable]
    found, known = [], Known(labels)
    for item in value[:MOST_LISTED] if isinstance(value, list) else []:
        if not isinstance(item, dict) or not isinstance(item.get("members"), list):
            continue
        seats = [s for m in item["members"] if (s := known.seat(m)) in left]
        members = tuple(dict.fromkeys(s for s in seats if s))
        if members:
            left = [s for s in left if s not in members]
            theme, summary = _line(item.get("theme")), _line(item.get("summary"))
            found.append(Cluster(theme=theme, members=members, summary=summary))
    alone = [Cluster(theme="", members=(seat,), summary="") for seat in left]
    return tuple(sorted([*found, *alone], key=lambda c: -len(c.members)))


def _conflicts(value: object, labels: Mapping[str, str]) -> tuple[Conflict, ...]:
    found, known = [], Known(labels)
    for item in value[:MOST_LISTED] if isinstance(value, list) else []:
        if not isinstance(item, dict) or not isinstance(item.get("positions"), list):
            continue
        stances = tuple(
            Held(seat=seat, stance=_line(p.get("stance")))
            for p in item["positions"][:MOST_LISTED]
            if isinstance(p, dict) and (seat := known.seat(p.get("label")))
        )
        if len(stances) > 1 and (issue := _line(item.get("issue"))):
            found.append(Conflict(issue=issue, reason="by the analyst", positions=stances))
    return tuple(found)


def _lines(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(line for v in value[:MOST_LISTED] if (line := _line(v)))


def _line(value: object) -> str:
    return " ".join(value.split())[:MOST_LINE] if isinstance(value, str) else ""
