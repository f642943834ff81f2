"""`dissent decide`: the ballots of a stored debate, counted under any rule, offline."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from mutual_dissent.analysis.decisions import DEFAULT, RULES, Decision, decide, listed
from mutual_dissent.analysis.elections import Election, election
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput, UnknownName
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.cli import completing
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.tables import echo_json, table
from mutual_dissent.views.safe import plain

ALL = "all"


@click.command(
    "decide",
    epilog=examples(
        "dissent decide 1f0c9a2e",
        "dissent decide 1f0c9a2e --rule schulze",
        "dissent decide 1f0c9a2e --rule all",
        "dissent decide 1f0c9a2e --rule all --output json",
    ),
)
@click.argument("name", metavar="ID", shell_complete=completing.debate)
@click.option(
    "--rule",
    metavar="NAME",
    default=DEFAULT,
    show_default=True,
    help=f"{', '.join(RULES)}, or {ALL} to compare them.",
)
@as_list
def command(name: str, rule: str, output: str) -> None:
    """Count the ballots of a stored debate again, under any rule.

    Nothing is asked of any model, and the stored debate stays as it is.
    """
    if rule not in (*RULES, ALL):
        raise UnknownName("rule", rule, (*RULES, ALL))
    md = MutualDissent()
    try:
        debate = md.store.transcript(md.store.find(name))
    finally:
        md.close()
    held = election(debate)
    if not held.ballots:
        raise BadInput(
            f"debate {debate.transcript_id[:8]} has no ballots to count; "
            "a panel votes in --mode ranking and --mode hybrid"
        )
    decisions = _decisions(held, rule, debate.brief.seed)
    if output == "json":
        echo_json(_plain(debate, held, decisions))
    elif rule == ALL:
        _compare(held, decisions)
    else:
        _explain(decisions[0])


def _decisions(held: Election, rule: str, seed: int) -> list[Decision]:
    """By one rule, or by all that can take so many candidates."""
    size = len(held.candidates)
    fit = [r.name for r in RULES.values() if r.most is None or size <= r.most]
    names = fit if rule == ALL else [rule]
    return [decide(held.ballots, held.candidates, name, seed=seed) for name in names]


def _explain(decision: Decision) -> None:
    click.echo(plain(decision.explanation))
    if decision.stability is not None:
        click.echo(f"{_share(decision.stability)} of electorates drawn from these voters agree.")
    click.echo()
    places = enumerate(decision.ranking, 1)
    rows = [(str(n), seat, f"{decision.scores[seat]:.4g}") for n, seats in places for seat in seats]
    click.echo(table(("PLACE", "SEAT", RULES[decision.rule].unit.upper()), rows))


def _compare(held: Election, decisions: list[Decision]) -> None:
    rows = [
        (d.rule, listed(d.winners) if d.winners else "-", _share(d.stability), _in_order(d))
        for d in decisions
    ]
    click.echo(table(("RULE", "WINNER", "STABILITY", "ORDER"), rows))
    click.echo()
    best = decisions[0].condorcet
    said = f"{best} beats every other one" if best else "nobody beats every other one"
    click.echo(plain(f"{len(held.ballots)} ballots; {said} in direct comparison."))
    for name in RULES.keys() - {d.rule for d in decisions}:
        click.echo(f"{name} takes up to {RULES[name].most} candidates and was left out.")


def _in_order(decision: Decision) -> str:
    return " > ".join(" = ".join(level) for level in decision.ranking)


def _share(stability: float | None) -> str:
    return "-" if stability is None else f"{stability:.0%}"


def _plain(debate: Transcript, held: Election, decisions: list[Decision]) -> dict[str, Any]:
    return {
        "transcript_id": debate.transcript_id,
        "candidates": held.candidates,
        "ballots": held.ballots,
        "condorcet": decisions[0].condorcet,
        "decisions": [asdict(d) for d in decisions],
    }
