"""Query of `GET /api/sessions`: filters, order and page."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from mutual_dissent.core.events import Status
from mutual_dissent.store.debates.filters import ListFilters
from mutual_dissent.surfaces.facts.days import moment

Word = Annotated[str | None, Field(max_length=200)]
Share = Annotated[float | None, Field(ge=0, le=1)]
Dollars = Annotated[float | None, Field(ge=0, le=1_000_000)]
Mark = Annotated[float | None, Field(ge=1, le=5)]
Stars = Annotated[int | None, Field(ge=1, le=5)]
Day = Annotated[str | None, Field(max_length=40, description="2026-02-21, a time, or 7d.")]
Order = Literal["newest", "oldest", "cost", "tokens", "agreement", "duration", "score", "rating"]


class Find(BaseModel):
    """Filters, order and page of the list of sessions."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)

    text: Annotated[
        str | None, Field(max_length=1_000, description="Words in questions and answers.")
    ] = None
    model: Annotated[Word, Field(description="An alias, a seat or a model id.")] = None
    vendor: Word = None
    status: Status | None = None
    since: Day = None
    until: Day = None
    mode: Word = None
    preset: Word = None
    topology: Word = None
    experiment: Word = None
    campaign: Word = None
    condition: Word = None
    tag: Word = None
    min_agreement: Share = None
    max_agreement: Share = None
    min_cost: Dollars = None
    max_cost: Dollars = None
    min_score: Mark = None
    max_score: Mark = None
    min_rating: Stars = None
    max_rating: Stars = None
    graded: Annotated[bool | None, Field(description="Only those with an outcome.")] = None
    order: Annotated[Order, Field(description="What comes first.")] = "newest"
    limit: Annotated[int, Field(ge=1, le=200, description="How many at most.")] = 20
    offset: Annotated[int, Field(ge=0, le=1_000_000_000, description="Leave out so many.")] = 0

    @property
    def wanted(self) -> ListFilters:
        """Return the filters of the store.

        Raises:
            BadInput: if a day is invalid.
        """
        found: Any = {name: getattr(self, name) for name in ListFilters.__annotations__}
        found["since"] = moment("since", self.since)
        found["until"] = moment("until", self.until, whole_day=True)
        filters: ListFilters = found
        return filters

    @property
    def next(self) -> str:
        """Return the query of the next page."""
        query = self.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
        return urlencode({**query, "limit": self.limit, "offset": self.offset + self.limit})
