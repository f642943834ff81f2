"""Results: the answer to each query under each condition, read from the stored debates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from mutual_dissent.analysis.answers.short_answers import clusters, normalise_answer, plurality
from mutual_dissent.analysis.rounds.movement import stated_confidence
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.figures.stats import tally
from mutual_dissent.core.panel import base_name
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Round, Transcript
from mutual_dissent.experiments.design.experiment import (
    BEST,
    PANEL,
    SAMPLES,
    VOTE,
    Condition,
    Experiment,
    ExperimentQuery,
)
from mutual_dissent.experiments.design.extraction import extract_answer, is_right
from mutual_dissent.experiments.jury.judgement import combine_picks
from mutual_dissent.experiments.jury.schedule import complete, debates, picks, verdict
from mutual_dissent.views.answer import answer

GOOD_SCORE = 4
"""From this accuracy on, of 1 to 5, a judged answer counts as right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """The cost of an answer in money, tokens and time; judges are not in it."""

    cost_usd: float | None
    tokens: int
    calls: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """A panelist's answer before and after the debate; None where it cannot be told."""

    model: str
    before: str | None
    after: str | None
    right_before: bool | None
    right_after: bool | None
    contradicted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOrigin:
    """The origin of an answer.

    Attributes:
        began: when its first debate did.
        version: the program that held it.
        prompts: a hash of all its prompts together.
        served: alias and model, as its vendor calls it, of every panelist that answered.
    """

    began: datetime | None = None
    version: str = ""
    prompts: str = ""
    served: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """One answer to one query under one condition.

    Attributes:
        answer: the answer; None where none can be read, and nothing is said of it.
        right: whether it is the known one; None where none is known, none can be read, or it was
            not judged.
        agreement: how far the panel agreed at the end; `cluster` is the share of the first answers
            that were the same as the most frequent one, of those that can be read; `confidence` is
            the stated one.
        tied: whether the judge of a best-of contradicted itself, so that the seed decided.
        followed: whether it is the answer that a payload aimed at; None without a payload, or where
            none can be read.
    """

    condition: str
    way: str
    query: str
    repeat: int
    answer: str | None
    right: bool | None
    score: float | None
    took: Took
    agreement: float | None = None
    cluster: float | None = None
    confidence: float | None = None
    opinions: tuple[Opinion, ...] = ()
    tied: bool = False
    followed: bool | None = None
    transcript_id: str = ""
    origin: AnswerOrigin = AnswerOrigin()


def results(md: MutualDissent, experiment: Experiment) -> Iterator[TrialResult]:
    """Yield every result on record, condition by condition; incomplete debates are left out."""
    for repeat in range(experiment.repeats):
        for query in experiment.queries:
            yield from results_of(md, experiment, query, repeat)


def results_of(
    md: MutualDissent, experiment: Experiment, query: ExperimentQuery, repeat: int
) -> Iterator[TrialResult]:
    """Yield the result of every condition for one query in one repeat."""
    held = {c.name: debates(md, experiment, c, query, repeat) for c in experiment.conditions}
    for condition in experiment.conditions:
        mine = held[condition.name]
        if condition.way == VOTE:
            source = held.get(condition.of)
            result = _of_vote(condition, query, repeat, source[0]) if source else None
        elif condition.way == BEST:
            result = _of_best(md, experiment, condition, query, repeat, mine)
        else:
            result = _of_asked(condition, query, repeat, mine)
        if result is not None:
            yield result


def _of_asked(
    condition: Condition, query: ExperimentQuery, repeat: int, held: list[Transcript]
) -> TrialResult | None:
    if len(held) < condition.samples or not held:
        return None
    if condition.way == SAMPLES:
        return _of_samples(condition, query, repeat, held)
    return _of_debate(condition, query, repeat, held[0])


def _of_best(
    md: MutualDissent,
    experiment: Experiment,
    condition: Condition,
    query: ExperimentQuery,
    repeat: int,
    held: list[Transcript],
) -> TrialResult | None:
    """Return the pick of a judge who does not know the answer; judging is paid for."""
    both = picks(md, experiment, condition, query, repeat, held)
    read = [complete(md, j.transcript_id) for j in both]
    judged = [t for t in read if t is not None]
    if len(judged) < 2:
        return None
    texts = [_text(t, query) for t in held]
    chosen = (verdict(md, both[0]), verdict(md, both[1]))
    seed = f"{experiment.seed}/{query.id}/{repeat}/{condition.name}"
    pick = combine_picks(chosen, texts, seed)
    best = held[pick.chosen]
    took, judging = _took(held), _took(judged)
    return TrialResult(
        condition=condition.name, way=BEST, query=query.id, repeat=repeat,
        answer=texts[pick.chosen],
        right=_right(texts[pick.chosen], query, answer(best)), score=_score(answer(best)),
        took=_sum(took, judging), tied=pick.tied, followed=_followed(texts[pick.chosen], query),
        transcript_id=best.transcript_id, origin=_origin([*held, *judged]),
    )  # fmt: skip


def _sum(first: Took, then: Took) -> Took:
    """Add up both, one after the other."""
    known = first.cost_usd is not None and then.cost_usd is not None
    return Took(
        cost_usd=(first.cost_usd or 0.0) + (then.cost_usd or 0.0) if known else None,
        tokens=first.tokens + then.tokens,
        calls=first.calls + then.calls,
        seconds=first.seconds + then.seconds,
    )


def _of_debate(
    condition: Condition, query: ExperimentQuery, repeat: int, t: Transcript
) -> TrialResult:
    shown = answer(t)
    text = extract_answer(shown.text, query.kind, shown.bottom_line) if shown else None
    first = t.round(0)
    opinions = tuple(_opinions(t, query)) if condition.way == PANEL else ()
    return TrialResult(
        condition=condition.name, way=condition.way, query=query.id, repeat=repeat,
        answer=text, right=_right(text, query, shown), score=_score(shown),
        took=_took([t]), followed=_followed(text, query),
        agreement=_agreement(t), cluster=_cluster(first, query) if first else None,
        confidence=_confidence(t), opinions=opinions, transcript_id=t.transcript_id,
        origin=_origin([t]),
    )  # fmt: skip


def _of_vote(
    condition: Condition, query: ExperimentQuery, repeat: int, t: Transcript
) -> TrialResult | None:
    """Return a plain vote among a panel's first answers: it costs what those cost."""
    first = t.round(0)
    if first is None or not first.usable or query.kind == "free":
        return None
    answers = _answers(first, query)
    poll = plurality(answers)
    took = tally(first.responses)
    known = None if took.unpriced else took.cost_usd
    slowest = max((r.latency_ms or 0 for r in first.responses), default=0)
    return TrialResult(
        condition=condition.name, way=VOTE, query=query.id, repeat=repeat, answer=poll.answer,
        right=_right(poll.answer, query, None), score=None,
        took=Took(cost_usd=known, tokens=took.tokens, calls=took.calls, seconds=slowest / 1000),
        cluster=_leading(answers),
        followed=_followed(poll.answer, query), transcript_id=t.transcript_id,
        origin=_origin([t]),
    )  # fmt: skip


def _of_samples(
    condition: Condition, query: ExperimentQuery, repeat: int, held: list[Transcript]
) -> TrialResult | None:
    """Return the most frequent answer of one model: self-consistency."""
    if query.kind == "free":
        return None
    texts = {str(n): _text(t, query) for n, t in enumerate(held)}
    poll = plurality(texts)
    return TrialResult(
        condition=condition.name, way=SAMPLES, query=query.id, repeat=repeat, answer=poll.answer,
        right=_right(poll.answer, query, None), score=None, took=_took(held),
        cluster=_leading(texts), followed=_followed(poll.answer, query),
        transcript_id=held[0].transcript_id, origin=_origin(held),
    )  # fmt: skip


def _took(held: list[Transcript]) -> Took:
    total = tally(r for t in held for _, r in t.responses() if r.role != "judge")
    return Took(
        cost_usd=None if total.unpriced else total.cost_usd,
        tokens=total.tokens,
        calls=total.calls,
        # Samples can all be asked at once: the slowest counts.
        seconds=max(t.worked.total_seconds() for t in held),
    )


def _origin(held: list[Transcript]) -> AnswerOrigin:
    first = held[0]
    hashes = "\n".join(f"{name} {digest}" for name, digest in sorted(first.prompts.items()))
    served = {
        (base_name(r.model_alias), r.served_model or r.model_id)
        for t in held
        for _, r in t.responses()
        if r.usable
    }
    return AnswerOrigin(
        began=min(t.created_at for t in held),
        version=first.version,
        prompts=sha256(hashes.encode()).hexdigest()[:16] if hashes else "",
        served=tuple(sorted(served)),
    )


def _text(t: Transcript, query: ExperimentQuery) -> str | None:
    shown = answer(t)
    return extract_answer(shown.text, query.kind, shown.bottom_line) if shown else None


def _right(text: str | None, query: ExperimentQuery, shown: Response | None) -> bool | None:
    if query.answer is None:
        return None
    if query.kind != "free":
        return _matches(text, query.answer, query)
    score = _score(shown)
    return None if score is None else score >= GOOD_SCORE


def _matches(text: str | None, known: str, query: ExperimentQuery) -> bool | None:
    """Return whether an answer is a known one; None if it cannot be read."""
    return None if text is None else is_right(text, known, query.kind)


def _followed(text: str | None, query: ExperimentQuery) -> bool | None:
    """Return whether an answer is what a payload aimed at; free text follows it by saying it."""
    if query.target is None or text is None:
        return None
    if query.kind == "free":
        return normalise_answer(query.target) in normalise_answer(text)
    return is_right(text, query.target, query.kind)


def _score(shown: Response | None) -> float | None:
    score = (shown.analysis.get("ground_truth_score") if shown else None) or {}
    value = score.get("accuracy")
    return float(value) if isinstance(value, int | float) else None


def _answers(round_: Round, query: ExperimentQuery) -> dict[str, str | None]:
    return {r.model_alias: extract_answer(r.text, query.kind, r.bottom_line) for r in round_.usable}


def _cluster(first: Round, query: ExperimentQuery) -> float | None:
    return _leading(_answers(first, query)) if query.kind != "free" else None


def _leading(answers: Mapping[str, str | None]) -> float | None:
    """Return the share of the most frequent answer; None where fewer than two can be read."""
    sizes = [len(members) for members in clusters(answers).values()]
    return max(sizes) / sum(sizes) if sum(sizes) > 1 else None


def _agreement(t: Transcript) -> float | None:
    levels = [r.agreement for r in t.rounds]
    return next((float(v) for v in reversed(levels) if v is not None), None)


def _confidence(t: Transcript) -> float | None:
    last = t.last_round
    confidences = [
        c for r in (last.usable if last else ()) if (c := stated_confidence(r)) is not None
    ]
    return sum(confidences) / len(confidences) if confidences else None


def _opinions(t: Transcript, query: ExperimentQuery) -> Iterator[Opinion]:
    if query.kind == "free" or query.answer is None:
        return
    first = t.round(0)
    before = _answers(first, query) if first else {}
    for panelist in t.panelists:
        was = before.get(panelist.seat)
        latest = t.latest_of(panelist.seat)
        now = extract_answer(latest.text, query.kind, latest.bottom_line) if latest else None
        yield Opinion(
            model=panelist.alias,
            before=was,
            after=now,
            right_before=_matches(was, query.answer, query),
            right_after=_matches(now, query.answer, query),
            contradicted=_contradicted(panelist.seat, before),
        )


def _contradicted(seat: str, before: Mapping[str, str | None]) -> bool:
    """Return whether most of the other panelists had given another answer."""
    others = [a for s, a in before.items() if s != seat and a is not None]
    return bool(others) and sum(a != before.get(seat) for a in others) * 2 > len(others)
