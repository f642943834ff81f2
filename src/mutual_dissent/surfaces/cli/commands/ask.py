"""`dissent ask`: a query to the panel, live, and one answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.briefing.kinds import ModelNames, SeatParts, SeatWords
from mutual_dissent.briefing.options import Option, Where, options_for
from mutual_dissent.briefing.presets import AUTO
from mutual_dissent.core.errors import BadInput, UnknownName
from mutual_dissent.surfaces.cli.input import can_ask_user, piped_attachment, query_from
from mutual_dissent.surfaces.cli.options import (
    Sectioned,
    examples,
    ground_truth,
    options,
    scoring,
    together,
    watched,
)
from mutual_dissent.surfaces.cli.output import (
    ANSWER,
    SHOWN,
    TERMINAL,
    ResultOutput,
    prepare,
    say_note,
    say_notices,
    show_debate,
)
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.surfaces.process.signals import Interruption, run

if TYPE_CHECKING:
    from mutual_dissent.core.brief import Brief
    from mutual_dissent.engine.limits.quote import CostQuote


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
        'dissent ask "Where are retries counted?" --context . --dry-run',
        'dissent ask "Is this sound?" --context https://example.org/paper.html',
        'dissent ask "And in winter?" --conversation last',
        'dissent ask "6 times 7?" --ground-truth 42 --score all --output json',
        'git diff | dissent ask "Review this" --output answer > review.md',
        'dissent ask "Is it worth it?" --rounds 3 --dry-run',
    ),
)
@click.argument("query", required=False)
@options(section="Panel")
@options(section="What they are told")
@watched
@options(section="Procedure")
@options(section="Limits")
@together(
    click.option("--dry-run", is_flag=True, help="Quote calls, tokens and dollars; ask nobody."),
    click.option("--yes", "-y", is_flag=True, help="Take what --preset auto proposes unasked."),
    section="Limits",
)
@options(section="Parts")
@options(section="Reading, voting, stopping")
@together(
    click.option(
        "--no-analyst", is_flag=True, help="Nobody reads it; the panel's own lines have to do."
    ),
    section="Reading, voting, stopping",
)
@scoring
@options(section="Other")
@together(
    click.option("--no-save", is_flag=True, help="Keep nothing of this debate."), section="Other"
)
def command(query: str | None, **given: Any) -> int:
    """Put a query to the panel and get one answer.

    The panelists answer, read each other, answer again, and one of them writes the synthesis; other
    modes have other procedures. What is piped in beside a query is attached to it; with `-` as the
    query, or none, what is piped in is the query.
    """
    md = MutualDissent()
    showing = ResultOutput.from_options(md, **{name: given[name] for name in SHOWN})
    course = Interruption(saved=md.settings.defaults.save and not given["no_save"])
    _check_scoring(given)
    _check_quote(given)
    chosen = _options(given, md)
    chosen["context"] += piped_attachment(query)
    # A quote asks nobody: `me` may be on its panel where nobody sits at a terminal.
    if given["dry_run"] or can_ask_user():
        from mutual_dissent.hosting.desk import UserDesk

        md.human = UserDesk()
    asks_first = chosen["preset"] == AUTO and not (given["yes"] or given["dry_run"])
    _check_confirmable(asks_first=asks_first)
    brief = run(_brief(md, query_from(query), chosen))
    if given["dry_run"]:
        if brief.proposal or brief.attached or not showing.quiet:
            say_notices(md, brief)
        if not showing.quiet:
            _say_similar(brief)
        showing.quote(md.quote(brief), brief.max_cost)
        return 0
    prepare(md, brief, quiet=showing.quiet and not asks_first)
    if not showing.quiet:
        _say_similar(brief)
    if asks_first and not _confirm(md.quote(brief)):
        say("Nobody else was asked.")
        return 1
    return run(show_debate(md, md.run(brief, save=course.saved), showing, course), course)


def _say_similar(brief: Brief) -> None:
    """Print the user's earlier debates on the matter, and how to read or attach one."""
    for past in (d for d in brief.similar if not d.attached):
        name = past.transcript_id[:8]
        say_note(
            f"you asked something like this {past.words}; read it with: dissent show {name}, "
            f"or attach it with: --conversation {name}"
        )


async def _brief(md: MutualDissent, query: str, chosen: dict[str, Any]) -> Brief:
    """Return the brief; what a proposal was asked through belongs to the loop that ends here."""
    brief = await md.brief(query, **chosen)
    if brief.proposal:
        await md.aclose()
    return brief


def _check_confirmable(*, asks_first: bool) -> None:
    """Refuse a proposal that nobody could confirm, before it is paid for."""
    if asks_first and not can_ask_user():
        raise BadInput("--preset auto asks before it goes on; add --yes where nobody can be asked")


def _confirm(quote: CostQuote) -> bool:
    """Ask whether a proposed debate is to be held, with what it would cost."""
    from mutual_dissent.surfaces.cli.tables import dollars

    cost = f"about {dollars(quote.cost_usd)}" if quote.cost_usd is not None else "no price known"
    try:
        return click.confirm(f"Hold it ({quote.calls} calls, {cost})?", default=True, err=True)
    except click.Abort:
        return False


def _check_scoring(given: dict[str, Any]) -> None:
    """Refuse options of scoring without a known answer: there would be no scores, silently."""
    if given["ground_truth"] is not None or given["ground_truth_file"] is not None:
        return
    of_scoring = [o for o in options_for(Where.SHELL) if o.beside == "ground_truth"]
    for option in (o for o in of_scoring if given[o.name] != o.default):
        raise BadInput(
            f"{option.in_shell} needs a known answer to score against; add --ground-truth TEXT"
        )


def _check_quote(given: dict[str, Any]) -> None:
    """Refuse an unsupported output format of a quote before making it."""
    if given["dry_run"] and given["output"] not in (None, TERMINAL, ANSWER, "json"):
        raise BadInput(f"--dry-run shows its quote as terminal or json, not as {given['output']}")


def _options(given: dict[str, Any], md: MutualDissent) -> dict[str, Any]:
    """Return the fields of `Options` for the command line."""
    return {
        **{o.name: _value(o, given[o.name]) for o in options_for(Where.SHELL)},
        "analyst": _analyst(given["analyst"], none=given["no_analyst"]),
        "personas": _personas(given["personas"], md.settings.personas),
        **_sources(given["context"]),
        "ground_truth": ground_truth(given["ground_truth"], given["ground_truth_file"]),
    }


def _sources(words: Sequence[str]) -> dict[str, Any]:
    """Return the files and folders among words, and the addresses."""
    if not words:
        return {"context": []}
    from mutual_dissent.briefing.inputs.sources import is_address

    return {
        "context": [Path(word) for word in words if not is_address(word)],
        "pages": [word for word in words if is_address(word)],
    }


def _value(option: Option, words: Any) -> Any:
    """Return the value of an option's words."""
    from mutual_dissent.briefing.presets import pairs

    match option.kind:
        case ModelNames():
            return words.split(",") if words is not None else None
        case SeatWords():
            return [part.strip() for word in words for part in word.split(",") if part.strip()]
        case SeatParts(example):
            return pairs(words, f"{option.in_shell} is {option.metavar}, such as {example}")
        case _:
            return words


def _analyst(name: str | None, *, none: bool) -> str | None:
    """Return the analyst's name, `NOBODY`, or None for the cheapest."""
    from mutual_dissent.briefing.seating import NOBODY

    if none and name is not None:
        raise BadInput("give --analyst or --no-analyst, not both")
    return NOBODY if none else name


def _personas(words: Sequence[str], known: Collection[str]) -> tuple[str, ...]:
    """Return the words; one without a seat is dealt out, so it must name a persona."""
    from mutual_dissent.briefing.presets import pairs

    what = "--persona is SEAT=NAME or the NAME of a persona, such as claude=skeptic"
    odd = [word for word in words if "=" in word or word.strip() not in known]
    for word in odd:
        if "=" not in word and get_close_matches(word.strip()[:80], known, n=1):
            raise UnknownName("persona", word.strip(), known)
    pairs(odd, what)
    return tuple(words)
