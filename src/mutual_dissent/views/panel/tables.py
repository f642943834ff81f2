"""Panelists' views of each other, as tables: relations, estimates, ballots, critiques.

Everything here was said or compared; an unknown cell is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from mutual_dissent.analysis.rounds.clusters import BY_CLAIM, SAID, pair_of
from mutual_dissent.analysis.rounds.consensus import position
from mutual_dissent.analysis.rounds.recorded import consensus_of
from mutual_dissent.analysis.scores.forecasts import pooled_by_round
from mutual_dissent.core.closing import Change, Estimate
from mutual_dissent.core.codec.plain import to_plain
from mutual_dissent.core.figures.estimates import estimates
from mutual_dissent.core.figures.forecasts import PooledForecast
from mutual_dissent.core.measures import BY_ESTIMATE, BY_VALUE, Consensus, Pair
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Round, Transcript
from mutual_dissent.text.sanitize import one_line, plain
from mutual_dissent.views.findings import findings
from mutual_dissent.views.panel.claim_table import claim_table
from mutual_dissent.views.panel.names import in_panel_order, letters, name, replace_letters
from mutual_dissent.views.panel.options_table import options_table
from mutual_dissent.views.phrases import round_name

Json = dict[str, Any]
Show = Callable[[str], str]
"""Function that shows a panelist's text to a person: with names, on one line."""

MOST_SEATS, MOST_LISTED, LONGEST = 16, 12, 600
COMPARED = {
    BY_VALUE: "Compared by value: ",
    BY_ESTIMATE: "Compared by their estimates: ",
    BY_CLAIM: "By the embedded model on their bottom lines: ",
}
"""Source of a pair's relation, where the panelists do not state it themselves."""


def panel_tables(t: Transcript) -> Json:
    """All tables of a debate; a list is empty if there is nothing to put into it."""
    known = dict(consensus_of(t))
    if last := findings(t):
        known[last.round_number] = last.consensus
    rounds = [_round(t, r, known.get(r.round_number)) for r in t.rounds if r.usable]
    return {
        "names": {p.seat: name(t, p.seat) for p in t.panelists},
        "claims": claim_table(t, rounds),
        "rounds": rounds,
        "estimates": _estimates(t),
        "ballots": [ballots for r in t.rounds if (ballots := _ballots(t, r))],
        "decision": _decision(t),
        "critiques": [ballots for r in t.rounds if (ballots := _critiques(t, r))],
    }


def estimate_words(e: Estimate) -> str:
    """An estimate as it is said: `75 people [50 to 100]`."""
    return one_line(e.words, 120)


def _shows(t: Transcript, response: Response) -> Show:
    """Function that shows an answer's words: letters of panelists as names, on one line."""
    who = letters(t, response)
    return lambda text: one_line(replace_letters(text, who), LONGEST)


def _round(t: Transcript, round_: Round, consensus: Consensus | None) -> Json:
    usable = round_.usable[:MOST_SEATS]
    pairs = consensus.pairs if consensus else ()
    return {
        "number": round_.round_number,
        "name": round_name(round_.round_number, round_.round_type),
        "seats": [r.model_alias for r in usable],
        "rows": [_row(t, r, usable, pairs) for r in usable],
        "silent": list(consensus.silent) if consensus else [],
        "source": consensus.analyzer if consensus else "nobody",
    }


def _row(t: Transcript, r: Response, all_: Sequence[Response], pairs: Sequence[Pair]) -> Json:
    closing, show = r.closing, _shows(t, r)
    return {
        "seat": r.model_alias,
        "holds": show(position(r, t.query)),
        "stance": plain(r.stance) if r.stance else None,
        "confidence": r.confidence,
        "estimate": estimate_words(closing.estimate) if closing and closing.estimate else None,
        "change": _change(closing.change, show) if closing and closing.change else None,
        "views": [_view(t, r, o.model_alias, pairs, show) for o in all_ if o is not r],
    }


def _change(change: Change, show: Show) -> Json:
    return {
        "kind": change.kind,
        "what": show(change.what),
        "before": show(change.before),
        "after": show(change.after),
        "becauseOf": list(change.because_of),
    }


def _view(t: Transcript, r: Response, other: str, pairs: Sequence[Pair], show: Show) -> Json:
    """Relation of an author to another one: as it says itself, else as the two compare."""
    pair = pair_of(r.model_alias, other, pairs)
    says = None if pair is None else pair.a_says if pair.a == r.model_alias else pair.b_says
    view = r.closing.view_of(other) if r.closing else None
    author, subject = name(t, r.model_alias), name(t, other)
    if pair is None or not pair.measured or (says is None and pair.source == SAID):
        sentence = (
            f"What {author} says is about an answer that {subject} has given up since."
            if view
            else f"How {author} sees what {subject} holds was not measured."
        )
        return {"seat": other, "relation": None, "source": "", "sentence": sentence}
    if pair.source != SAID:
        sentence = f"{COMPARED.get(pair.source, '')}{one_line(pair.reason, LONGEST)}"
        return {
            "seat": other,
            "relation": pair.relation,
            "source": pair.source,
            "sentence": sentence,
        }
    about = show(view.about) if view and view.about else ""
    words = f"{author} on {subject}: {says}"
    sentence = f"{words}: {about}" if about else words
    return {"seat": other, "relation": says, "source": SAID, "sentence": sentence}


def _estimates(t: Transcript) -> list[Json]:
    """Estimates round by round, with the median if all are of one unit."""
    by_round = (estimates(r.usable) for r in t.rounds if r.usable)
    pooled = pooled_by_round(t)
    return [
        {
            "round": e.round_number,
            "name": round_name(e.round_number),
            "values": {
                seat: {**to_plain(value), "words": estimate_words(value)}
                for seat, value in e.values.items()
            },
            "median": e.median,
            "given": len(e.values),
            "answers": e.answers,
            "unit": one_line(e.unit, 40),
            "pooled": _pooled(pooled.get(e.round_number)),
        }
        for e in by_round
        if e.values
    ]


def _pooled(forecast: PooledForecast | None) -> dict[str, str]:
    """Each way of pooling -> the panel's figure in words; empty where nothing is forecast."""
    ways = forecast.pooled.items() if forecast else ()
    return {way: one_line(forecast.say(figure), 40) for way, figure in ways if forecast}


def _decision(t: Transcript) -> Json | None:
    """Options by criteria, as a person reads them."""
    found = options_table(t)
    return {"rows": [list(r) for r in found.rows], "notes": list(found.notes)} if found else None


def _ballots(t: Transcript, round_: Round) -> Json | None:
    """Places of the candidates on each ballot; candidates of one level share a place."""
    votes = {r.model_alias: r.ballot for r in round_.usable if r.ballot}
    if not votes:
        return None
    places = {voter: dict(_places(ballot)) for voter, ballot in votes.items()}
    candidates = in_panel_order(t, {seat for row in places.values() for seat in row})
    return {
        "round": round_.round_number,
        "name": round_name(round_.round_number, round_.round_type),
        "candidates": candidates[:MOST_SEATS],
        "rows": [{"seat": v, "places": places[v]} for v in list(votes)[:MOST_SEATS]],
    }


def _places(ballot: tuple[tuple[str, ...], ...]) -> Iterator[tuple[str, int]]:
    place = 1
    for level in ballot:
        yield from ((seat, place) for seat in level)
        # After two on the first place comes the third.
        place += len(level)


def _critiques(t: Transcript, round_: Round) -> Json | None:
    rows = [
        {"seat": r.model_alias, "about": about}
        for r in round_.usable[:MOST_SEATS]
        if (about := critique_points(t, r))
    ]
    if not rows:
        return None
    title = round_name(round_.round_number, round_.round_type)
    return {"round": round_.round_number, "name": title, "rows": rows}


def critique_points(t: Transcript, r: Response) -> Json:
    """Seat -> the strengths and weaknesses that an answer finds; empty if it is not a review."""
    reviews, show = dict[str, Json](), _shows(t, r)
    critique: Mapping[str, Any] = r.critique if isinstance(r.critique, dict) else {}
    for seat, points in list(critique.items())[:MOST_SEATS]:
        if isinstance(points, dict):
            reviews[seat] = {
                kind: [show(str(p)) for p in listed[:MOST_LISTED]]
                for kind in ("strengths", "weaknesses")
                if isinstance(listed := points.get(kind), list) and listed
            }
    return {seat: kinds for seat, kinds in reviews.items() if kinds}
