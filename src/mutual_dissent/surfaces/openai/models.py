"""The models that a client sees: the default panel, each preset, each mode, and one model alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import UnknownName
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest

PREFIX = "dissent/"
DEFAULT = PREFIX + "default"
SINGLE = PREFIX + "single"


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelModel:
    """A name that clients ask for, and the options that it stands for."""

    name: str
    summary: str
    options: dict[str, Any] = field(default_factory=dict)


def catalogue(md: MutualDissent) -> dict[str, PanelModel]:
    """Every model by its name; a preset goes before a mode of the same name."""
    usual = PanelModel(name=DEFAULT, summary="The panel and mode of the configuration.")
    modes = [
        PanelModel(name=PREFIX + m.name, summary=m.summary, options={"mode": m.name})
        for m in md.modes.values()
    ]
    presets = [
        PanelModel(name=PREFIX + p.name, summary=p.summary, options={"preset": p.name})
        for p in md.settings.presets.values()
    ]
    return {m.name: m for m in (usual, *modes, *presets)}


def find_model(name: str, md: MutualDissent) -> PanelModel:
    """The model of that name, with or without the prefix.

    Raises:
        Refused: if it does not exist.
    """
    known = catalogue(md)
    for wanted in (name, PREFIX + name):
        if wanted in known:
            return known[wanted]
    unknown = UnknownName("model", name, known)
    raise UnsupportedRequest(str(unknown), "model", status=404, code="model_not_found")
