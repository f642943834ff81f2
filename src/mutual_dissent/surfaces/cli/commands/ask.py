"""`dissent ask`: a query to the panel, live, and one answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput, UnknownName
from mutual_dissent.surfaces.cli import completing
from mutual_dissent.surfaces.cli.debate import (
    ANSWER,
    SHOWN,
    TERMINAL,
    Showing,
    prepare,
    show_debate,
)
from mutual_dissent.surfaces.cli.options import (
    DEBATE,
    PATH,
    Sectioned,
    examples,
    ground_truth,
    limits,
    measuring,
    parts,
    procedure,
    scoring,
    together,
    truth,
    watched,
)
from mutual_dissent.surfaces.cli.reading import piped_beside, query_from
from mutual_dissent.surfaces.process.signals import Course, run


@click.command(
    "ask",
    cls=Sectioned,
    epilog=examples(
        'dissent ask "What is the capital of Australia?"',
        'dissent ask "Which database?" --panel claude,gpt,gemini --rounds auto',
        'dissent ask "Ship it now?" --mode delphi --rounds 3 --exit-consensus 0.8',
        'dissent ask "Which name?" --preset council --rule schulze',
        'dissent ask "Build or buy?" --mode expert-panel --perspectives legal,economic',
        'dissent ask "Review this" --context design.md --context src/main.py',
        'dissent ask "And in winter?" --conversation last',
        'dissent ask "6 times 7?" --ground-truth 42 --score all --output json',
        'git diff | dissent ask "Review this" --output answer > review.md',
        'dissent ask "Is it worth it?" --rounds 3 --dry-run',
    ),
)
@click.argument("query", required=False)
@together(
    click.option(
        "--panel",
        "-p",
        metavar="A,B,C",
        help="Aliases or vendor:model; twice sits twice.",
        shell_complete=completing.panel,
    ),
    click.option(
        "--synthesizer",
        "-s",
        metavar="MODEL",
        help="Who writes the final answer.",
        shell_complete=completing.model,
    ),
    section="Panel",
)
@together(
    click.option(
        "--context",
        "-c",
        "contexts",
        multiple=True,
        type=PATH,
        help="A file to attach; repeatable.",
    ),
    click.option(
        "--conversation",
        metavar="ID",
        help="Go on from this debate: the panel is told its conversation so far.",
        type=DEBATE,
    ),
    section="What they are told",
)
@watched
@procedure
@together(
    limits,
    click.option("--allow-unpriced", is_flag=True, help="Accept models without a known price."),
    click.option("--dry-run", is_flag=True, help="Quote calls, tokens and dollars; ask nobody."),
    click.option("--quorum", type=int, metavar="N", help="Usable answers that a round needs (2)."),
    section="Limits",
)
@parts
@measuring
@truth
@scoring
@together(
    click.option("--named", is_flag=True, default=None, help="Panelists see each other's names."),
    click.option("--seed", type=int, help="What orders and labels are shuffled by."),
    click.option(
        "--follow-up",
        is_flag=True,
        help="The synthesizer may ask one panelist one question before it writes.",
    ),
    click.option("--strict-model", is_flag=True, help="Refuse answers by another model."),
    click.option("--no-save", is_flag=True, help="Keep nothing of this debate."),
    section="Other",
)
def command(query: str | None, **given: Any) -> int:
    """Put a query to the panel and get one answer.

    The panelists answer, read each other, answer again, and one of them writes the synthesis; other
    modes have other procedures. What is piped in beside a query is attached to it; with `-` as the
    query, or none, what is piped in is the query.
    """
    md = MutualDissent()
    showing = Showing.chosen(md, **{name: given[name] for name in SHOWN})
    course = Course(saved=md.settings.defaults.save and not given["no_save"])
    _check_scoring(given)
    _check_quote(given)
    options = _options(given, md)
    options["context"] += piped_beside(query)
    brief = run(md.brief(query_from(query), **options))
    if given["dry_run"]:
        showing.quote(md.quote(brief), brief.max_cost)
        return 0
    prepare(md, brief, quiet=showing.quiet)
    return run(show_debate(md, md.run(brief, save=course.saved), showing, course), course)


def _check_scoring(given: dict[str, Any]) -> None:
    """Whoever wants scores and gives nothing to score against would get none, without a word."""
    if given["ground_truth"] is not None or given["ground_truth_file"] is not None:
        return
    asked = {"--score all": given["score"] == "all", "--judge": given["judge"]}
    for option in (o for o, is_set in {**asked, "--rubric": given["rubric"]}.items() if is_set):
        raise BadInput(f"{option} needs a known answer to score against; add --ground-truth TEXT")


def _check_quote(given: dict[str, Any]) -> None:
    """A quote is text or JSON: whoever asks for another form is told before it is made."""
    if given["dry_run"] and given["output"] not in (None, TERMINAL, ANSWER, "json"):
        raise BadInput(f"--dry-run shows its quote as terminal or json, not as {given['output']}")


def _options(given: dict[str, Any], md: MutualDissent) -> dict[str, Any]:
    """The fields of `Options` that the command line's words stand for."""
    from mutual_dissent.config.briefing import parse_rounds
    from mutual_dissent.config.documents import attachment
    from mutual_dissent.config.presets import pairs

    same = (
        "synthesizer judge mode topology preset quorum max_cost allow_unpriced timeout "
        "call_timeout grace named seed follow_up strict_model score rubric perspective_order tools "
        "rule exit_consensus exit_convergence exit_confidence conversation"
    )
    return {
        **{name: given[name] for name in same.split()},
        "analyst": _analyst(given["analyst"], none=given["no_analyst"]),
        "panel": given["panel"].split(",") if given["panel"] is not None else None,
        "rounds": parse_rounds(given["rounds"]) if given["rounds"] is not None else None,
        "personas": _personas(given["personas"], md.settings.personas),
        "perspectives": _listed(given["perspectives"]),
        "roles": pairs(given["roles"], "--role is SEAT=ROLE, such as claude=PRIMARY"),
        "teams": pairs(given["teams"], "--team is SEAT=TEAM, such as claude=red"),
        "context": [attachment(Path(p)) for p in given["contexts"]],
        "ground_truth": ground_truth(given["ground_truth"], given["ground_truth_file"]),
    }


def _analyst(name: str | None, *, none: bool) -> str | None:
    """Who reads the debate: a name, nobody, or None for whoever costs least."""
    from mutual_dissent.config.analyst import NOBODY

    if none and name is not None:
        raise BadInput("give --analyst or --no-analyst, not both")
    return NOBODY if none else name


def _personas(words: Sequence[str], known: Collection[str]) -> tuple[str, ...]:
    """The words as they are: a name alone is dealt out, so it must be one of a persona."""
    from mutual_dissent.config.presets import pairs

    what = "--persona is SEAT=NAME or the NAME of a persona, such as claude=skeptic"
    odd = [word for word in words if "=" in word or word.strip() not in known]
    for word in odd:
        if "=" not in word and get_close_matches(word.strip()[:80], known, n=1):
            raise UnknownName("persona", word.strip(), known)
    pairs(odd, what)
    return tuple(words)


def _listed(words: Sequence[str]) -> list[str]:
    """What stands between commas, over all times that the option was given."""
    return [part.strip() for word in words for part in word.split(",") if part.strip()]
