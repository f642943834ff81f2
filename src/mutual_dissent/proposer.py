"""Proposals: a model chooses, by one call, how a debate is held, from all that there is.

The call is made before the debate is opened, and goes on its record. What is not in the choices
cannot be proposed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from mutual_dissent.analysis.answers.json_in_text import object_with
from mutual_dissent.briefing.mode_fit import meets
from mutual_dissent.briefing.options import BY_PERSPECTIVES, Options
from mutual_dissent.briefing.presets import Preset
from mutual_dissent.briefing.seating import analyst_of
from mutual_dissent.core.brief import Brief, Proposal
from mutual_dissent.core.errors import UserError
from mutual_dissent.core.events import Answered, Event, Opened
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import SYNTHESIS_ROUND, Response, storable
from mutual_dissent.core.step import Mode, Need, Step, Turn
from mutual_dissent.core.transcript import PROPOSAL, opening
from mutual_dissent.engine.limits.budget import Budget
from mutual_dissent.engine.notes import failed_response
from mutual_dissent.parts import Parts
from mutual_dissent.prompts.compose import compose
from mutual_dissent.text.sanitize import one_line

OWN, DEFAULT = "own", "default"
FIELDS = ("preset", "mode", "perspectives", "panel", "reason")
MOST_QUERY = 8_000
"""Characters of the query that whoever proposes is told."""
MOST_REASON = 200
MOST_TOKENS = 1_000
FEWEST = 2

WriteBrief = Callable[[Options], Awaitable[Brief]]


async def with_proposal(parts: Parts, wanted: Options, write: WriteBrief) -> Brief:
    """The brief as the cheapest capable model of the panel proposes it, or the default one.

    Args:
        wanted: what was asked for; it goes before what is proposed.
        write: makes the brief of options.

    Raises:
        UserError: if what was asked for cannot be, before any call is made.
    """
    base = await write(replace(wanted, preset=DEFAULT))
    found = await _ask_for_proposal(parts, base)
    brief = base
    if not found.note:
        presets, modes = parts.settings.presets, parts.modes
        try:
            brief = await write(apply_proposal(found, wanted, presets, modes))
        except UserError as e:
            found = replace(found, note=f"{found.by}'s proposal cannot be held ({e.fact})")
    brief = replace(brief, transcript_id=base.transcript_id, proposal=found)
    return replace(brief, notices=(*brief.notices, words_of(brief)))


async def _ask_for_proposal(parts: Parts, base: Brief) -> Proposal:
    """The proposal, by one call; who proposes is chosen as the analyst is."""
    catalogue = ProposalChoices.of(
        parts.settings.presets.values(), parts.modes.values(), parts.library.names, base.panel
    )
    by = base.analyst or analyst_of(base.panel, base.synthesizer, parts.prices)
    if by is None:
        return Proposal(by="", note="no model of this panel can propose a procedure")
    told, step = proposal_question(base, by, catalogue)
    opened = opening(Opened(at=parts.clock(), brief=told))
    ask = compose(opened, step, step.turns[0], parts.library).ask
    await parts.prices.prepare([by.route])
    paid = Budget(base.max_cost, parts.prices).afford([ask])
    if paid is None:
        return Proposal(by=by.seat, note="the limit does not pay for a proposal")
    try:
        reply = storable(await parts.provider.ask(paid[0], lambda _: None))
    except Exception as e:  # noqa: BLE001 - a provider that breaks its promise costs no debate
        reply = failed_response(ask, e, parts.clock())
    return read_proposal(reply, catalogue)


def proposal_events(brief: Brief, at: datetime) -> tuple[Brief, list[Event]]:
    """The brief as it goes on record, and the call that proposed it, which is on the bill."""
    found = brief.proposal
    if found is None or found.answer is None:
        return brief, []
    reply: Response = found.answer
    key = f"{reply.round_number}/{PROPOSAL}/{reply.model_alias}"
    event = Answered(at=at, key=key, seat=reply.model_alias, request_hash="", response=reply)
    # Opened, with the whole brief, is event 1: the answer is not kept twice.
    return replace(brief, proposal=replace(found, answer=None)), [event.with_seq(2)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalChoices:
    """Everything that may be proposed; what is not in it cannot be.

    Attributes:
        presets: name -> what it is for.
        modes: name -> what it does.
        perspectives: the viewpoints that there are texts for.
        panel: who could sit, as a user writes it.
    """

    presets: Mapping[str, str]
    modes: Mapping[str, str]
    perspectives: tuple[str, ...]
    panel: tuple[str, ...]

    @classmethod
    def of(
        cls,
        presets: Iterable[Preset],
        modes: Iterable[Mode],
        prompts: Iterable[str],
        panel: Iterable[Panelist],
    ) -> ProposalChoices:
        """The catalogue of what is there; a user's own presets are in it, too."""
        views = [p.partition("/")[2] for p in prompts if p.startswith("perspectives/")]
        return cls(
            presets={p.name: p.summary for p in presets},
            # Not `single`, which is for baselines, titles and tags.
            modes={m.name: m.summary for m in modes if m.max_panel > 1},
            perspectives=tuple(views),
            panel=tuple(dict.fromkeys(p.written for p in panel)),
        )

    @property
    def text(self) -> str:
        """The catalogue as whoever proposes reads it."""
        rows = (f"- {name}: {summary}" for name, summary in self.presets.items())
        modes = (f"- {name}: {summary}" for name, summary in self.modes.items())
        return "\n".join((
            "Presets:", *rows, "Modes:", *modes,
            f"Perspectives: {', '.join(self.perspectives)}", f"Panel: {', '.join(self.panel)}",
        ))  # fmt: skip

    @property
    def schema(self) -> dict[str, Any]:
        """The reply as a JSON schema that every vendor accepts."""
        properties = {
            "preset": {"type": "string", "enum": list(self.presets)},
            "mode": {"type": "string", "enum": [OWN, *self.modes]},
            "perspectives": _list_of(self.perspectives),
            "panel": _list_of(self.panel),
            "reason": {"type": "string"},
        }
        return {
            # OpenAI's strict schemas want every property required and no others allowed.
            "title": "Procedure", "type": "object", "properties": properties,
            "required": list(FIELDS), "additionalProperties": False,
        }  # fmt: skip


def _list_of(names: Sequence[str]) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string", "enum": list(names)}}


def proposal_question(base: Brief, by: Panelist, catalogue: ProposalChoices) -> tuple[Brief, Step]:
    """The step in which a procedure is proposed, and the little that is told with it."""
    told = replace(
        base, query=base.query[:MOST_QUERY], context=(), earlier=(), max_tokens=MOST_TOKENS,
        temperature=None,
    )  # fmt: skip
    turn = Turn(
        panelist=by,
        prompt="common/proposal",
        schema=catalogue.schema,
        blanks={"catalogue": catalogue.text},
    )
    step = Step(turns=(turn,), role=PROPOSAL, round_number=SYNTHESIS_ROUND, need=Need.NOTHING)
    return told, step


def read_proposal(reply: Response, catalogue: ProposalChoices) -> Proposal:
    """The proposal in a reply; a note says why nothing of it is taken, where that is so."""
    by = reply.model_alias
    if not reply.usable:
        return Proposal(by=by, note=f"{by} could not be asked for a proposal", answer=reply)
    found = object_with(reply.content, FIELDS) or {}
    preset, mode = found.get("preset"), found.get("mode") or OWN
    views, panel = found.get("perspectives") or [], found.get("panel") or []
    known = (
        _among([preset], catalogue.presets)
        and _among([mode], (OWN, *catalogue.modes))
        and _among(views, catalogue.perspectives)
        and _among(panel, catalogue.panel)
    )
    if not known:
        return Proposal(by=by, note=f"{by} proposed nothing of the catalogue", answer=reply)
    return Proposal(
        by=by,
        preset=str(preset),
        mode="" if mode == OWN else str(mode),
        perspectives=tuple(dict.fromkeys(views)),
        panel=tuple(dict.fromkeys(panel)),
        reason=one_line(str(found.get("reason") or ""), MOST_REASON),
        answer=reply,
    )


def _among(values: Any, known: Iterable[str]) -> bool:
    names = set(known)
    return isinstance(values, list) and all(isinstance(v, str) and v in names for v in values)


def apply_proposal(
    found: Proposal, asked: Options, presets: Mapping[str, Preset], modes: Mapping[str, Mode]
) -> Options:
    """The options with what is proposed, where nothing was said."""
    preset = presets[found.preset]
    mode = asked.mode or found.mode or None
    name = mode or preset.values.get("mode", "")
    views = name in modes and meets(modes[name], BY_PERSPECTIVES, ())
    fewest = max(FEWEST, modes[name].min_panel if name in modes else FEWEST)
    return replace(
        asked,
        preset=found.preset,
        mode=mode,
        perspectives=asked.perspectives or (found.perspectives if views else ()),
        panel=list(found.panel)
        if asked.panel is None and len(found.panel) >= fewest
        else asked.panel,
    )


def proposal_cost(brief: Brief) -> float:
    """The dollars that the proposal of a brief has cost, as far as they are known."""
    answer = brief.proposal.answer if brief.proposal else None
    return (answer.cost_usd if answer else None) or 0.0


def words_of(brief: Brief) -> str:
    """The sentence that says what was proposed and taken; empty where nothing was."""
    found = brief.proposal
    if found is None:
        return ""
    if found.note:
        return f"{found.note}; the default is taken"
    who = ", ".join(p.written for p in brief.panel)
    views = dict.fromkeys(p.perspective for p in brief.panel if p.perspective)
    looks = f", from the perspectives {', '.join(views)}" if views else ""
    why = f": {found.reason}" if found.reason else ""
    return (
        f"{found.by} proposes the preset {brief.preset} in mode {brief.mode}, for {who}{looks}{why}"
    )
