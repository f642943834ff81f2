"""Presets: a panel with its mode and options under one name. What is said explicitly goes first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mutual_dissent.briefing.kinds import SeatParts, SeatWords
from mutual_dissent.briefing.options import OPTIONS, Options
from mutual_dissent.core.brief import Brief, Earlier
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.panel import base_name

if TYPE_CHECKING:
    from mutual_dissent.config.file import ConfigFile

TABLE = "presets"
AUTO = "auto"
"""The preset that is proposed by a model."""

PARTS = {n: o.kind.example for n, o in OPTIONS.items() if isinstance(o.kind, SeatParts)}
DEALT = frozenset(n for n, o in OPTIONS.items() if isinstance(o.kind, SeatWords))
OF_THE_MODE = frozenset(n for n, o in OPTIONS.items() if o.needs and o.needs.of_mode)
"""Options that mean nothing, or something else, in another mode than the preset's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Options of a debate under one name.

    Attributes:
        summary: what it is good for, in one sentence.
        values: the options that it sets, by the names that `Options` has for them.
        task: the name of a prompt that says what the task asks of every answer, if it is for one.
    """

    name: str
    summary: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    task: str = ""

    def under(self, options: Options, usual_mode: str) -> Options:
        """The options that were asked for, and the preset's own where nothing was.

        Args:
            usual_mode: the mode that holds where neither says one.
        """
        values = dict(self.values)
        if options.mode and options.mode != values.get("mode", usual_mode):
            values = {k: v for k, v in values.items() if k not in OF_THE_MODE}
        if options.panel is not None:
            values = dict(_for_panel(values, options.panel))
        values["personas"] = _joined(values.get("personas", ()), persona_words(options.personas))
        for part in PARTS:
            values[part] = {**values.get(part, {}), **getattr(options, part)}
        # These hold what was asked for already: they were joined above.
        asked = ("personas", *PARTS)
        new = {k: v for k, v in values.items() if k in asked or not _said(getattr(options, k))}
        return replace(options, **new)

    def with_task(self, brief: Brief, text_of: Callable[[str], str]) -> Brief:
        """The brief in which everybody is told what the task asks of an answer.

        Args:
            text_of: the text of a prompt by its name.
        """
        if not self.task or brief.mode == self.name:  # a mode of that name asks for it itself
            return brief
        task = Earlier(speaker="instructions", text=self.task_text(text_of))
        return replace(brief, earlier=(task, *brief.earlier))

    def task_text(self, text_of: Callable[[str], str]) -> str:
        """The text that says what the task asks of an answer."""
        return text_of(self.task).strip()


DEFAULT_PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        p.name: p
        for p in (
            Preset(name="default", summary="What your [defaults] say, and nothing else."),
            Preset(
                name="quick",
                summary="Two are asked, the others only where those differ.",
                values={"mode": "escalate"},
            ),
            Preset(
                name="thorough",
                summary="Three rounds, in each of which another panelist is devil's advocate.",
                values={"mode": "reflection", "topology": "adversarial", "rounds": 3},
            ),
            Preset(
                name="characters",
                summary="Every panelist has another persona; good where one model sits often.",
                values={
                    "mode": "reflection",
                    "personas": ("analyst", "skeptic", "practitioner", "historian", "newcomer"),
                },
            ),
            Preset(
                name="council",
                summary="The panel ranks its answers blind; the chairman reports the winner.",
                values={"mode": "ranking", "rule": "borda"},
            ),
            Preset(
                name="consensus",
                summary="The panel criticises its answers blind; the chairman writes one text.",
                values={"mode": "consensus"},
            ),
            Preset(
                name="audit",
                summary="Critique and ranking in one, for what has to be looked at closely.",
                values={"mode": "hybrid", "rule": "schulze"},
            ),
            Preset(
                name="delphi",
                summary="Unsigned estimates, revised until they settle.",
                values={"mode": "delphi", "rounds": 4},
            ),
            Preset(
                name="forecast",
                summary="A probability or a range, with base rates; scored once the day has come.",
                values={"mode": "forecast", "rounds": 2},
            ),
            Preset(
                name="experts",
                summary="Technical, economic, ethical and social experts.",
                values={
                    "mode": "expert-panel",
                    "rounds": 2,
                    "perspectives": ("technical", "economic", "ethical", "social"),
                },
            ),
            Preset(
                name="redteam",
                summary="A red team looks for what can go wrong, a blue team defends.",
                values={"mode": "red-team-blue-team", "rounds": 2},
            ),
            Preset(
                name="trial",
                summary="One argues for, one against, the rest weigh both.",
                values={"mode": "devils-advocate", "rounds": 2},
            ),
            Preset(
                name="review",
                summary="Defects of an attached text, found alone and checked by the others.",
                values={"mode": "review"},
            ),
            Preset(
                name="decide",
                summary="A decision: options and criteria are named, and rated in one table.",
                values={"mode": "decide"},
                task="tasks/decide",
            ),
            Preset(
                name="fact-check",
                summary="Claims are checked one by one, with searches where there are any.",
                values={"mode": "reflection", "rounds": 1, "tools": True},
                task="tasks/fact-check",
            ),
            Preset(
                name="plan-check",
                summary="A plan before it is carried out: why it would fail, and how to notice.",
                values={"mode": "reflection", "topology": "adversarial", "rounds": 2},
                task="tasks/plan-check",
            ),
            Preset(
                name="postmortem",
                summary="What happened, why it could, and what to change; causes, no culprits.",
                values={
                    "mode": "expert-panel",
                    "rounds": 2,
                    "perspectives": ("technical", "process", "human factors", "detection"),
                },
                task="tasks/postmortem",
            ),
            Preset(
                name="name",
                summary="Everyone proposes one name, and the panel ranks them blind.",
                values={"mode": "ranking", "rule": "schulze"},
                task="tasks/name",
            ),
            Preset(
                name="research",
                summary="What is known, contested and unknown, with sources and searches.",
                values={"mode": "reflection", "rounds": 2, "tools": True},
                task="tasks/research",
            ),
        )
    }
)


def read_presets(document: ConfigFile) -> dict[str, Preset]:
    """Ours, and the user's, which go before ours of the same name.

    Raises:
        BadConfig: if a part is not given as SEAT=PART.
    """
    theirs = {n: _preset(document, n, row) for n, row in document.under(TABLE).items()}
    return {**DEFAULT_PRESETS, **theirs}


def pairs(words: Sequence[str], what: str) -> dict[str, str]:
    """Seat -> part, from words such as `claude=red`.

    Raises:
        BadInput: if a word is not of that form; `what` says how it would be.
    """
    return dict(_pair(word, what) for word in words)


def _pair(word: str, what: str) -> tuple[str, str]:
    seat, _, part = (piece.strip() for piece in word.partition("="))
    if not (seat and part):
        raise BadInput(f"{what}, not {word[:60]!r}")
    return seat, part


def _preset(document: ConfigFile, name: str, row: Mapping[str, Any]) -> Preset:
    values = {k: v for k, v in row.items() if k != "summary"}
    for part, example in PARTS.items():
        try:
            found = pairs(values.get(part, ()), f'must be SEAT=PART, such as "{example}"')
        except BadInput as e:
            raise document.refusal((TABLE, name, part), e.sentence) from None
        if found:
            values[part] = found
    return Preset(name=name, summary=row.get("summary", ""), values=values)


def _for_panel(values: Mapping[str, Any], panel: str | Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The values without parts for those who do not sit on another panel than the preset's."""
    names = panel.split(",") if isinstance(panel, str) else panel
    there = {base_name(n.strip()) for n in names}

    def sits(word: str) -> bool:
        seat, equals, _ = word.partition("=")
        return not equals or base_name(seat) in there

    for name, value in values.items():
        if name in PARTS:
            yield name, {s: part for s, part in value.items() if sits(f"{s}=")}
        elif name in DEALT:
            yield name, tuple(word for word in value if sits(word))
        else:
            yield name, value


def _joined(ours: Sequence[str], asked: Sequence[str]) -> tuple[str, ...]:
    """Join personas; those dealt out by the preset give way to those dealt out now."""
    dealt = any("=" not in word for word in asked)
    return (*(word for word in ours if "=" in word or not dealt), *asked)


def persona_words(personas: Mapping[str, str] | Sequence[str]) -> tuple[str, ...]:
    """Personas as on the command line: SEAT=NAME, or NAME alone."""
    if isinstance(personas, Mapping):
        return tuple(f"{seat}={name}" for seat, name in personas.items())
    return tuple(personas)


def _said(value: Any) -> bool:
    return value is not None and value not in ((), [])


DEFAULT_PERSONAS: Mapping[str, str] = MappingProxyType(
    {
        "analyst": "You are an analyst. Break the question into parts, reason step by step, and "
        "say what follows from what.",
        "skeptic": "You are a skeptic. Doubt the obvious answer, name what could be wrong with it, "
        "and keep only what survives.",
        "practitioner": "You are a practitioner. Judge by what works in practice, be concrete, and "
        "give an example.",
        "historian": "You are a historian. Ask when something like this was tried before, what "
        "came of it, and what is different this time.",
        "newcomer": "You are a newcomer to the subject, and a bright one. Ask what experts take "
        "for granted, and say in plain words what you can follow and what you cannot.",
        "researcher": "You are a researcher. Ask for the evidence behind each claim, say how "
        "strong it is, and keep what is known apart from what is assumed.",
        "economist": "You are an economist. Look at costs, incentives and alternatives: who pays, "
        "who gains, and what is given up.",
        "optimist": "You are an optimist. Look for what could be made of this at its best, and for "
        "the shortest way there; do not hide what it depends on.",
    }
)
"""Personas that are there without any configuration: ways to look at one question."""

THREE = ("analyst", "skeptic", "practitioner")
"""Those that a single model plays, where nobody else can be reached."""
