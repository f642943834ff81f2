"""`dissent decide`: the ballots of a stored debate, counted under any rule, offline."""

from __future__ import annotations

import click

from mutual_dissent.analysis.ballots.decision import join_names
from mutual_dissent.analysis.ballots.rules import DEFAULT, RULES
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.measures import VoteResult
from mutual_dissent.surfaces.cli.options import DEBATE, as_list, examples
from mutual_dissent.surfaces.cli.tables import echo_json, table
from mutual_dissent.surfaces.facts.decisions import ALL, Counted, count
from mutual_dissent.text.sanitize import plain


@click.command(
    "decide",
    epilog=examples(
        "dissent decide 1f0c9a2e",
        "dissent decide 1f0c9a2e --rule schulze",
        "dissent decide 1f0c9a2e --rule all",
        "dissent decide 1f0c9a2e --rule all --output json",
    ),
)
@click.argument("name", metavar="ID", type=DEBATE)
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
    md = MutualDissent()
    try:
        debate = md.store.transcript(md.store.find(name))
    finally:
        md.close()
    counted = count(debate, rule)
    if output == "json":
        echo_json(counted)
    elif rule == ALL:
        _compare(counted)
    else:
        _explain(counted.decisions[0])


def _explain(decision: VoteResult) -> None:
    click.echo(plain(decision.explanation))
    if decision.stability is not None:
        click.echo(f"{_share(decision.stability)} of electorates drawn from these voters agree.")
    click.echo()
    places = enumerate(decision.ranking, 1)
    rows = [(str(n), seat, f"{decision.scores[seat]:.4g}") for n, seats in places for seat in seats]
    click.echo(table(("PLACE", "SEAT", RULES[decision.rule].unit.upper()), rows))


def _compare(counted: Counted) -> None:
    decisions = counted.decisions
    rows = [
        (d.rule, join_names(d.winners) if d.winners else "-", _share(d.stability), _in_order(d))
        for d in decisions
    ]
    click.echo(table(("RULE", "WINNER", "STABILITY", "ORDER"), rows))
    click.echo()
    best = decisions[0].condorcet
    sentence = f"{best} beats every other one" if best else "nobody beats every other one"
    click.echo(plain(f"{len(counted.ballots)} ballots; {sentence} in direct comparison."))
    for name in (n for n in RULES.keys() - {d.rule for d in decisions} if RULES[n].most):
        click.echo(f"{name} takes up to {RULES[name].most} candidates and was left out.")


def _in_order(decision: VoteResult) -> str:
    return " > ".join(" = ".join(level) for level in decision.ranking)


def _share(stability: float | None) -> str:
    return "-" if stability is None else f"{stability:.0%}"
