"""Settings of [search]."""

from __future__ import annotations

from dataclasses import dataclass, field

from mutual_dissent.core.values.secret import Key


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """The backends that are configured, tried in this order, and their limits.

    Attributes:
        native: whether vendors that can search by themselves do so.
        timeout: seconds for each search and each page.
    """

    searxng_url: str | None = None
    tavily_key: Key | None = field(default=None, repr=False)
    brave_key: Key | None = field(default=None, repr=False)
    max_results: int = 5
    timeout: float = 10.0
    native: bool = True

    @property
    def any_backend(self) -> bool:
        """Return whether there is anything to search with."""
        return bool(self.searxng_url or self.tavily_key or self.brave_key)
