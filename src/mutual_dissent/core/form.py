"""Forms: what a structured answer consists of, as a JSON schema and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

STANCES = ("for", "against", "neutral")
MOST_POINTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The fields that a mode asks for. Position, reasoning, key points and confidence are in all.

    Attributes:
        name: what the vendor is told that the structure is called.
        stance: whether a stance is asked for.
        critique: whether each shown answer is to be criticised: strengths and weaknesses by label.
        ranking: whether the shown answers are to be ranked by label, best first.
        questions: whether open questions are asked for.
    """

    name: str
    stance: bool = False
    critique: bool = False
    ranking: bool = False
    questions: bool = False

    def schema(self) -> dict[str, Any]:
        """A JSON schema that every vendor takes: no further fields, all of them required."""
        text: dict[str, Any] = {"type": "string"}
        texts: dict[str, Any] = {"type": "array", "items": text}
        fields: dict[str, Any] = {
            "position": text,
            "reasoning": text,
            "key_points": texts,
            "confidence": {"type": "number"},
        }
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
        fields["citations"] = {"type": "array", "items": _closed({"url": text, "title": text})}
        return _closed(fields)

    def in_words(self) -> str:
        """The same for models that only read: a JSON object with a line for each field."""
        lines = [
            '"position": your answer in one or two sentences',
            '"reasoning": why, with the evidence',
            '"key_points": a list of 2 or 3 short sentences',
            '"confidence": a number from 0 to 1, how sure you are',
        ]
        if self.stance:
            lines.append('"stance": "for", "against" or "neutral"')
        if self.critique:
            lines.append(
                '"critique": a list of {"label", "strengths": [...], "weaknesses": [...]}, '
                "one for each answer that you were shown"
            )
        if self.ranking:
            lines.append('"ranking": the labels of the answers that you were shown, best first')
        if self.questions:
            lines.append('"questions": a list of the questions that are still open')
        lines.append('"citations": a list of {"url", "title"} of sources, or []')
        return "\n".join(f"- {line}" for line in lines)


def _closed(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
