"""Weighing: what an answer and a finished round say. Pure; the loop records what it returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial

from mutual_dissent.analysis.answers.closing_lines import closing_lines
from mutual_dissent.analysis.answers.user_questions import requests_in, without_requests
from mutual_dissent.analysis.bottom_lines import Judge, compare_lines, value_of
from mutual_dissent.analysis.rounds.consensus import consensus, position
from mutual_dissent.analysis.rounds.convergence import convergence
from mutual_dissent.analysis.rounds.movement import warning
from mutual_dissent.analysis.rounds.recorded import consensus_of
from mutual_dissent.analysis.scores import grades
from mutual_dissent.analysis.scores.weights import seat_weights, with_support
from mutual_dissent.core.checks import STANCE_OF, concessions
from mutual_dissent.core.events import Scored
from mutual_dissent.core.measures import AGREE, Consensus, Measures, VoteResult
from mutual_dissent.core.response import REJECTED, Ask, Response, SampleSpread, same_model
from mutual_dissent.core.step import Step, Turn
from mutual_dissent.core.stopping import Exit, exit_reason
from mutual_dissent.core.transcript import INQUIRY, OPINION_ROLES, PANEL_ROLES, Round, Transcript
from mutual_dissent.prompts.anonymity import own_names

CLOSED_ROLES = PANEL_ROLES | {"synthesis"}
"""Roles of answers that end with closing lines."""

OWN_NAME = "own name in the answer"
MOST_NAMES = 5
MOST_POSITION = 200


def read(ask: Ask, turn: Turn, response: Response) -> Response:
    """The response with its closing lines or, where the turn asks for one, its structure.

    What was said counts, also where a role asks for another stance: that is flagged.
    """
    if ask.role == INQUIRY:
        # Here and below, imported where needed: few debates have inquiries, reviews or ballots, and
        # what is not loaded does not slow the start down.
        from mutual_dissent.analysis.answers.inquiry import inquiring

        return inquiring(response, ask.labels)
    if turn.form is None or not response.usable:
        return _closed(ask, response)
    if turn.form.findings or turn.form.verdicts:
        from mutual_dissent.analysis.review.reply import parse_review

        return parse_review(response, turn.form)
    from mutual_dissent.analysis.answers.structure import parse_structure

    found = parse_structure(response, turn.form, ask.labels)
    if turn.form.ranking:
        from mutual_dissent.analysis.ballots.ballot import ballot

        vote = ballot(response.content, ask.labels, turn.panelist.seat)
        found = replace(found, ballot=vote.ranking, flags=(*found.flags, *vote.flags))
    wanted = STANCE_OF.get(turn.panelist.role or "") if turn.form.stance else None
    if wanted is None or found.stance == wanted:
        return found
    said = found.stance or "nothing readable"
    # In round 0 nobody has been argued with: another stance is a slip. Later it is a concession,
    # which may end the debate.
    kind = "conceded" if ask.round_number and found.stance else "stance"
    flag = f"{kind}: assigned {wanted}, said {said}"
    return replace(found, flags=(*found.flags, flag))


def _closed(ask: Ask, response: Response) -> Response:
    """An answer in prose with its closing lines as data; they stay out of its content."""
    if ask.role not in CLOSED_ROLES or not response.usable:
        return response
    content = without_requests(response.content)
    asked = () if content is response.content else requests_in(response.content)
    own = ask.panelist.seat if ask.role in PANEL_ROLES else ""
    read = closing_lines(content, ask.labels, own)
    if read is None:
        return replace(response, content=content, requests=asked)
    return replace(
        response,
        content=read.prose,
        requests=asked,
        closing=read.closing,
        confidence=read.confidence,
    )


def finish_response(
    so_far: Transcript, ask: Ask, turn: Turn, said: Response, *, unsigned: bool
) -> Response:
    """The response as it goes on record: its structure, its flags, and what it asks of the user.

    Args:
        unsigned: whether the mode withholds names from what panelists read.
    """
    final = ask.role == "synthesis"
    client, wanted = so_far.brief.client, so_far.brief.reply
    if final and wanted:
        from mutual_dissent.analysis.answers.client_answer import answers_in_text, json_answer

        if client is None or answers_in_text(client, said):
            return json_answer(wanted, said)
    if client and turn.form is None and (final or ask.role in OPINION_ROLES):
        from mutual_dissent.analysis.answers.client_answer import calling_answer

        read_on = partial(read, ask, turn)
        found = calling_answer(client, said, read_on, final=final)
    else:
        found = _located(so_far, read(ask, turn, said))
    if not found.usable or found.role not in PANEL_ROLES:
        return found
    if turn.form and (requests := requests_in(found.text)):
        rest = without_requests(found.reasoning) if found.reasoning else found.reasoning
        found = replace(found, requests=requests, reasoning=rest)
    return _flagged(so_far, found, unsigned=unsigned)


def _located(so_far: Transcript, response: Response) -> Response:
    """A response whose findings stand at their true places, and whose labels are names."""
    if response.matrix:
        from mutual_dissent.analysis.decision.grid import without_labels

        return without_labels(so_far, response)
    if not (response.findings or response.verdicts):
        return response
    from mutual_dissent.analysis.review.place import Places
    from mutual_dissent.analysis.review.reply import in_words

    places = Places(so_far.brief)
    findings = tuple(places.locate(f) for f in response.findings)
    return replace(
        response,
        findings=findings,
        verdicts=tuple(places.look_up(v) for v in response.verdicts),
        reasoning="\n".join(in_words(findings)) if findings else response.reasoning,
    )


def _flagged(so_far: Transcript, response: Response, *, unsigned: bool) -> Response:
    """The response, flagged if it says whose it is where readers are not to know."""
    brief = so_far.brief
    author = next((p for p in brief.panel if p.seat == response.model_alias), None)
    if author is None or (brief.named and not unsigned):
        return response
    found = own_names(response.text, author, brief)
    if not found:
        return response
    flag = f"{OWN_NAME}: {', '.join(found[:MOST_NAMES])}"
    return replace(response, flags=(*response.flags, flag))


def choose_sample(samples: Mapping[int, Response], asked: int, query: str, role: str) -> Response:
    """The answer of a seat that was asked several times: of the largest group of its samples.

    Closed answers are compared by value; where they are open, the first one is taken. It cost
    nothing beside its samples.

    Args:
        samples: number -> sample, as many as came.
        asked: how many were asked for.
        role: the role of the turn.
    """
    usable = {n: r for n, r in samples.items() if r.usable}
    groups = _alike({str(n): position(r, query) for n, r in usable.items()}, query)
    first = min(usable or samples)
    number = int(groups[0][0]) if groups else first
    one = samples[number]
    answers = {position(usable[int(g[0])], query)[:MOST_POSITION]: len(g) for g in groups}
    spread = SampleSpread(asked=asked, usable=len(usable), chosen=number, answers=answers)
    found = tuple(f for r in usable.values() for f in r.findings)  # of a review, what any one found
    # Tokens and dollars are on the samples' own records: counted here as well, one would be
    # paid for twice. `and` leaves an unknown price unknown.
    return replace(
        one, role=role, samples=spread, findings=found, cost_usd=one.cost_usd and 0.0,
        attempts=(), token_count=0,
        input_tokens=0, output_tokens=0, cached_tokens=None, reasoning_tokens=None,
    )  # fmt: skip


def _alike(lines: Mapping[str, str], query: str) -> list[list[str]]:
    """The names of lines that say the same, largest group first; none where most are open."""
    closed = {name: line for name, line in lines.items() if value_of(line, query)}
    if len(closed) * 2 <= len(lines):
        return []
    same = {pair for pair, v in compare_lines(closed, query).items() if v.relation == AGREE}
    groups: list[list[str]] = []
    for name in closed:
        # Pairs are kept under their names in alphabetical order.
        found = next((g for g in groups if tuple(sorted((g[0], name))) in same), None)
        if found is None:
            groups.append([name])
        else:
            found.append(name)
    # Stable: of groups of one size, the one with the earliest sample comes first.
    return sorted(groups, key=len, reverse=True)


def complaint(turn: Turn, response: Response | None) -> str | None:
    """Complaint about a structured answer, in words for its author; None if it is in order."""
    if response is None:
        return None
    if rejected := next((f for f in response.flags if f.startswith(REJECTED)), None):
        return rejected.removeprefix(REJECTED)
    if not response.usable:
        return None
    found = (check(response, turn.panelist) for check in turn.checks)
    return "; ".join(c for c in found if c) or None


def measures(
    so_far: Transcript, step: Step, judge: Judge | None = None, *, last: int | None = None
) -> Measures:
    """The findings of a finished round: agreement and all that follows from it, and the votes.

    Args:
        judge: the embedded model, where it may be asked.
        last: the number of the last round that may be held; None where stages are fixed.
    """
    round_ = so_far.round(step.round_number)
    if round_ is None or round_.round_type != step.role or step.role not in PANEL_ROLES:
        return Measures()
    if step.reviews:
        return _reviewed(round_)
    found = with_support(so_far, consensus(so_far, round_, judge))
    known = {**consensus_of(so_far), round_.round_number: found}
    moved = convergence(so_far, known)
    return Measures(
        agreement=found.agreement_level,
        measure=found.analyzer,
        disagreements=moved.disagreement_count,
        consensus=found,
        groupthink=warning(so_far, known),
        exit=None if last is None else _exit(so_far, round_, found, moved.stable_rounds, last),
        tally=tally(so_far, round_),
    )


def _reviewed(round_: Round) -> Measures:
    """Measures of a review: which findings are the same. Its verdicts are compared by nobody."""
    from mutual_dissent.analysis.review.groups import same_findings
    from mutual_dissent.analysis.review.order import names_of

    names = names_of(round_.usable)
    if not names:
        return Measures()
    groups = same_findings([(seat, f) for _, seat, f in names])
    return Measures(same_findings=tuple(tuple(names[n][0] for n in g) for g in groups))


def tally(so_far: Transcript, round_: Round) -> VoteResult | None:
    """The votes of a round, counted under the rule of the brief."""
    ballots = {r.model_alias: r.ballot for r in round_.usable if r.ballot}
    if not ballots:
        return None
    from mutual_dissent.analysis.ballots.decision import decide

    first = so_far.round(0)
    # Ballots are about the first answers: whoever failed there cannot be voted for.
    candidates = [r.model_alias for r in first.usable] if first else list(ballots)
    rule, weights = so_far.brief.rule, seat_weights(so_far.brief)
    return decide(ballots, candidates, rule, weights=weights)


def _exit(
    so_far: Transcript,
    round_: Round,
    found: Consensus,
    stable_rounds: int,
    last: int,
) -> Exit | None:
    return exit_reason(
        so_far.brief.exits,
        round_number=round_.round_number,
        max_rounds=last,
        agreement=found.agreement_level,
        stable_rounds=stable_rounds,
        confidences=[r.confidence for r in round_.usable],
        conceded=_conceded(round_),
    )


def _conceded(round_: Round) -> str:
    """Return who gave up its side in this round, in words."""
    gave_up = [r.model_alias for r in concessions(round_.usable)]
    return f"{' and '.join(gave_up)} gave up the side that it was to argue" if gave_up else ""


def read_score(so_far: Transcript, ask: Ask, reply: Response, at: datetime) -> Scored | None:
    """The score in a judge's reply."""
    if ask.role != "judge":
        return None
    brief = so_far.brief
    # Who really wrote it, which may be a fallback: a judge that grades its own text is named.
    writer = so_far.synthesis.model_id if so_far.synthesis else brief.synthesizer.model_id
    same = same_model(reply.model_id, writer)
    score = grades.score(reply, brief.rubric, judge_is_synthesizer=same)
    return Scored(at=at, about=ask.about, name=grades.SCORE, score=score)
