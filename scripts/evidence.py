"""Write docs/evidence.md and the table of chances from public recordings.

    python scripts/evidence.py FOLDER

FOLDER has the recordings as JSON lines (by default `../shared/datasets`); docs/evidence.md names
the public repositories that they are reduced from.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import evidence_escalate
import evidence_facts
import evidence_table
import evidence_votes
import evidence_words as words
from evidence_escalate import Escalated
from evidence_facts import Facts
from evidence_panels import share_right, tallies
from evidence_table import Check, Recording
from evidence_votes import Votes

from mutual_dissent.analysis.scores.chance_table import Table
from mutual_dissent.analysis.scores.juries import credit, verdict
from mutual_dissent.experiments.recordings.reviews import (
    by_company,
    first_group,
    reviewers,
    worth_of_panels,
)
from mutual_dissent.experiments.recordings.rules import (
    WEIGHTED,
    RecordedVerdicts,
    Reviewed,
    read_recorded,
    rules_of_verdicts,
    weighted_verdicts,
)
from mutual_dissent.experiments.recordings.votes import BEST, TRIO, Way, ways
from mutual_dissent.experiments.statistics.comparison import compare_pairs
from mutual_dissent.experiments.statistics.intervals import Interval, share
from mutual_dissent.views.phrases import join_names

ROOT = Path(__file__).parents[1]
FOLDER = ROOT.parent / "shared" / "datasets"
TARGET = ROOT / "docs" / "evidence.md"
WIDTH = 110
GOOD = 0.05


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """All that the page is about."""

    recordings: list[Recording]
    made: Table
    checks: list[Check]
    outside: list[Check]
    held: list[int]
    votes: list[Votes]
    escalated: list[Escalated]
    facts: list[Facts]
    reviews: list[Reviewed]
    verdicts: RecordedVerdicts


def evidence(folder: Path) -> Evidence:
    """What the recordings show."""
    found = evidence_table.recordings(folder)
    made, tried = evidence_table.table_of(found), evidence_table.checks(found)
    reviews = read_recorded(folder / "reviews-open.jsonl")
    verdicts = read_recorded(folder / "llmbar-verdicts.jsonl")
    return Evidence(
        recordings=found,
        made=made,
        checks=tried,
        outside=evidence_table.outside(folder, made),
        held=evidence_table.sizes_that_held(tried),
        votes=evidence_votes.votes(found),
        escalated=evidence_escalate.escalated(found),
        facts=evidence_facts.facts(folder, made),
        reviews=[r for r in reviews if isinstance(r, Reviewed)],
        verdicts=next(
            v
            for v in verdicts
            if isinstance(v, RecordedVerdicts) and v.name == "Adversarial, Vanilla"
        ),
    )


def written(folder: Path) -> dict[Path, bytes]:
    """What each file should hold."""
    found = evidence(folder)
    return {
        evidence_table.TARGET: evidence_table.as_json(found.recordings, found.checks),
        TARGET: page(found).encode(),
    }


def page(e: Evidence) -> str:
    """The page: what does not work first."""
    return "\n\n".join((
        "# What panels are worth, on public recordings", _filled(words.INTRO), _sources(e),
        "## What does not work", *_negative(e),
        "## What holds", *_positive(e),
        "## How to make it again", _filled(words.AGAIN),
    )) + "\n"  # fmt: skip


def _sources(e: Evidence) -> str:
    rows = []
    for r in e.recordings:
        vendors = len(set(r.vendors.values()))
        has = f"{len(r.items):,} questions, {len(r.vendors)} models of {vendors} vendors"
        rows.append((f"{r.name} (`{r.file}`)", "WildEval/ZeroEval", r.licence, has))
    judges, defects = len(e.verdicts.cases[0]), sum(len(r.defects) for r in e.reviews)
    found = f"{len(e.reviews)} pull requests, {defects} verified defects, "
    rows += [
        ("SimpleQA (`simpleqa-open.jsonl`)", "lm-sys/FastChat, pull request 3596; OpenAI SimpleQA",
         "Apache-2.0; MIT", "125 questions, 20 set-ups, graded"),
        ("GSM8K, 2021 (`gsm8k-recorded.jsonl`)", "openai/grade-school-math", "MIT",
         "1,319 questions, 4 models of 1 vendor"),
        ("LLMBar (`llmbar-verdicts.jsonl`)", "princeton-nlp/LLMBar", "MIT",
         f"{len(e.verdicts.cases)} adversarial pairs, {judges} judges"),
        ("reviews (`reviews-open.jsonl`)", "withmartian/code-review-benchmark", "MIT",
         f"{found}{len(reviewers(e.reviews))} reviewers"),
    ]  # fmt: skip
    return _table(("recording", "public repository", "licence", "what it has"), rows)


def _negative(e: Evidence) -> Iterator[str]:
    yield "### A plain vote of an uneven panel loses to its best member"
    yield _uneven(e)
    yield "### Where first answers agree, a further round has next to nothing to gain"
    yield _rounds(e)
    yield "### Picking the best three gains less than a point over the best model"
    yield _filled(words.TRIOS, parts=" and by ".join(map(_trio, e.recordings)))
    yield "### A majority of reviewers is no better than one of them"
    found = {w.name: _percent(w.found) for w in worth_of_panels(e.reviews)}
    yield _filled(
        words.MAJORITY,
        reviewers=len(reviewers(e.reviews)),
        defects=sum(len(r.defects) for r in e.reviews),
        one=found["one reviewer"],
        three=found["majority of 3"],
        five=found["majority of 5"],
    )
    yield "### How often agreement is right does not carry over to everything"
    yield from _limits(e)


def _uneven(e: Evidence) -> str:
    ahead = next(v for v in e.votes if v.sort == "one ahead")
    rules = {r.name: _wilson(r.right, r.cases) for r in rules_of_verdicts(e.verdicts)}
    return _filled(
        words.UNEVEN,
        panels=ahead.panels,
        recording=ahead.recording,
        best=_percent(ahead.best),
        questions=f"{ahead.questions:,}",
        plain=_points(ahead.plain),
        pairs=len(e.verdicts.cases),
        judge=_percent(rules["GPT-4 alone, both orders"]),
        majority=_percent(rules["majority, both orders"]),
        blind=_percent(rules["weights without labels (one-coin Dawid-Skene)"]),
    )


def _rounds(e: Evidence) -> str:
    parts, five = [], evidence_votes.SIZE
    for r in e.recordings:
        tally = tallies(r.split["all"], "number")
        met = sum(t.panels for (_, n, _), t in tally.items() if n == five)
        agreed = tally["number", five, five]
        right = _percent(share_right(r.split["all"], five, five))
        parts.append(
            f"on {r.name} five of five agree in {_share(agreed.panels / met)} of cases and are "
            f"right in {right} of them ({agreed.cases:,} questions)"
        )
    return _filled(words.ROUNDS, parts=", ".join(parts))


def _trio(r: Recording) -> str:
    by_name: dict[str, Way] = {w.name: w for w in ways(r.items)}
    scores = {name: by_name[name].scores.tolist() for name in (TRIO, BEST)}
    (c,) = compare_pairs(scores, [(TRIO, BEST)])
    shown = "" if c.p < GOOD else "; no difference shown"
    n = f"n = {c.queries:,}"
    counts = f"{c.better} gained, {c.worse} lost, {n}{shown}"
    return f"{_points(c.difference)} points ({counts}) on {r.name}"


def _limits(e: Evidence) -> Iterator[str]:
    two = [c for c in e.checks if c.panel == 2 and c.panels == "all"]
    even = [c for c in e.checks if c.panel == 3 and c.panels == "even"]
    yield _filled(
        words.LIMITS,
        two="; ".join(_check(words.TWO, c) for c in two),
        even="; ".join(_check(words.EVEN, c) for c in even),
        all_agree=_share(e.made.entries["number", 3, 3].share),
        two_agree=_share(e.made.entries["number", 3, 2].share),
    )
    head = ("asked", "kind", "questions", "right, 3 of 3", "right, 2 of 3", "off by, points")
    yield _table(
        head,
        (
            (f.setup, f.kind, f"{f.questions}", _percent(f.all_agree), _percent(f.two_agree),
             _off(f.error))
            for f in e.facts
        ),
    )  # fmt: skip


def _check(text: str, c: Check) -> str:
    return text.format(
        made_from=c.made_from, tried_on=c.tried_on, error=_off(c.error), n=f"{c.questions:,}"
    )


def _positive(e: Evidence) -> Iterator[str]:
    yield "### Agreement is a signal"
    yield _filled(words.SIGNAL)
    names = [r.name for r in e.recordings]
    yield _table(("agree", "said", *names, "questions"), _signal(e))
    yield "### The table was checked on recordings that it was not made from"
    yield from _checked(e)
    yield "### Even panels beat their best member, and weights win back what uneven ones lose"
    yield _filled(words.WEIGHTS)
    yield _weights(e)
    yield _won_back(e)
    yield "### Asking two first costs less and loses next to nothing"
    yield _filled(words.TWO_FIRST)
    yield _table(
        ("recording", "panels", "answers a question, of 5", "points", "questions"),
        ((v.recording, v.sort, f"{v.calls:.1f}", _points(v.saved), f"{v.questions:,}")
         for v in e.votes),
    )  # fmt: skip
    yield "### The mode `escalate` keeps that, as long as members are good"
    yield from _escalated(e)
    yield "### Reviewers add up, and what several found can be relied on more"
    yield _union(e)
    yield _filled(words.REVIEWED)
    yield _table(
        ("reviewers", "changes", "right of what comes first", "of all that is right", "findings",
         "right, if matched by hand"),
        _reviewed(e),
    )  # fmt: skip


def _escalated(e: Evidence) -> Iterator[str]:
    good, hard = (x for x in e.escalated if x.sort == "even")
    yield _filled(
        words.ESCALATE,
        good=_number(good.calls),
        hard=hard.panels,
        answers=f"{hard.answers:.1f}",
        calls=_number(hard.calls),
    )
    yield _table(
        ("recording", "panels", "how many", "two suffice", "with a round", "first answers, of 5",
         "calls in all", "points", "questions"),
        (
            (x.recording, x.sort, f"{x.panels}", _share(x.early), _share(x.rounds),
             f"{x.answers:.1f}", _number(x.calls), _points(x.points), f"{x.questions:,}")
            for x in e.escalated
        ),
    )  # fmt: skip


def _signal(e: Evidence) -> Iterator[Sequence[str]]:
    for panel in sorted(e.held, reverse=True):
        for leading in range(panel, 0, -1):
            entry = e.made.entries["number", panel, leading]
            seen = [_percent(share_right(r.split["all"], panel, leading)) for r in e.recordings]
            yield f"{leading} of {panel}", _share(entry.share), *seen, f"{entry.cases:,}"


def _checked(e: Evidence) -> Iterator[str]:
    tried = evidence_table.settings(e.recordings)
    good = [s for s in tried if s.worst <= GOOD]
    wrong = sorted({s.wrong for s in tried})
    many = [w for w in wrong if all(s in good for s in tried if s.wrong == w)]
    few = [w for w in wrong if not any(s.wrong == w for s in good)]
    raw = evidence_table.raw_errors(e.recordings, e.held)
    yield _filled(
        words.CHECKED,
        held=join_names([str(n) for n in e.held]),
        tried=len(tried),
        settings=_settings(),
        good=len(good),
        many=" or ".join(map(str, many)),
        few=" or ".join(map(str, few)),
        outside=" and ".join(
            f"{_off(c.error)} points for panels of {c.panel} (n = {c.questions:,})"
            for c in e.outside
        ),
        raw=", ".join(f"{100 * off:.1f} points at most for {n}" for n, off in raw.items()),
    )
    which = {"all": "all", "even": "even (within 6 points)", "uneven": "uneven"}
    yield _table(
        ("panel", "which", "made from", "tried on", "off by, points", "questions"),
        (
            (f"{c.panel}", which[c.panels], c.made_from, c.tried_on, _off(c.error),
             f"{c.questions:,}")
            for c in sorted(e.checks, key=lambda c: (c.panel, c.panels, c.made_from))
        ),
    )  # fmt: skip


def _settings() -> str:
    heard, voice, wrong = (", ".join(map(str, s)) for s in evidence_table.SETTINGS.values())
    return (
        f"a recording has half of its voice with {heard} cases; the model has a voice of {voice}; "
        f"{wrong} wrong answers"
    )


def _weights(e: Evidence) -> str:
    head = ("recording", "panels", "how many", "best member right", "plain vote, points",
            "weighted, points", "won back", "questions")  # fmt: skip
    return _table(
        head,
        (
            (v.recording, v.sort, f"{v.panels}", _percent(v.best), _points(v.plain),
             _points(v.weighted), _whole(v.won_back), f"{v.questions:,}")
            for v in e.votes
        ),
    )  # fmt: skip


def _won_back(e: Evidence) -> str:
    ahead = next(v for v in e.votes if v.sort == evidence_votes.AHEAD_SORT)
    cases, truths = e.verdicts.cases, e.verdicts.truths
    rules = {r.name: _wilson(r.right, r.cases) for r in rules_of_verdicts(e.verdicts)}
    one = [[credit(v, t) for v in c["GPT-4"]] for c, t in zip(cases, truths, strict=True)]
    scores = [
        np.array([sum(said) / len(said) for said in one]),
        *(
            np.array(list(map(credit, said, truths)))
            for said in ([verdict(c) for c in cases], weighted_verdicts(e.verdicts))
        ),
    ]
    return _filled(
        words.WON_BACK,
        chances=", ".join(f"{100 * x:.0f} % with {c}" for c, x in ahead.by_chance.items()),
        recording=ahead.recording,
        pairs=len(cases),
        majority=_percent(rules["majority, both orders"]),
        weighted=_percent(rules[WEIGHTED]),
        judge=_percent(rules["GPT-4 alone, both orders"]),
        share=_whole(evidence_votes.won_back(*scores)),
    )


def _union(e: Evidence) -> str:
    found = {w.name: w for w in worth_of_panels(e.reviews)}
    company = {name: (_percent(i), n) for name, i, n in by_company(e.reviews)}
    alone, two, more = (
        company[name] for name in ("found by one", "found by two", "found by three or more")
    )
    return _filled(
        words.UNION,
        three=_percent(found["union of 3"].found),
        five=_percent(found["union of 5"].found),
        one_right=_percent(found["one reviewer"].right),
        three_right=_percent(found["union of 3"].right),
        alone=alone[0], n_alone=alone[1], two=two[0], n_two=two[1], more=more[0], n_more=more[1],
    )  # fmt: skip


def _reviewed(e: Evidence) -> Iterator[Sequence[str]]:
    """The first group of mode `review`: tuned on one half of the changes, tried on the other."""
    halves = {"the other half": e.reviews[1::2], "the half it was tuned on": e.reviews[0::2]}
    for size in (3, 5, len(reviewers(e.reviews))):
        for name, items in halves.items():
            right, found, number = first_group(items, size)
            best, _, _ = first_group(items, size, matched=True)
            yield f"{size}", name, _percent(right), _percent(found), f"{number:,}", _percent(best)


def _filled(text: str, **blanks: object) -> str:
    """Paragraphs with their blanks filled in, wrapped anew."""
    said = text.strip().format(**blanks)
    return "\n\n".join(
        textwrap.fill(" ".join(p.split()), WIDTH, break_on_hyphens=False, break_long_words=False)
        for p in said.split("\n\n")
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def _wilson(value: float, cases: int) -> Interval:
    """A share that need not be a whole number of cases, with Wilson's interval."""
    found = share(round(value * cases), cases)
    return Interval(value, min(value, found.low), max(value, found.high))


def _percent(i: Interval | None) -> str:
    if i is None:
        return "–"
    return f"{100 * i.value:.1f} % [{100 * i.low:.0f}, {100 * i.high:.0f}]"


def _whole(i: Interval | None) -> str:
    return "–" if i is None else f"{100 * i.value:.0f} % [{100 * i.low:.0f}, {100 * i.high:.0f}]"


def _share(value: float) -> str:
    return f"{100 * value:.0f} %"


def _points(i: Interval) -> str:
    return f"{100 * i.value:+.1f} [{100 * i.low:+.1f}, {100 * i.high:+.1f}]"


def _number(i: Interval) -> str:
    return f"{i.value:.1f} [{i.low:.1f}, {i.high:.1f}]"


def _off(i: Interval) -> str:
    return f"{100 * i.value:.1f} [{100 * i.low:.1f}, {100 * i.high:.1f}]"


def main() -> None:
    """Write all files."""
    for path, text in written(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER).items():
        path.write_bytes(text)


if __name__ == "__main__":
    main()
