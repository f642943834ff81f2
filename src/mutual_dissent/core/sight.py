"""Sights: each picks, from the transcript so far, what one panelist may read.

A sight decides which responses are shown, and whether their authors have names. How they look in a
request (labels, fences, limits) is the prompts' business, the same for every mode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from mutual_dissent.core.figures.estimates import Estimates, estimates
from mutual_dissent.core.measures import VoteResult
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import INQUIRY, REPLY, Round, Transcript
from mutual_dissent.core.values.defects import Defect


class Names(StrEnum):
    """Names that a panelist reads the authors of answers by."""

    DEBATE = "debate"  # a letter, the same for every reader; the alias where the brief says so
    LETTERS = "letters"  # the same letters, never an alias


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    """Result of the ballots.

    Attributes:
        rule: how they were counted.
        ballots: how many there were.
        points: seat and points, best first.
        winners: the first of them, or several that tie.
    """

    rule: str
    ballots: int
    points: tuple[tuple[str, float], ...]
    winners: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Summary in place of the oldest rounds where they do not fit in full.

    Attributes:
        first: the first round that it stands for.
        last: the last one.
        text: what the reader's own model made of them.
        seats: whose answers it stands for.
        most: characters of it that are shown.
    """

    first: int
    last: int
    text: str
    seats: tuple[str, ...]
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """A question between panelists; `reply` is None until there is one, or where it failed."""

    asker: str
    seat: str
    question: str
    reply: Response | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Everything that one panelist is shown: the blanks of its prompt are filled from this alone.

    Attributes:
        names: what authors are called.
        reader: the seat whose answers are shown as its own, if it is on the panel.
        own: its last answer.
        others: answers of others, not by round.
        before: seat -> its answers before that; only what it changed in them is shown.
        rounds: answers round by round.
        summary: what stands for the rounds before those.
        subject: the one response that is to be judged.
        digest: the coordinator's digest.
        digested: the seats whose answers it is about, but for the reader's.
        challenged: the seat that is to be challenged.
        questions: seat -> the questions that it still holds open.
        estimates: what each round's answers amount to in figures.
        critiques: what panelists said about the answers.
        votes: what their ballots came to.
        follow_up: what the synthesizer asked a panelist, and what it replied.
        question: what the reader is asked in a follow-up.
        whole: whether the reader stands outside the panel and is shown all that was said: names
            as they were written, and what panelists say about each other.
        findings: label and finding, of what others found in the text under review.
        known: the same of what else was found there, to compare with.
        grid: options and criteria of a decision, or how they were rated.
        spoken: whether answers stand in the order in which they were given; else each reader has
            them in an order of its own.
    """

    names: Names = Names.DEBATE
    reader: str = ""
    own: Response | None = None
    others: tuple[Response, ...] = ()
    before: Mapping[str, tuple[Response, ...]] = field(default_factory=dict)
    rounds: tuple[Round, ...] = ()
    summary: Summary | None = None
    subject: Response | None = None
    digest: Response | None = None
    digested: tuple[str, ...] = ()
    challenged: str | None = None
    questions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    estimates: tuple[Estimates, ...] = ()
    critiques: tuple[Response, ...] = ()
    votes: Votes | None = None
    follow_up: FollowUp | None = None
    question: str = ""
    findings: tuple[tuple[str, Defect], ...] = ()
    known: tuple[tuple[str, Defect], ...] = ()
    grid: str = ""
    whole: bool = False
    spoken: bool = False


Sight = Callable[[Transcript, Panelist], Seen]


def nothing(so_far: Transcript, reader: Panelist) -> Seen:
    """Only the query."""
    return Seen()


def everyone_else(so_far: Transcript, reader: Panelist) -> Seen:
    """Its own last answer, and the last answer of every other panelist that still stands."""
    return Seen(
        own=so_far.latest_of(reader.seat),
        others=tuple(_latest(so_far, p) for p in so_far.standing if p.seat != reader.seat),
    )


def predecessor(so_far: Transcript, reader: Panelist) -> Seen:
    """Its own last answer, and that of the panelist before it in the ring."""
    ring = so_far.standing
    place = next((i for i, p in enumerate(ring) if p.seat == reader.seat), 0)
    # For the first one that is ring[-1]: the ring is closed.
    before = ring[place - 1]
    others = (_latest(so_far, before),) if before.seat != reader.seat else ()
    return Seen(own=so_far.latest_of(reader.seat), others=others)


def whole_debate(so_far: Transcript, reader: Panelist) -> Seen:
    """Every usable answer of every round."""
    return Seen(rounds=so_far.rounds, whole=True)


def last_round(so_far: Transcript, reader: Panelist) -> Seen:
    """Every usable answer of the last round."""
    latest = so_far.last_round
    return Seen(rounds=(latest,) if latest else (), whole=True)


def digest_of(round_number: int) -> Sight:
    """Its own last answer, and the coordinator's digest for this round instead of the others'."""

    def sight(so_far: Transcript, reader: Panelist) -> Seen:
        digest = next(
            (
                a
                for a in so_far.asides
                if a.role == "digest" and a.round_number == round_number and a.usable
            ),
            None,
        )
        # Whose answers the digest is about is known without reading it: those of the round before.
        before = so_far.round(round_number - 1)
        seats = (a.model_alias for a in (before.usable if before else ()))
        others = tuple(s for s in seats if s != reader.seat)
        return Seen(own=so_far.latest_of(reader.seat), digest=digest, digested=others)

    return sight


def all_said(so_far: Transcript, reader: Panelist) -> Seen:
    """Everything that anyone has said; in turn, what was said in this round before it spoke, too.

    Its own last answer stands apart, its earlier ones among the others as its own.
    """
    own = so_far.latest_of(reader.seat)
    return Seen(reader=reader.seat, own=own, rounds=_without(own, so_far.rounds))


def all_said_in_turn(so_far: Transcript, reader: Panelist) -> Seen:
    """The same, in the order in which it was said."""
    seen = all_said(so_far, reader)
    return replace(seen, rounds=tuple(_as_spoken(r) for r in seen.rounds), spoken=True)


def whole_debate_in_turn(so_far: Transcript, reader: Panelist) -> Seen:
    """Every usable answer of every round, in the order in which it was given."""
    seen = whole_debate(so_far, reader)
    return replace(seen, rounds=tuple(_as_spoken(r) for r in seen.rounds), spoken=True)


def table_of(round_number: int) -> Sight:
    """The last round and what was said so far in this one; who spoke last is to be challenged."""

    def sight(so_far: Transcript, reader: Panelist) -> Seen:
        own = so_far.latest_of(reader.seat)
        # Sights look at what is there when they are called: this round has those who spoke before.
        recent = tuple(_as_spoken(r) for r in so_far.rounds if r.round_number >= round_number - 1)
        # For the first speaker of a round, the last one of the round before.
        spoken = [a.model_alias for r in recent for a in r.usable if a.model_alias != reader.seat]
        return Seen(
            reader=reader.seat,
            own=own,
            rounds=_without(own, recent),
            challenged=spoken[-1] if spoken else None,
            spoken=True,
        )

    return sight


def inquiry_of(round_number: int) -> Sight:
    """The same, and the open questions of all."""

    def sight(so_far: Transcript, reader: Panelist) -> Seen:
        return replace(table_of(round_number)(so_far, reader), questions=open_questions(so_far))

    return sight


def whole_inquiry(so_far: Transcript, reader: Panelist) -> Seen:
    """Every usable answer of every round, and the questions that stayed open."""
    return replace(whole_debate_in_turn(so_far, reader), questions=open_questions(so_far))


def own_team(so_far: Transcript, reader: Panelist) -> Seen:
    """All that its own team has said, and the other team's last turn.

    A team's members are asked together and put on record together, so that whatever a reader finds
    of the other team is finished.
    """
    own = so_far.latest_of(reader.seat)
    ours = {p.seat for p in so_far.panelists if p.team == reader.team}
    theirs = [[a for a in r.usable if a.model_alias not in ours] for r in so_far.rounds]
    return Seen(
        reader=reader.seat,
        own=own,
        rounds=_without(own, tuple(_by(ours, r) for r in so_far.rounds)),
        # Their last turn that has an answer: in red's turn blue has not spoken in this round yet.
        others=tuple(next((turn for turn in reversed(theirs) if turn), ())),
    )


def unsigned_with_estimates(so_far: Transcript, reader: Panelist) -> Seen:
    """Its own last answer, the others' by letters alone, and the figures of every round."""
    return replace(
        everyone_else(so_far, reader),
        names=Names.LETTERS,
        reader=reader.seat,
        estimates=estimates_by_round(so_far),
    )


def estimates_by_round(so_far: Transcript) -> tuple[Estimates, ...]:
    """Figures of each round's answers."""
    return tuple(estimates(r.usable) for r in so_far.rounds if r.usable)


def unsigned_debate(so_far: Transcript, reader: Panelist) -> Seen:
    """Every usable answer of every round by letters alone, and the figures of each."""
    seen = replace(whole_debate(so_far, reader), names=Names.LETTERS)
    return replace(seen, estimates=estimates_by_round(so_far))


def ballot_paper(so_far: Transcript, reader: Panelist) -> Seen:
    """The others' first answers by letters alone, and its own apart from them."""
    first = so_far.round(0)
    given = first.usable if first else ()
    return Seen(
        names=Names.LETTERS,
        reader=reader.seat,
        # Apart, to compare with: nobody ranks its own answer.
        own=next((a for a in given if a.model_alias == reader.seat), None),
        others=tuple(a for a in given if a.model_alias != reader.seat),
    )


def council(so_far: Transcript, reader: Panelist) -> Seen:
    """The first answers, what the panel said about them, and how it voted; by letters alone."""
    first, evaluation = so_far.round(0), so_far.round(1)
    return Seen(
        names=Names.LETTERS,
        whole=True,
        rounds=(first,) if first else (),
        critiques=evaluation.usable if evaluation else (),
        votes=_votes(evaluation.measures.tally) if evaluation else None,
    )


def open_questions(so_far: Transcript) -> dict[str, tuple[str, ...]]:
    """Seat -> the questions of its last turn: whoever asked decides whether it was answered."""
    latest = ((p.seat, so_far.latest_of(p.seat)) for p in so_far.panelists)
    return {seat: said.questions for seat, said in latest if said and said.questions}


def summarise(sight: Sight, summary: Summary) -> Sight:
    """The same, with a summary in place of the rounds that it stands for."""

    def shorter(so_far: Transcript, reader: Panelist) -> Seen:
        seen = sight(so_far, reader)
        rest = tuple(r for r in seen.rounds if r.round_number > summary.last)
        return replace(seen, rounds=rest, summary=summary)

    return shorter


def name_rounds(first: int, last: int) -> str:
    """Some rounds that follow each other, in words."""
    return f"round {first}" if first == last else f"rounds {first}-{last}"


def only(subject: Response) -> Sight:
    """One response, to be judged."""

    def sight(so_far: Transcript, reader: Panelist) -> Seen:
        return Seen(subject=subject)

    return sight


def with_subject(subject: Response, sight: Sight) -> Sight:
    """The same, and one response that its reader is to work on."""

    def more(so_far: Transcript, reader: Panelist) -> Seen:
        return replace(sight(so_far, reader), subject=subject)

    return more


def _votes(tally: VoteResult | None) -> Votes | None:
    """The votes as they were counted when the round ended."""
    if tally is None:
        return None
    ranked = sorted(tally.scores.items(), key=lambda row: -row[1])
    return Votes(rule=tally.rule, ballots=tally.voters, points=tuple(ranked), winners=tally.winners)


def _without(own: Response | None, rounds: tuple[Round, ...]) -> tuple[Round, ...]:
    return tuple(
        replace(r, responses=tuple(a for a in r.responses if a is not own)) for r in rounds
    )


def _as_spoken(round_: Round) -> Round:
    """The round with its answers in the order in which they came."""
    # Rounds are kept in the order of the panel; roles may have another order of speaking.
    return replace(round_, responses=tuple(sorted(round_.responses, key=lambda a: a.timestamp)))


def _by(seats: set[str], round_: Round) -> Round:
    return replace(round_, responses=tuple(a for a in round_.responses if a.model_alias in seats))


def _latest(so_far: Transcript, panelist: Panelist) -> Response:
    found = so_far.latest_of(panelist.seat)
    assert found is not None, "a standing panelist has answered"
    return found


def follow_up(so_far: Transcript) -> FollowUp | None:
    """The follow-up of a debate, if its synthesizer wanted one."""
    inquiry = next((a for a in reversed(so_far.asides) if a.role == INQUIRY), None)
    wanted = inquiry.analysis.get(REPLY) if inquiry and inquiry.usable else None
    if inquiry is None or not isinstance(wanted, dict):
        return None
    seat, question = str(wanted.get("seat")), str(wanted.get("question"))
    replies = (a for a in so_far.asides if a.role == REPLY and a.model_alias == seat and a.usable)
    reply = next(replies, None)
    return FollowUp(asker=inquiry.model_alias, seat=seat, question=question, reply=reply)


def with_follow_up(sight: Sight) -> Sight:
    """The same, and what came of the follow-up."""

    def more(so_far: Transcript, reader: Panelist) -> Seen:
        return replace(sight(so_far, reader), follow_up=follow_up(so_far))

    return more


def question_of(found: FollowUp, sight: Sight) -> Sight:
    """Its own last answer and the question, by the names that the asker knows the panel by."""

    def asked(so_far: Transcript, reader: Panelist) -> Seen:
        seen = sight(so_far, reader)
        own = so_far.latest_of(reader.seat)
        seen = replace(seen, rounds=(), others=(), critiques=(), whole=False, reader=reader.seat)
        return replace(seen, own=own, question=found.question)

    return asked
