"""Reports that are read piece by piece: rendered once, not once a piece."""

from __future__ import annotations

from collections import OrderedDict

from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.documents import formats

KEPT = 4
"""Reports that are kept; a client reads one at a time."""


class Documents:
    """The last few reports, each under what it was made from."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int, str, str], str] = OrderedDict()

    def text(self, t: Transcript, form: str) -> str:
        """A session's report."""
        key = (t.transcript_id, t.last_seq, t.status.value, form)
        if key not in self._kept:
            self._kept[key] = formats.FORMATS[form](t)
        self._kept.move_to_end(key)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return self._kept[key]
