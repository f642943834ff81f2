"""Advice on a panel from graded answers: is it better than its best member, and who adds to it?

Whatever is learnt (whom to trust, weights, which three) is learnt on four fifths of the questions
and tried on the rest. What is not shown by the questions at hand is said to be open, with how many
more would settle it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt
from statistics import NormalDist

from mutual_dissent.analysis.scores.weights import CHANCE, GradedAnswer
from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.core.errors import BadInput, clip
from mutual_dissent.core.panel import ME
from mutual_dissent.core.values.terms import command
from mutual_dissent.experiments.recordings.rules import (
    Recorded,
    RecordedAnswers,
    RecordedVerdicts,
)
from mutual_dissent.experiments.recordings.votes import (
    BEST,
    FEW,
    TRIO,
    VOTE,
    AnswerTable,
    chosen_best,
    chosen_trios,
    sheet,
    ways_of,
    weighted_scores,
)
from mutual_dissent.experiments.statistics.comparison import Comparison, compare_pairs
from mutual_dissent.experiments.statistics.intervals import Floats, Interval, share
from mutual_dissent.views.phrases import join_names, plural
from mutual_dissent.views.track_record import OwnRecord

LEAST = 10
"""Graded questions with answers of the same models below which nothing is said."""

REGULAR = 0.5
"""A model that has this share of the graded answers of the most frequent one is looked at."""

SMALL = 0.02
"""Less than so many points are not worth a further model, nor the search for them."""

POWER, LEVEL = 0.8, 0.95
YOU = "you"
ALL, WEIGHTED = "a plain vote of all", "a weighted vote of all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Shape):
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, i: Interval) -> Share:
        """Return the interval for programs."""
        return cls(value=round(i.value, 4), low=round(i.low, 4), high=round(i.high, 4))


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberAdvice(Shape):
    """One model of a panel.

    Attributes:
        right: how often it is right alone.
        adds: how much more often the weighted vote is right with it than without it.
        verdict: `adds`, `adds nothing` (less than two points), or `open` where neither is shown.
    """

    model: str
    right: Share
    adds: Share | None
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelContest(Shape):
    """One way to ask several models, against the best model alone.

    Attributes:
        right: how often it is right.
        difference: how much more often than the best model, chosen without the question itself.
        gained: questions that only it had right; `lost` those that only the best model had.
        shown: whether chance does not explain the difference.
        missing: how many more graded questions would show it, about, if it is as it seems; where
            none is seen, one of two points. None if it is shown.
    """

    name: str
    right: Share
    difference: Share
    gained: int
    lost: int
    shown: bool
    missing: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelAdvice(Shape):
    """Advice on a panel, from graded answers."""

    source: str
    questions: int
    best: str
    best_right: Share
    contests: tuple[PanelContest, ...]
    trio: tuple[str, ...]
    members: tuple[MemberAdvice, ...]
    sentences: tuple[str, ...]
    you: OwnRecord | None = None


def advise_on_own(
    graded: Iterable[tuple[str, GradedAnswer]], you: OwnRecord | None = None
) -> PanelAdvice:
    """Return what the user's own graded debates say.

    Args:
        you: the user's own record, if it sat on a panel.

    Raises:
        BadInput: if there are too few, with how many are missing.
    """
    by_query: dict[str, dict[str, GradedAnswer]] = {}
    for query, grade in graded:
        by_query.setdefault(query, {})[grade.model] = grade
    counts = Counter(m for grades in by_query.values() for m in grades)
    most = max(counts.values(), default=0)
    regular = [m for m, n in counts.items() if n >= REGULAR * most]
    items = [
        RecordedAnswers(
            id=query, question="", truth="", solutions={},
            # Without a value that can be compared, an answer is like nobody else's.
            answers={m: grades[m].value or f"{m}: {grades[m].right}" for m in regular},
            right={m: grades[m].right for m in regular},
        )
        for query, grades in by_query.items()
        if all(m in grades for m in regular)
    ]  # fmt: skip
    if len(regular) == 1:
        raise BadInput(
            f"only answers of {clip(regular[0])} are graded, and a panel has two models at least; "
            f"grade debates of several: {command('outcome', 'ID right|wrong|VALUE')}"
        )
    if len(items) < LEAST:
        raise BadInput(
            f"{plural(len(items), 'graded debate')} with answers of the same models are on record, "
            f"and {LEAST} are needed; grade {plural(LEAST - len(items), 'more finished debate')}"
            f": {command('outcome', 'ID right|wrong|VALUE')}, or look at a recording"
        )
    advice = advise("your graded debates", sheet(items), items)
    said = you.sentences if you else ()
    return replace(advice, you=you, sentences=(*advice.sentences, *said))


def advise_on_recorded(name: str, found: Recorded) -> list[PanelAdvice]:
    """Return what a recording says: one advice for its answers, or for each group of verdicts.

    Raises:
        BadInput: if it holds reviews, or too few questions.
    """
    answers = [f for f in found if isinstance(f, RecordedAnswers)]
    verdicts = [f for f in found if isinstance(f, RecordedVerdicts)]
    if not answers and not verdicts:
        raise BadInput(
            f"{name} holds reviews, which are not answered by a vote; see "
            f"{command('bench recorded', name)}"
        )
    groups = {name: answers} if answers else {f"{name}: {v.name}": _as_items(v) for v in verdicts}
    for source, items in groups.items():
        if len(items) < LEAST:
            raise BadInput(f"{source} has {plural(len(items), 'question')}; {LEAST} are needed")
    chance = None if answers else CHANCE["yes_no"]
    return [advise(source, sheet(items), items, chance) for source, items in groups.items()]


def _as_items(found: RecordedVerdicts) -> list[RecordedAnswers]:
    """Return verdicts as answers: both orders together; a tie is none."""
    items = []
    for i, (case, truth) in enumerate(zip(found.cases, found.truths, strict=True)):
        signs = {j: (sum(said) > 0) - (sum(said) < 0) for j, said in case.items()}
        items.append(
            RecordedAnswers(
                id=str(i), question="", truth=str(truth), solutions={},
                answers={j: str(s) if s else None for j, s in signs.items()},
                right={j: s == truth for j, s in signs.items()},
            )
        )  # fmt: skip
    return items


def advise(
    source: str, s: AnswerTable, items: Sequence[RecordedAnswers], chance: float | None = None
) -> PanelAdvice:
    """Return what a table of graded answers says."""
    by_name = {w.name: w.scores for w in ways_of(s)}
    scores: dict[str, Floats] = {BEST: by_name[BEST], ALL: by_name[VOTE]}
    scores[WEIGHTED] = weighted_scores(s, chance)
    trio = Counter(chosen_trios(items)).most_common(1)[0][0] if len(s.models) > FEW else ()
    if trio:
        scores[TRIO] = by_name[TRIO]
    plain = {name: x.tolist() for name, x in scores.items()}
    against = compare_pairs(plain, [(name, BEST) for name in plain if name != BEST])
    contests = tuple(_contest(c, scores[c.first]) for c in against)
    best = Counter(chosen_best(items)).most_common(1)[0][0]
    members = tuple(_members(s, scores[WEIGHTED], chance))
    return PanelAdvice(
        source=source,
        questions=len(items),
        best=best,
        best_right=_share(scores[BEST]),
        contests=contests,
        trio=trio,
        members=members,
        sentences=tuple(_sentences(best, contests, trio, members)),
    )


def _share(scores: Floats) -> Share:
    return Share.of(share(round(float(scores.sum())), len(scores)))


def _contest(c: Comparison, scores: Floats) -> PanelContest:
    return PanelContest(
        name=c.first,
        right=_share(scores),
        difference=Share.of(c.difference),
        gained=c.better,
        lost=c.worse,
        shown=c.shown,
        missing=None if c.shown else missing(c.better, c.worse, c.queries),
    )


def missing(gained: int, lost: int, questions: int) -> int | None:
    """Return how many more questions would show a difference, by McNemar's test; None if unknown.

    Only questions on which the two differ tell anything. If as many of them go each way in future
    as so far, so many are needed for four in five such trials to show it. Where both ways had as
    many, it is counted how many would show a difference of two points.
    """
    differ = (gained + lost) / questions
    if differ == 0:
        return None
    lead = abs(gained - lost) / questions or SMALL
    odds = min(lead / differ, 1.0)
    sure, able = NormalDist().inv_cdf((1 + LEVEL) / 2), NormalDist().inv_cdf(POWER)
    pairs = ((sure + able * sqrt(1 - odds**2)) / odds) ** 2
    return max(1, ceil(pairs / differ) - questions)


def _members(s: AnswerTable, whole: Floats, chance: float | None) -> Iterable[MemberAdvice]:
    for column, model in enumerate(s.models):
        rest = [c for c in range(len(s.models)) if c != column]
        adds = None
        if len(rest) > 1:
            without = weighted_scores(s.only(rest), chance)
            both = {"with": whole.tolist(), "without": without.tolist()}
            (adds,) = compare_pairs(both, [("with", "without")])
        yield MemberAdvice(
            model=model,
            right=_share(s.right[:, column].astype(float)),
            adds=Share.of(adds.difference) if adds else None,
            verdict=_verdict(adds),
        )


def _verdict(adds: Comparison | None) -> str:
    if adds is None:
        return "open"
    if adds.shown and adds.difference.value > 0:
        return "adds"
    return "adds nothing" if adds.difference.high < SMALL else "open"


def _sentences(
    best: str,
    contests: Sequence[PanelContest],
    trio: Sequence[str],
    members: Sequence[MemberAdvice],
) -> Iterable[str]:
    for c in contests:
        alone = "member" if best == ME else "model"
        against = f"{member_name(best)}, the best {alone} alone"
        between = f"{100 * c.difference.low:+.1f} to {100 * c.difference.high:+.1f}"
        found = (
            f"{100 * c.difference.value:+.1f} points against {against} "
            f"({between}; {c.gained} gained, {c.lost} lost)"
            if c.gained or c.lost
            else f"right and wrong on the same questions as {against}"
        )
        yield f"{c.name[0].upper()}{c.name[1:]}: {found}. {_open(c)}"
    if trio:
        yield f"Of three, ask {join_names(list(map(member_name, trio)))}."
    if idle := [member_name(m.model) for m in members if m.verdict == "adds nothing"]:
        verb = "adds" if len(idle) == 1 and idle != [YOU] else "add"
        yield f"{join_names(idle)} {verb} nothing here to a weighted vote of the others."


def member_name(model: str) -> str:
    """The name of a member as the user reads it, who may be one itself."""
    return YOU if model == ME else model


def _open(c: PanelContest) -> str:
    if c.shown:
        return "It is better." if c.difference.value > 0 else "It is worse."
    if c.difference.low > -SMALL and c.difference.high < SMALL:
        return "As good as equal: less than 2 points either way."
    if c.missing is None:
        return "Which is better cannot be told yet."
    seen = "that" if c.gained != c.lost else "a difference of 2 points"
    return f"Not shown: about {plural(c.missing, 'more graded question')} would show {seen}."
