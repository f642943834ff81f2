"""Forms: what a structured answer consists of, as a JSON schema and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mutual_dissent.core.closing import RELATIONS
from mutual_dissent.core.values.defects import MOST_FINDINGS, SEVERITIES, VERDICTS

STANCES = ("for", "against", "neutral")
RELATION_WORDS = (
    'relation is "agree" (the same position as yours, in whatever words), "partly" (the same with '
    'a reservation that matters, or only under a condition) or "disagree" (another one; taste is '
    "no disagreement)"
)
REASON_WORDS = (
    "why, with what it rests on; where the query asks for an artefact, that artefact itself, "
    "complete and alone"
)
POSITION_WORDS = (
    "in one sentence that can stand alone, without a word on what you changed or on others "
    "(of an artefact: what it is)"
)
ESTIMATE_WORDS = (
    'where the query asks for a quantity, number, unit and range, such as "75 people [50 to 100]"; '
    'else ""'
)
CHANGE_WORDS = (
    '"nothing", or "detail: what", or "yes: from ... to ..., because of WHOM: the reason" if your '
    "position is another one than in your previous answer"
)
AFTER_READING = (
    f"your own answer to the query, as it stands after you have read the others, {POSITION_WORDS}"
)
"""The position of who reviews answers."""

MOST_POINTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The fields that a mode asks for. Position, reasoning, key points and confidence are in all.

    Attributes:
        name: what the vendor is told that the structure is called.
        position: what the position is to say, in words.
        reasoning: the same of the reasoning; of a review it is what decided.
        estimate: the same of the estimate.
        stance: whether a stance is asked for.
        critique: whether each shown answer is to be criticised: strengths and weaknesses by label.
        ranking: whether the shown answers are to be ranked by label, best first.
        questions: whether open questions are asked for.
        findings: whether defects of a text are asked for, and little else.
        verdicts: whether findings of others are to be confirmed or refuted, and little else.
        options: whether options and criteria of a decision are asked for.
        scores: whether those of the panel are to be rated.
    """

    name: str
    position: str = f"your answer to the query {POSITION_WORDS}"
    reasoning: str = REASON_WORDS
    estimate: str = ESTIMATE_WORDS
    stance: bool = False
    critique: bool = False
    ranking: bool = False
    questions: bool = False
    findings: bool = False
    verdicts: bool = False
    options: bool = False
    scores: bool = False

    @property
    def reviews(self) -> bool:
        """Return whether it is about the answers of others."""
        return self.critique or self.ranking

    def schema(self, *, reads: bool = False, revises: bool = False) -> dict[str, Any]:
        """A JSON schema that every vendor takes: no further fields, all of them required.

        Args:
            reads: whether its author has read others, and is to say how it relates to them.
            revises: whether it has answered before, and is to say what it changed.
        """
        text: dict[str, Any] = {"type": "string"}
        texts: dict[str, Any] = {"type": "array", "items": text}
        if self.findings or self.verdicts:
            return _closed({"position": text, **self._rows()})
        fields: dict[str, Any] = {
            "position": text,
            "reasoning": text,
            "key_points": texts,
            "estimate": text,
            "confidence": {"type": "number"},
        }
        if reads:
            relation = {"type": "string", "enum": list(RELATIONS)}
            view = _closed({"label": text, "relation": relation, "about": text})
            fields["on_the_others"] = {"type": "array", "items": view}
        if revises:
            fields["changed"] = text
        if self.stance:
            fields["stance"] = {"type": "string", "enum": list(STANCES)}
        if self.critique:
            fields["critique"] = {
                "type": "array",
                "items": _closed({"label": text, "strengths": texts, "weaknesses": texts}),
            }
        if self.ranking:
            fields["ranking"] = texts
        if self.questions:
            fields["questions"] = texts
        fields |= self._decision()
        fields["citations"] = {"type": "array", "items": _closed({"url": text, "title": text})}
        return _closed(fields)

    def _decision(self) -> dict[str, Any]:
        """The fields of a decision."""
        text: dict[str, Any] = {"type": "string"}
        number = {"type": "number"}
        if self.options:
            criterion = _closed({"name": text, "weight": number})
            return {
                "options": {"type": "array", "items": text},
                "criteria": {"type": "array", "items": criterion},
            }
        if not self.scores:
            return {}
        score = {"option": text, "criterion": text, "score": number, "reason": text}
        rows = {
            "weights": {"criterion": text, "weight": number},
            "scores": score,
            "same": {"label": text, "same_as": text},
        }
        return {name: {"type": "array", "items": _closed(of)} for name, of in rows.items()}

    def _rows(self) -> dict[str, Any]:
        """The one list that a review consists of."""
        text: dict[str, Any] = {"type": "string"}
        if self.findings:
            severity = {"type": "string", "enum": list(SEVERITIES)}
            # Strict schemas know no optional fields: 0 and "" stand for what does not apply.
            row = {"file": text, "line": {"type": "integer"}, "heading": text}
            row |= {"severity": severity, "claim": text, "quote": text, "fix": text}
            return {"findings": {"type": "array", "items": _closed(row)}}
        verdict = {"type": "string", "enum": list(VERDICTS)}
        row = {"label": text, "verdict": verdict, "quote": text, "reason": text, "same_as": text}
        return {"verdicts": {"type": "array", "items": _closed(row)}}

    def in_words(self, *, reads: bool = False, revises: bool = False) -> str:
        """The same for models that only read: a JSON object with a line for each field."""
        if self.findings or self.verdicts:
            row = FINDING_WORDS if self.findings else VERDICT_WORDS
            return f'- "position": {self.position}\n- {row}'
        why = "what decided it" if self.reviews else self.reasoning
        lines = [
            f'"position": {self.position}, or "" if you cannot or will not answer',
            f'"reasoning": {why}; at its end, on a line of its own, what is needed from the user',
            '"key_points": a list of 2 or 3 short sentences',
            f'"estimate": {self.estimate}',
            '"confidence": a number from 0 to 1, how sure you are',
        ]
        if reads:
            lines.append(
                '"on_the_others": a list of {"label", "relation", "about"}, one for each other '
                "panelist that takes a position: label is its name as it is quoted; "
                f'{RELATION_WORDS}; about is what you differ on, or ""'
            )
        if revises:
            lines.append(f'"changed": {CHANGE_WORDS}')
        if self.stance:
            lines.append('"stance": "for", "against" or "neutral"')
        if self.critique:
            lines.append(
                '"critique": a list of {"label", "strengths": [...], "weaknesses": [...]}, '
                "one for each other panelist"
            )
        if self.ranking:
            lines.append('"ranking": a list of the names of all other panelists, best answer first')
        if self.questions:
            lines.append('"questions": a list of the questions that are still open')
        lines += DECISION_WORDS[: 2 if self.options else 0]
        lines += DECISION_WORDS[2:] if self.scores else ()
        lines.append(
            '"citations": a list of {"url", "title"} of sources, or []; the title of one that you '
            'name from memory ends with "(from memory)"'
        )
        return "\n".join(f"- {line}" for line in lines)


# The schemas above once more in words: who takes no schema is asked by these alone (decision 12).
DECISION_WORDS = (
    '"options": a list of 2 to 5 options, each in a few words',
    (
        '"criteria": a list of 3 to 5 {"name", "weight"}: name is one criterion in one to three '
        "common words, weight is a number from 0 to 10, how much it counts"
    ),
    (
        '"weights": a list of {"criterion", "weight"}, one for each criterion of the list: its '
        'label, such as "C1", and a number from 0 (it decides nothing) to 10'
    ),
    (
        '"scores": a list of {"option", "criterion", "score", "reason"}, one for each option on '
        "each criterion of the list, by their labels: score is a whole number from 1 (bad) to 5 "
        "(good), also where less is better; reason is what it rests on, in a few words"
    ),
    (
        '"same": a list of {"label", "same_as"}: what of the list means the same as something '
        'before it, such as {"label": "C4", "same_as": "C2"}, and needs no scores; else []'
    ),
)
FINDING_WORDS = (
    '"findings": a list of {"file", "line", "heading", "severity", "claim", "quote", "fix"}, the '
    f"worst first, at most {MOST_FINDINGS}, [] if there is nothing to report. file is the name of "
    "the document, as it is quoted or as the diff names it; line is the number there (of a diff, "
    'in the new file), 0 if there are no lines to count; heading is the section of a text, or ""; '
    f"severity is one of {', '.join(SEVERITIES)}; claim is one sentence that can stand alone: what "
    "is wrong, and what follows from it; quote is one to three lines of the text, copied "
    'character for character; fix says what to do instead, or ""'
)
VERDICT_WORDS = (
    '"verdicts": a list of {"label", "verdict", "quote", "reason", "same_as"}, one for each '
    'finding that you are to check. label is its label; verdict is "confirm" (you have looked, and '
    'it is so), "refute" (the text shows that it is not so: the quote is what shows it) or "open" '
    "(the text alone does not tell); quote is copied from the text character for character, or "
    '""; reason is one sentence about the matter, without labels; same_as is the label of another '
    "finding, of either list, that is the very same defect, so that one fix mends both, or "
    '""'
)


def _closed(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
