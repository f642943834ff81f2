"""Agreement between panelists, round by round, in measured pairs: a chart of counts."""

from __future__ import annotations

from mutual_dissent.analysis.rounds.recorded import consensus_of
from mutual_dissent.core.measures import AGREE, DISAGREE, PARTLY, UNMEASURED
from mutual_dissent.core.transcript import MOST_ROUNDS, Transcript
from mutual_dissent.views.charts import Series, lines
from mutual_dissent.views.research.figure import Figure

TITLE = "How panelists see each other, by round"
NAMES = {
    AGREE: "agree",
    PARTLY: "partly",
    DISAGREE: "disagree",
    UNMEASURED: "not measured",
}


def relations(t: Transcript) -> Figure:
    """Count the pairs that agree, agree partly, disagree, or were not measured, by round."""
    known = consensus_of(t)
    counted = {
        name: [
            (float(n), float(sum(p.relation == relation for p in known[n].pairs)))
            for n in sorted(known)
            if known[n].pairs
        ]
        for relation, name in NAMES.items()
    }
    series = [
        Series(name=name, points=points)
        for name, points in counted.items()
        if any(count for _, count in points)
    ]
    svg = lines(series, title=TITLE, x_words=round_words(t), y_name="pairs of panelists")
    note = "As they say themselves in closing lines; where they did not, as their answers compare."
    return Figure(name="relations", title=TITLE, svg=svg, note=note)


def round_words(*debates: Transcript) -> list[str]:
    """The names of the rounds, up to the last one of any of the debates."""
    last = min(MOST_ROUNDS, max((r.round_number for t in debates for r in t.rounds), default=0))
    return ["initial", *(f"round {n}" for n in range(1, last + 1))]
