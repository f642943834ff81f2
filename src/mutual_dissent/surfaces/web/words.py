"""Words of the page: tables that every other surface reads too, as one ES module."""

from __future__ import annotations

import json
from functools import cache

from mutual_dissent.analysis.review.report import DOES, LEAVES, NOT_THERE, TITLES
from mutual_dissent.briefing.inputs.attachments import MAX_BYTES
from mutual_dissent.briefing.inputs.pictures import MOST_BYTES
from mutual_dissent.briefing.options import MAX_CONTEXT
from mutual_dissent.briefing.viewers import MOST_BYTES as MOST_OF_ALL
from mutual_dissent.core.events import Status
from mutual_dissent.core.panel import EFFORTS
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.core.transcript import PANEL_ROLES
from mutual_dissent.core.values.defects import DOUBTFUL
from mutual_dissent.views.panel.ledger_words import FATES
from mutual_dissent.views.phrases import DIGITS, HIGH, MEDIUM, reason_for

WORDS = {
    "DIGITS": DIGITS,
    "DOES": DOES,
    "DOUBTFUL": DOUBTFUL,
    "EFFORTS": EFFORTS,
    "FATES": FATES,
    "LEAVES": LEAVES,
    "LEVELS": {"agree": HIGH, "differ": MEDIUM},
    "MAX_CONTEXT": MAX_CONTEXT,
    "MAX_FILE": MAX_BYTES,
    "MAX_PICTURE": MOST_BYTES,
    "MAX_PICTURES": MOST_OF_ALL,
    "NOT_THERE": NOT_THERE,
    "PANEL_ROLES": sorted(PANEL_ROLES),
    "REASONS": {
        finish: {kind or "": reason_for(finish, kind) for kind in (None, *ErrorKind)}
        for finish in Finish
    },
    "STATUSES": [*Status],
    "TITLES": TITLES,
}
"""Name in the module -> value; `words.d.ts` says what each is."""


@cache
def module() -> str:
    """The source of `/static/app/words.js`."""
    return "".join(f"export const {name} = {json.dumps(v)};\n" for name, v in WORDS.items())
