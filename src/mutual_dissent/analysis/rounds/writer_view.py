"""View of the answer's writer, where one panelist's word about another stands alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mutual_dissent.analysis.rounds.clusters import SAID, cluster_of, conflicts
from mutual_dissent.analysis.rounds.consensus import level, position
from mutual_dissent.core.measures import AGREE, DISAGREE, PARTLY, Consensus, Pair
from mutual_dissent.core.transcript import Round, Transcript


def with_writer(t: Transcript, consensus: Consensus, round_: Round | None) -> Consensus:
    """A round's findings, with pairs called a contradiction that the answer's writer calls one.

    What panelists say of each other is about earlier answers, and is left out where those were
    given up. The writer has read the last answers of all.
    """
    closing = t.synthesis.closing if t.synthesis else None
    views = {v.seat: v.relation for v in closing.views} if closing else {}
    pairs = tuple(_with_view(p, views, consensus) for p in consensus.pairs)
    if pairs == consensus.pairs or round_ is None:
        return consensus
    seats = [m for c in consensus.clusters for m in c.members]
    lines = {r.model_alias: position(r, t.query) for r in round_.usable if r.model_alias in seats}
    return replace(
        consensus,
        pairs=pairs,
        agreement_level=level(seats, pairs),
        conflicts=conflicts(lines, pairs, consensus.clusters),
    )


def _with_view(pair: Pair, views: Mapping[str, str], consensus: Consensus) -> Pair:
    one_sided = (pair.a_says is None) != (pair.b_says is None)
    apart = cluster_of(pair.a, consensus.clusters) is not cluster_of(pair.b, consensus.clusters)
    if pair.source != SAID or pair.relation != PARTLY or not one_sided or not apart:
        return pair
    if {views.get(pair.a), views.get(pair.b)} != {AGREE, DISAGREE}:
        return pair
    against = pair.a if views[pair.a] == DISAGREE else pair.b
    reason = f"{pair.reason}, the answer's writer that {against} disagrees"
    return replace(pair, relation=DISAGREE, reason=reason)
