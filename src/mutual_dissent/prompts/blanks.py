"""The desk: everything one reader has in front of it, under labels and fences of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.closing import Estimate
from mutual_dissent.core.figures.estimates import Estimates
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import UNUSABLE, Response
from mutual_dissent.core.sight import FollowUp, Names, Seen, Summary, Votes, name_rounds
from mutual_dissent.core.transcript import Round
from mutual_dissent.core.values.defects import Defect
from mutual_dissent.core.values.matrix import Matrix
from mutual_dissent.prompts.anonymity import strip_introductions
from mutual_dissent.prompts.fences import MAX_QUOTE, Fence, labels, order, shorten

REMINDER = 600
"""Characters of the query that a prompt repeats: the head of the request has all of it."""

MAX_QUESTIONS = 4_000
"""Characters of one panelist's open questions that others are shown."""

YOU = "you"
NOTHING = "(nothing yet)"
NONE = "(none)"
NOBODY = "nobody: you are the first to speak"
MOST_SOURCES = 20


class Blanks:
    """The public blanks of a prompt, filled from what its reader may see.

    Attributes:
        used: the labels that it was shown, and the seats they stand for.
        cut: the seats whose answers were too long to be quoted whole.
    """

    def __init__(self, brief: Brief, key: str, seen: Seen, window: int | None) -> None:
        """Set the desk of the request with that key; quotations share half of the window."""
        self._brief, self._key, self._seen = brief, key, seen
        self._fence = Fence.of(brief.nonce, key)
        self._names = labels(brief, seen.names)
        quoted = len(seen.others) + len(seen.critiques) + sum(len(r.usable) for r in seen.rounds)
        quoted += len(seen.questions) + (seen.summary is not None)
        # In characters, 3.5 to a token: half of the window, in equal shares.
        share = int(window * 3.5 / 2 / (quoted + 2)) if window else MAX_QUOTE
        self._limit = min(MAX_QUOTE, share)
        self.used: dict[str, str] = {}
        self.cut: list[str] = []

    def own_label(self, seat: str) -> str:
        """Name that the others call the reader by; empty where it need not know.

        Who stands outside is not told which answer is its own: it should prefer none.
        """
        # Who has read nobody needs no name, and is told none.
        called = bool(self.used or self._seen.question) and not self._seen.whole
        name = self._names.get(seat, seat)
        return name if called and name != seat else ""

    def blanks(self) -> dict[str, str]:
        """Blank -> what stands there."""
        seen = self._seen
        digest = self._digest(seen.digest)
        rounds = [self._round(r) for r in seen.rounds if r.usable]
        if seen.summary:
            rounds.insert(0, self._summary(seen.summary))
        if seen.follow_up:
            rounds.append(self._follow_up(seen.follow_up))
        return {
            "query": shorten(self._brief.query, REMINDER),
            "own_response": self._own(seen.own),
            # In the star topology the digest stands for the others' answers, in the same blank.
            "other_responses": self._answers(seen.others) or digest or NOTHING,
            "formatted_transcript": "\n\n".join(rounds) or NOTHING,
            "synthesis": self._alone("response", seen.subject),
            "ground_truth": self._brief.ground_truth or "",
            "critiques": self._critiques(seen.critiques) or NONE,
            "findings": self._findings(seen.findings, _finding_lines) or NONE,
            "known": self._findings(seen.known, _claim_lines) or NONE,
            "question": self._fence.quote("question", self._unnamed(seen.question)),
            "questions": self._questions(seen.questions) or NOTHING,
            "challenged": self._label(seen.challenged) if seen.challenged else NOBODY,
            "statistics": self._figures(seen.estimates) or NOTHING,
            "grid": self._grid(seen.grid) if seen.grid else NOTHING,
            "tally": self._tally(seen.votes) if seen.votes else NOTHING,
        }

    def _own(self, own: Response | None) -> str:
        return self._fence.quote(YOU, self._whole(own), self._limit) if own else NOTHING

    def _alone(self, label: str, said: Response | None) -> str:
        """A text that is not one answer among others."""
        if said is None:
            return ""
        self._note_cut(said.model_alias, said.text, self._limit)
        return self._fence.quote(label, said.text, self._limit)

    def _digest(self, said: Response | None) -> str:
        """Report of the coordinator to the panel; it reads everything as it was written."""
        if said is None:
            return ""
        # The digest speaks of them by their letters, so that its reader may be asked about each.
        for seat in self._seen.digested:
            self._label(seat)
        return self._alone("digest", replace(said, content=self._unnamed(said.text)))

    def _summary(self, summary: Summary) -> str:
        """Summary of earlier rounds; it names their authors by their labels."""
        text = summary.text
        for seat in summary.seats:
            if seat != self._seen.reader:
                self._label(seat)
        limit = min(summary.most, self._limit)
        title = name_rounds(summary.first, summary.last).capitalize()
        return f"{title} in short:\n\n{self._fence.quote('summary', text, limit)}"

    def _follow_up(self, found: FollowUp) -> str:
        """Questions to one panelist, and its replies."""
        asked = self._fence.quote("question", found.question)
        head = f"Asked by whoever writes the answer, of {self._label(found.seat)}:\n\n{asked}"
        if found.reply is None:
            return f"{head}\n\nThere was no reply."
        return f"{head}\n\n{self._quote(found.seat, found.reply.text)}"

    def _unsigned(self, seat: str, text: str) -> str:
        """The text without its author's own introduction, unless readers may know it.

        Whoever writes the answer reads everything as it was written.
        """
        return self._unnamed(text, [p for p in self._brief.panel if p.seat == seat])

    def _unnamed(self, text: str, authors: Sequence[Panelist] | None = None) -> str:
        """The text without what gives these panelists away, or any of the panel."""
        # Withheld names made answers unreadable for who writes the final one (decision 17).
        if self._seen.whole or (self._brief.named and self._seen.names is Names.DEBATE):
            return text
        panel = self._brief.panel if authors is None else authors
        return strip_introductions(text, panel, self._brief)

    def _whole(self, said: Response) -> str:
        """An answer with what it comes to, and the sources that it names."""
        return "\n\n".join(p for p in (said.text, "\n".join(self._further(said))) if p)

    def _further(self, said: Response) -> Iterator[str]:
        yield from (f"Would call: {c.name} {c.json}" for c in said.calls)
        broken = next((f for f in said.flags if f.startswith(UNUSABLE)), "")
        if broken:
            yield f"Would call what cannot be called{broken.removeprefix(UNUSABLE)}"
        # A form begins with its position; closing lines were taken off the text, and are told here.
        elif said.position is None and said.closing:
            yield f"Bottom line: {said.bottom_line or 'none (it declined, or takes no position)'}"
        if said.closing and said.closing.estimate:
            yield f"Estimate: {said.closing.estimate.words}"
        # "neutral" tells something only of who has a part in being for or against.
        if said.stance and (said.agent_role or said.stance != "neutral"):
            yield f"Stance: {said.stance}"
        if said.confidence is not None:
            yield f"Confidence: {said.confidence:.0%}"
        if self._seen.whole and said.closing:
            yield from self._relations(said)
        if said.matrix:
            yield from _matrix(said.matrix)
        yield from (f"Needed from the user: {asked}" for asked in said.requests)
        for n, c in enumerate(said.citations[:MOST_SOURCES], 1):
            yield f"Source [{n}]: {f'{c.title}, ' if c.title else ''}{c.url}"

    def _relations(self, said: Response) -> Iterator[str]:
        """Views of an author on the others and on its own change, for readers outside the panel."""
        assert said.closing is not None
        views = [
            f"{self._names[v.seat]} {v.relation}{f': {v.about}' if v.about else ''}"
            for v in said.closing.views
            if v.seat in self._names
        ]
        if views:
            yield f"On what the others had said before: {'; '.join(views)}"
        for earlier in self._seen.before.get(said.model_alias, ()):
            if words := _changed(earlier):
                yield f"Changed in round {earlier.round_number}: {words}"
        if words := _changed(said):
            yield f"Changed: {words}"

    def _round(self, round_: Round) -> str:
        title = "Initial answers" if round_.round_number == 0 else f"Round {round_.round_number}"
        return f"{title}:\n\n{self._answers(round_.usable)}"

    def _answers(self, responses: Iterable[Response]) -> str:
        texts = {r.model_alias: self._whole(r) for r in responses}
        return "\n\n".join(self._quote(seat, texts[seat]) for seat in self._arranged(texts))

    def _arranged(self, seats: Iterable[str]) -> list[str]:
        """In an order that is this reader's own, or as they were said."""
        shown = list(seats)
        if self._seen.spoken:
            return shown
        places = {p.seat: i for i, p in enumerate(self._brief.panel) if p.seat in shown}
        return order(self._brief, self._key, places, self._seen.names)

    def _quote(self, seat: str, text: str, limit: int | None = None) -> str:
        """One answer under its label, and with its author's part in the debate."""
        limit = self._limit if limit is None else limit
        self._note_cut(seat, text, limit)
        # Its own words need no hiding of names, and stand under "you".
        if seat == self._seen.reader:
            return self._fence.quote(YOU, text, limit)
        text = self._unsigned(seat, text)
        return self._fence.quote(self._label(seat) + self._part(seat), text, limit)

    def _note_cut(self, seat: str, text: str, limit: int) -> None:
        if len(text) > limit and seat not in self.cut:
            self.cut.append(seat)

    def _label(self, seat: str) -> str:
        label = self._names[seat]
        self.used[label] = seat
        return label

    def _part(self, seat: str) -> str:
        part = next((_part(p) for p in self._brief.panel if p.seat == seat), "")
        return f", {part}" if part else ""

    def _questions(self, questions: Mapping[str, tuple[str, ...]]) -> str:
        lists = {seat: "\n".join(f"- {q}" for q in asked) for seat, asked in questions.items()}
        most = min(MAX_QUESTIONS, self._limit)
        return "\n\n".join(self._quote(seat, lists[seat], most) for seat in self._arranged(lists))

    def _critiques(self, critiques: tuple[Response, ...]) -> str:
        texts = {r.model_alias: self._critique(r) for r in critiques}
        return "\n\n".join(self._quote(seat, texts[seat]) for seat in self._arranged(texts))

    def _critique(self, said: Response) -> str:
        """A panelist's words about the others."""
        lines = [
            f"On {self._names[seat]}: strengths: {_listed(point['strengths'])}; "
            f"weaknesses: {_listed(point['weaknesses'])}"
            for seat, point in (said.critique or {}).items()
        ]
        if said.ballot:
            ranks = (" and ".join(self._names[s] for s in rank) for rank in said.ballot)
            lines.append(f"Ranking, best first: {', '.join(ranks)}")
        return "\n\n".join([self._whole(said), *lines])

    def _findings(
        self, findings: Sequence[tuple[str, Defect]], lines: Callable[[Defect], Iterator[str]]
    ) -> str:
        """Findings, in an order that says nothing; their authors go without a name."""
        texts = ((label, self._unnamed("\n".join(lines(f)))) for label, f in findings)
        return "\n\n".join(self._fence.quote(label, text) for label, text in texts)

    def _figures(self, rounds: Sequence[Estimates]) -> str:
        """The figures of each round: who estimates what, the median, confidence and stances."""
        return "\n".join(line for figures in rounds for line in self._round_figures(figures))

    def _round_figures(self, figures: Estimates) -> Iterator[str]:
        yield "Initial answers:" if not figures.round_number else f"Round {figures.round_number}:"
        yield f"- answers: {figures.answers}"
        for seat in sorted(figures.values, key=lambda s: self._names[s]):
            you = ", you" if seat == self._seen.reader else ""
            yield f"- {self._names[seat]}{you}: {figures.values[seat].words}"
        if figures.median is not None:
            middle_of = Estimate(
                value=figures.median, unit=figures.unit, low=figures.low, high=figures.high
            )
            yield f"- median estimate: {middle_of.words}"
        if figures.confidence:
            low, middle, high = figures.confidence
            yield f"- confidence: median {middle:.2f}, from {low:.2f} to {high:.2f}"
        # Forms ask for a stance whatever the query is; that all are neutral says nothing.
        if set(figures.stances) - {"neutral"}:
            counts = sorted(figures.stances.items(), key=lambda c: (-c[1], c[0]))
            yield f"- stances: {', '.join(f'{n} {stance}' for stance, n in counts)}"

    def _grid(self, grid: str) -> str:
        """Options and criteria of a decision, in panelists' own words."""
        return self._fence.quote("options and criteria", self._unnamed(grid))

    def _tally(self, votes: Votes) -> str:
        """Points to three digits: more would only claim a precision that no panel has."""
        head = f"{votes.ballots} ballots, counted by {votes.rule}; the higher, the better:"
        lines = [f"- {self._label(seat)}: {points:.3g}" for seat, points in votes.points]
        first = [self._label(seat) for seat in votes.winners]
        outcome = "Winner" if len(first) == 1 else "Tie between"
        return "\n".join(
            [head, *lines, f"{outcome}: {' and '.join(first)}" if first else "No vote."]
        )


def _part(panelist: Panelist) -> str:
    """Its role, perspective or team, in one line."""
    team = f"{panelist.team} team" if panelist.team else None
    return " ".join((panelist.role or panelist.perspective or team or "").split())


def _claim_lines(f: Defect) -> Iterator[str]:
    yield f"where: {f.where or 'not said'}"
    yield f"claim: {f.claim}"


def _finding_lines(f: Defect) -> Iterator[str]:
    yield f"severity: {f.severity}"
    yield from _claim_lines(f)
    if f.quote:
        yield f"quote: {f.quote}"
    if f.quoted is False:
        yield "note: this quote is not in the text"
    if f.fix:
        yield f"fix: {f.fix}"


def _matrix(found: Matrix) -> Iterator[str]:
    """Options and criteria that an author names, or how it rates those of the panel."""
    if found.options:
        yield f"Options: {'; '.join(found.options)}"
    if found.criteria:
        weights = (f"{c.name} ({c.weight:g})" for c in found.criteria)
        yield f"Criteria, and how much they count: {'; '.join(weights)}"
    for option in dict.fromkeys(s.option for s in found.scores):
        rows = (s for s in found.scores if s.option == option)
        why = (f"{s.criterion} {s.score}{f' ({s.reason})' if s.reason else ''}" for s in rows)
        yield f"Rates {option}: {'; '.join(why)}"


def _listed(points: Iterable[str]) -> str:
    return " | ".join(points) or "none named"


def _changed(said: Response) -> str:
    """Change that an author reports; empty where it reports none."""
    change = said.closing.change if said.closing else None
    if change is None:
        return ""
    return f"{change.kind}{f': {change.what}' if change.what else ''}"
