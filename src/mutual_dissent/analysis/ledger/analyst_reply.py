"""Parse an analyst's reply, as far as it can be read. Nothing is invented."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mutual_dissent.analysis.answers.json_in_text import object_with
from mutual_dissent.analysis.answers.labels import KnownLabels
from mutual_dissent.analysis.answers.own_words import own_object
from mutual_dissent.analysis.answers.verbatim import is_in
from mutual_dissent.analysis.ledger.analyst import CAST
from mutual_dissent.analysis.ledger.entries import (
    EARLIER_RELATIONS,
    Correction,
    EarlierAnswer,
    EarlierTexts,
    Fate,
    Issue,
    Ledger,
    Minority,
    Position,
    Quote,
    Shared,
    Side,
)
from mutual_dissent.core.errors import clip

# What is read and kept of a reply at most: it is a model's text, and may have any length.
MOST_LISTED = 12
MOST_SIDES = 6
MOST_QUOTES = 6
MOST_MISSING = 6
MOST_LINE = 400
MOST_SHOWN = 600
_MOST_HOLDERS = 32

_FATES: dict[str, Fate] = {
    **dict.fromkeys(("adopted", "accepted", "included", "incorporated"), "adopted"),
    **dict.fromkeys(("rebutted", "rejected", "refuted", "dismissed"), "rebutted"),
    **dict.fromkeys(("listed", "mentioned", "noted", "open", "reported"), "listed"),
    **dict.fromkeys(("omitted", "ignored", "missing", "dropped", "absent", "left out"), "omitted"),
}
_ALL = frozenset({"all", "everyone", "everybody", "all panelists", "all of them"})
_SPLIT = re.compile(r"\s{0,3}(?:[,;/&+]|\b(?:and|und|et)\b)\s{0,3}")
# What models add to a name: "Panelist A (80 %), Panelist B [partly]".
_ASIDE = re.compile(r"\s{0,3}[(\[][^()\[\]]{0,60}[)\]]|\s{0,3}\d{1,3}(?:\.\d{1,3})?\s?%")
_NAMED = re.compile(r"\bpanelist\s{1,3}(\w{1,20})", re.IGNORECASE)


def ledger_in(
    text: str,
    labels: Mapping[str, str],
    written: Mapping[str, Sequence[str]],
    analyst: str,
    earlier: EarlierTexts | None = None,
) -> Ledger | None:
    """The ledger of a reply, with seats in the place of labels; None if it cannot be read.

    Args:
        text: the reply.
        labels: label -> seat, as the analyst was shown them.
        written: seat -> the texts in which its quotes must stand.
        analyst: the analyst's seat.
        earlier: the answer and that of an attached debate, if there was one.
    """
    reply = object_with(own_object(text), CAST)
    if reply is None:
        return None
    reader = _FieldReader(
        KnownLabels(labels), KnownLabels({seat: seat for seat in written}), written
    )
    fields = {"_".join(str(k).casefold().replace("-", " ").split()): v for k, v in reply.items()}
    ledger = Ledger(
        source="analyst",
        analyst=analyst,
        positions=reader.positions(fields.get("positions")),
        contested=reader.contested_issues(fields.get("contested")),
        common_ground=reader.common_ground(fields.get("common_ground")),
        minority=reader.minority(fields.get("minority") or fields.get("minority_claims")),
        corrections=reader.corrections(fields.get("corrections")),
        missing=reader.lines(fields.get("missing"))[:MOST_MISSING],
        earlier=reader.earlier(fields.get("earlier"), earlier) if earlier else None,
    )
    # A reply without either said nothing that can be shown; the panel's own lines do better.
    if not ledger.positions and not ledger.contested:
        return None
    return replace(ledger, dropped=reader.dropped)


@dataclass(slots=True)
class _FieldReader:
    """Reads fields; counts the quotes that are in no answer."""

    labels: KnownLabels
    aliases: KnownLabels
    written: Mapping[str, Sequence[str]]
    dropped: int = 0
    _seated: set[str] = field(default_factory=set)

    def positions(self, value: object) -> tuple[Position, ...]:
        """Every panelist in one position, the first that it is named in; largest first."""
        positions = []
        for item in _objects(value):
            holders = tuple(s for s in self.seats(item.get("holders")) if s not in self._seated)
            statement = self.line(item.get("statement") or item.get("position"))
            if holders and statement:
                self._seated.update(holders)
                positions.append(Position(statement=statement, holders=holders))
        return tuple(sorted(positions, key=lambda p: -len(p.holders)))

    def contested_issues(self, value: object) -> tuple[Issue, ...]:
        """The issues that have two sides or more."""
        issues = []
        for item in _objects(value):
            question = self.line(item.get("question") or item.get("issue"))
            sides = tuple(filter(None, map(self._side, _objects(item.get("sides"), MOST_SIDES))))
            # What has one side only is contested by nobody.
            if question and len(sides) > 1:
                issues.append(Issue(question=question, sides=sides))
        return tuple(issues)

    def _side(self, item: Mapping[str, Any]) -> Side | None:
        holders = self.seats(item.get("holders"))
        statement = self.line(item.get("statement") or item.get("position"))
        if not holders or not statement:
            return None
        quote = self.quote(item.get("quote"), holders)
        return Side(statement=statement, holders=holders, quote=quote)

    def common_ground(self, value: object) -> tuple[Shared, ...]:
        """Statements that no panelist contests."""
        shared = []
        for item in _objects(value, text_as="statement"):
            quotes = item.get("quotes") or item.get("quote") or []
            listed = quotes if isinstance(quotes, list) else [quotes]
            kept = (self.quote(q, tuple(self.written)) for q in listed[:MOST_QUOTES])
            if statement := self.line(item.get("statement")):
                quoted = tuple(q for q in kept if q)
                shared.append(Shared(statement=statement, quotes=quoted))
        return tuple(shared)

    def minority(self, value: object) -> tuple[Minority, ...]:
        """Claims of a minority with a readable fate."""
        minorities = []
        for item in _objects(value):
            claim = self.line(item.get("claim") or item.get("statement"))
            holders = self.seats(item.get("holders"))
            fate = _fate(item.get("fate"))
            if claim and holders and fate:
                quote = self.quote(item.get("quote"), holders)
                minorities.append(Minority(claim=claim, holders=holders, fate=fate, quote=quote))
        return tuple(minorities)

    def corrections(self, value: object) -> tuple[Correction, ...]:
        """Panelists that changed what they hold, with what they held before."""
        corrections = []
        for item in _objects(value):
            seats = self.seats(item.get("panelist") or item.get("holder") or item.get("holders"))
            before, after = self.line(item.get("before")), self.line(item.get("after"))
            # What reads the same before and after is no correction.
            if not seats or not after or before.casefold() == after.casefold():
                continue
            others = tuple(s for s in self.seats(item.get("because_of")) if s != seats[0])
            reason = self.line(item.get("reason"))
            corrections.append(
                Correction(
                    seat=seats[0], before=before, after=after, reason=reason, because_of=others
                )
            )
        return tuple(corrections)

    def earlier(self, value: object, texts: EarlierTexts) -> EarlierAnswer | None:
        """The relation to an earlier answer; without a quote from both, nothing is claimed."""
        item = next(_objects(value), {})
        word = str(item.get("relation") or "").strip(" .\"'*").casefold()
        relation = next((r for r in EARLIER_RELATIONS if r == word), None)
        if relation is None:
            return None
        before, now = ("", "") if relation == "other" else (item.get("before"), item.get("now"))
        for quote, where in ((before, texts.before), (now, texts.now)):
            if relation != "other" and not (isinstance(quote, str) and is_in(quote, where)):
                self.dropped += 1
                return None
        return EarlierAnswer(
            transcript_id=texts.transcript_id,
            relation=relation,
            source="analyst",
            before=self.line(before),
            now=self.line(now),
            reason=self.line(item.get("reason")),
        )

    def lines(self, value: object) -> tuple[str, ...]:
        """Some sentences, each once."""
        listed = value[:MOST_LISTED] if isinstance(value, list) else [value]
        return tuple(dict.fromkeys(line for v in listed if (line := self.line(v))))

    def line(self, value: object) -> str:
        """A sentence on one line, with the seats of the panelists that it names."""
        if not isinstance(value, str):
            return ""
        whole = " ".join(value[: MOST_LINE * 4].split())
        return clip(_NAMED.sub(lambda m: self.labels.seat(m[1]) or m[0], whole), MOST_LINE)

    def seats(self, value: object) -> tuple[str, ...]:
        """The seats behind labels, in a list or a line: `Panelist B, PRIMARY`, `b`, `A and C`."""
        listed = value if isinstance(value, list) else [value]
        words = [w for v in listed[:_MOST_HOLDERS] if isinstance(v, str) for w in self._labels(v)]
        return tuple(dict.fromkeys(words))

    def _labels(self, text: str) -> Iterator[str]:
        text = text[:MOST_LINE]
        if text.strip(" .").casefold() in _ALL:
            yield from self.written
        # The whole first: in "Panelist B, PRIMARY" the comma parts no two panelists.
        elif seat := self._seat(text):
            yield seat
        else:
            words = _SPLIT.split(_ASIDE.sub(" ", text))
            yield from (seat for word in words if (seat := self._seat(word)))

    def _seat(self, word: str) -> str | None:
        """The seat behind a label; an alias is understood too, if no label reads like it."""
        return self.labels.seat(word) or self.aliases.seat(word)

    def quote(self, value: object, holders: Sequence[str]) -> Quote | None:
        """A quote that stands in the answer it is said to be from; any other one is counted."""
        fields: Mapping[str, Any] = value if isinstance(value, dict) else {"text": value}
        text = fields.get("text") or fields.get("quote")
        if not isinstance(text, str) or not text.strip():
            return None
        named = self.seats(fields.get("panelist") or fields.get("from") or fields.get("label"))
        # A quote counts for who wrote it: it is not looked for among others than those named.
        for seat in named or holders:
            if is_in(text, self.written.get(seat, ())):
                return Quote(seat=seat, text=clip(" ".join(text.split()), MOST_SHOWN))
        self.dropped += 1
        return None


def _objects(
    value: object, most: int = MOST_LISTED, text_as: str = ""
) -> Iterator[Mapping[str, Any]]:
    """The objects of a list; on request, bare sentences as objects with one field."""
    listed = value if isinstance(value, list) else [value]
    for item in listed[:most]:
        if isinstance(item, dict):
            yield {str(k).casefold(): v for k, v in item.items()}
        elif text_as and isinstance(item, str):
            yield {text_as: item}


def _fate(value: object) -> Fate | None:
    word = value.strip(" .\"'*").casefold() if isinstance(value, str) else ""
    return _FATES.get(word)
