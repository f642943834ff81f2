"""Earlier debates on the matter of a new one."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from mutual_dissent.core.codec.camel import Shape, about


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarDebate(Shape):
    """An earlier debate on the matter: named to the user or, if attached, told to the panel."""

    transcript_id: str = field(metadata=about("Its id.", alias="sessionId"))
    query: str = field(metadata=about("Its question, cut after 200 characters."))
    heading: str = field(metadata=about("What its panel held, in words, cut in the same way."))
    created_at: datetime
    attached: bool = field(
        default=False, metadata=about("Whether the panel is told its question and its answer.")
    )
    bottom_line: str = field(
        default="", metadata=about("Of one that is attached, its answer in one sentence.")
    )
    estimate: str = field(default="", metadata=about("Its figure, if its answer is one."))

    @property
    def date(self) -> str:
        """The day on which it was held: `3 May 2026`."""
        return f"{self.created_at.day} {self.created_at:%B %Y}"

    @property
    def words(self) -> str:
        """Sentence about it: `on 3 May 2026: "Go or Rust?" (3 of 4: Go.)`."""
        said = self.bottom_line or self.heading
        held = f" ({said})" if said else ""
        return f'on {self.date}: "{self.query}"{held}'
